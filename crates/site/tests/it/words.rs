//! The best by their words among more statements than are scored.

use crate::claims::{BEGIN, Chances, at, says, with};
use crate::server::Server;
use robot_memory_core::api::RecallRequest;
use robot_memory_core::claim::Claim;
use robot_memory_core::model::{Kind, MemType, Stamp};
use robot_memory_site::{Scopes, SiteStore};

/// The first are in most statements.
const WORDS: [&str; 12] = [
    "gripper", "cup", "shelf", "door", "force", "slipped", "robot", "glass", "hall", "wet",
    "battery", "charging",
];

fn claim(chances: &mut Chances, number: i64) -> Claim {
    let mut words: Vec<String> = Vec::new();
    for (at, word) in WORDS.iter().enumerate() {
        if chances.below(10 + 8 * at) < 8 {
            words.push((*word).to_owned());
        }
    }
    // None is short: what is looked up first is too few.
    words.extend((0..36 + chances.below(10)).map(|_| format!("w{}", chances.below(90))));
    words.push(format!("n{number}"));
    with(says("arm-1", number, 1, &words.join(" ")), |it| {
        it.scope = (*chances.of(&["global", "global", "group:a"])).to_owned();
        it.kind = *chances.of(&[Kind::Fact, Kind::Summary]);
        it.created_at = Stamp::from_secs(BEGIN + number * 100);
    })
}

fn fill(store: &SiteStore, claims: &[Claim]) {
    for (part, claims) in claims.chunks(5_000).enumerate() {
        assert_eq!(store.take(claims, &at(part as u64 + 1)).unwrap().refused, []);
    }
}

fn found(
    store: &SiteStore,
    request: &RecallRequest,
    readable: &Scopes,
) -> (bool, u64, Vec<(i64, String)>) {
    let found = store.recall(request, None, readable).unwrap();
    let shown =
        found.memories.iter().map(|hit| (hit.memory.id, format!("{:.9}", hit.why.word_score)));
    (found.approximate, found.total, shown.collect())
}

#[test]
fn common_words_give_the_best_of_all_statements() {
    let server = Server::start();
    let store = server.store();
    let mut chances = Chances::new();
    let claims: Vec<Claim> = (1..=30_000).map(|number| claim(&mut chances, number)).collect();
    fill(&store, &claims);
    let global = Scopes::Only(vec!["global".to_owned()]);
    let (mut whole, mut fewer) = (0, 0);
    for number in 0..60 {
        let words: Vec<String> = (0..1 + chances.below(5))
            .map(|_| match chances.one_in(4) {
                true => format!("w{}", chances.below(90)),
                false => (*chances.of(&WORDS)).to_owned(),
            })
            .collect();
        let mut request = RecallRequest { query: words.join(" "), n: 100, ..Default::default() };
        if chances.one_in(3) {
            request.types = vec!["fact".into()];
        }
        if chances.one_in(4) {
            request.since = Some(Stamp::from_secs(BEGIN + 1_000_000));
        }
        let readable = if chances.one_in(2) { &Scopes::All } else { &global };
        let (approximate, total, shown) = found(&store, &request, readable);
        let exact = RecallRequest { exact: true, ..request.clone() };
        let (is_cut, all, wanted) = found(&store, &exact, readable);
        assert!(!is_cut && total <= all, "{number}: {request:?}");
        assert!(approximate || shown == wanted, "{number}: {request:?} {shown:?} {wanted:?}");
        whole += usize::from(!approximate);
        fewer += usize::from(!approximate && total < all);
    }
    assert!(whole >= 50 && fewer >= 15, "{whole} {fewer}");
}

#[test]
fn of_too_many_that_score_the_same_the_newest_are_told() {
    let server = Server::start();
    let store = server.store();
    let claims: Vec<Claim> = (1..=12_000)
        .map(|number| {
            with(says("arm-1", number, 1, "Battery low"), |it| {
                it.mem_type = MemType::TaskLog;
                it.created_at = Stamp::from_secs(BEGIN + number);
            })
        })
        .collect();
    fill(&store, &claims);
    let request = RecallRequest { query: "battery".into(), n: 5, ..Default::default() };
    let response = store.recall(&request, None, &Scopes::All).unwrap();
    assert!(response.approximate);
    let times: Vec<i64> = response.memories.iter().map(|hit| hit.memory.created_at.0).collect();
    let newest: Vec<i64> = (0..5).map(|at| Stamp::from_secs(BEGIN + 12_000 - at).0).collect();
    assert_eq!(times, newest);
}

/// What has a rare word beside one that most have, and what a filter leaves of these.
#[test]
fn a_rare_word_and_a_filter_are_found_among_common_words() {
    let server = Server::start();
    let store = server.store();
    let claims: Vec<Claim> = (1..=24_000)
        .map(|number| {
            let said = match number {
                // Older than all others, and longer.
                1..=50 => "The gripper of the left arm in the third hall says again that its battery is low",
                51..=80 => "In the morning the second truck told everybody in the hall that its battery was low",
                _ if number % 2 == 0 => "Battery low",
                _ => "Nothing to say of the shelves of that hall today",
            };
            with(says("arm-1", number, 1, &format!("{said} n{number}")), |it| {
                it.mem_type = MemType::TaskLog;
                it.kind = if (51..=80).contains(&number) { Kind::Summary } else { Kind::Fact };
                it.created_at = Stamp::from_secs(BEGIN + number);
            })
        })
        .collect();
    fill(&store, &claims);
    let ask = |request: &RecallRequest| {
        let (_, _, shown) = found(&store, request, &Scopes::All);
        shown.into_iter().map(|(id, _)| id).collect::<Vec<_>>()
    };
    let gripper = RecallRequest { query: "gripper battery".into(), n: 50, ..Default::default() };
    let of_gripper = ask(&gripper);
    assert!(of_gripper.len() == 50 && of_gripper.iter().all(|id| *id <= 50), "{of_gripper:?}");
    let battery = RecallRequest {
        query: "battery".into(),
        types: vec!["summary".into()],
        n: 50,
        ..Default::default()
    };
    let summaries = ask(&battery);
    assert!(summaries.len() == 30, "{summaries:?}");
}
