use crate::claims::{at, of, says, with};
use crate::server::Server;
use robot_memory_core::claim::{Claim, ClaimOp, MemoryRef};
use robot_memory_core::model::Stamp;
use robot_memory_site::{Error, ProvenanceMemory, ProvenanceTeller, Scopes};

fn refs(all: &[ProvenanceMemory]) -> Vec<(MemoryRef, u32)> {
    all.iter().map(|it| (it.of.clone(), it.depth)).collect()
}

#[test]
fn a_memory_is_followed_both_ways() {
    let server = Server::start();
    let store = server.store();
    let made = |id, text: &str, from: Vec<MemoryRef>, roots: Vec<MemoryRef>| {
        with(says("arm-2", id, 1, text), |it| {
            it.derived_from = from;
            it.roots = roots;
        })
    };
    let claims = [
        says("arm-1", 1, 1, "Seen once"),
        says("arm-1", 2, 1, "Seen twice"),
        made(
            10,
            "Summed up",
            vec![of("arm-1", 1), of("arm-1", 2)],
            vec![of("arm-1", 1), of("arm-1", 2)],
        ),
        made(
            11,
            "Learned",
            vec![of("arm-2", 10), of("arm-9", 9)],
            vec![of("arm-1", 1), of("arm-2", 11)],
        ),
        // Nobody keeps robots from naming each other in a circle.
        made(20, "Egg", vec![of("arm-2", 21)], vec![of("arm-2", 20)]),
        made(21, "Hen", vec![of("arm-2", 20)], vec![of("arm-2", 21)]),
    ];
    store.take(&claims, &at(6)).unwrap();
    let learned = store.provenance("arm-2", 11, &Scopes::All).unwrap();
    assert_eq!(learned.memory.content.as_deref(), Some("Learned"));
    assert_eq!(refs(&learned.roots), [(of("arm-2", 11), 0), (of("arm-1", 1), 1)]);
    assert_eq!(learned.memory.told_at, Some(claims[3].stamp));
    assert_eq!(learned.roots[1].told_at, Some(claims[0].stamp));
    let from =
        [(of("arm-2", 10), 1), (of("arm-9", 9), 1), (of("arm-1", 1), 2), (of("arm-1", 2), 2)];
    assert_eq!(refs(&learned.derived_from), from);
    assert_eq!((&learned.derived_from[1].content, learned.derived_from[1].told_at), (&None, None));
    assert_eq!(learned.derived_from[2].content.as_deref(), Some("Seen once"));
    let seen = store.provenance("arm-1", 1, &Scopes::All).unwrap();
    assert_eq!(refs(&seen.roots), [(of("arm-1", 1), 0)]);
    assert_eq!(refs(&seen.derivations), [(of("arm-2", 10), 1), (of("arm-2", 11), 1)]);
    let egg = store.provenance("arm-2", 20, &Scopes::All).unwrap();
    assert_eq!(refs(&egg.derived_from), [(of("arm-2", 21), 1)]);
    assert!(!egg.is_cut);
    assert!(matches!(store.provenance("arm-2", 99, &Scopes::All), Err(Error::NotFound(_))));
    // What is said anew has the edges that it says anew.
    let again = with(says("arm-2", 11, 2, "Learned"), |it| it.derived_from = vec![of("arm-1", 2)]);
    store.take(&[again], &at(7)).unwrap();
    let learned = store.provenance("arm-2", 11, &Scopes::All).unwrap();
    assert_eq!(refs(&learned.derived_from), [(of("arm-1", 2), 1)]);
    assert_eq!(refs(&learned.roots), [(of("arm-2", 11), 0)]);
}

#[test]
fn who_told_a_memory_and_what_attempts_say_of_it_is_told_with_the_times() {
    let server = Server::start();
    let store = server.store();
    let verdict = |origin: &str, op, secs: i64| Claim {
        op,
        statement: None,
        target: Some(of("arm-1", 1)),
        stamp: Stamp::from_secs(secs),
        ..says(origin, 5, 1, "It is so")
    };
    let told = |claim: Claim, secs: i64| Claim { stamp: Stamp::from_secs(secs), ..claim };
    let spy = with(says("spy", 3, 1, "Seen once"), |it| it.scope = "group:cell-7".into());
    let echo = with(says("arm-2", 7, 1, "Seen once"), |it| it.roots = vec![of("arm-1", 1)]);
    let claims = [
        told(says("arm-1", 1, 1, "Seen once"), 1_800_000_001),
        told(echo, 1_800_000_002),
        told(spy, 1_800_000_003),
        verdict("arm-3", ClaimOp::Confirm, 1_800_000_004),
        verdict("arm-4", ClaimOp::Contradict, 1_800_000_005),
    ];
    store.take(&claims, &at(5)).unwrap();
    let tellers = |readable: &Scopes| -> Vec<(MemoryRef, i64, bool)> {
        let found = store.provenance("arm-1", 1, readable).unwrap();
        let teller =
            |it: ProvenanceTeller| (it.of, it.told_at.0 / 1_000_000_000, it.is_independent);
        found.told_by.into_iter().map(teller).collect()
    };
    let all = [
        (of("arm-1", 1), 1_800_000_001, true),
        (of("arm-2", 7), 1_800_000_002, false),
        (of("spy", 3), 1_800_000_003, true),
    ];
    assert_eq!(tellers(&Scopes::All), all);
    assert_eq!(tellers(&Scopes::Only(vec!["global".into()])), all[..2]);
    let found = store.provenance("arm-1", 1, &Scopes::All).unwrap();
    let verdicts: Vec<(&str, bool, i64)> = found
        .verdicts
        .iter()
        .map(|it| (it.origin.as_str(), it.is_confirmed, it.told_at.0 / 1_000_000_000))
        .collect();
    assert_eq!(verdicts, [("arm-3", true, 1_800_000_004), ("arm-4", false, 1_800_000_005)]);
    assert_eq!((found.confirmed_count, found.contradicted_count), (1, 1));
}

#[test]
fn what_is_very_wide_is_cut_and_says_so() {
    let server = Server::start();
    let store = server.store();
    let mut claims = vec![says("arm-1", 1, 1, "Seen")];
    claims.extend((2..1_200).map(|id| {
        with(says("arm-1", id, 1, &format!("Made {id}")), |it| {
            it.derived_from = vec![of("arm-1", 1)]
        })
    }));
    store.take(&claims, &at(1)).unwrap();
    let seen = store.provenance("arm-1", 1, &Scopes::All).unwrap();
    assert_eq!((seen.derivations.len(), seen.is_cut), (1_000, true));
}
