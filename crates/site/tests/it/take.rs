use crate::claims::{BEGIN, Chances, at, bare, of, revokes, says, vector, with};
use crate::server::Server;
use robot_memory_core::api::{Hit, RecallRequest};
use robot_memory_core::claim::{Claim, ClaimOp, Removed, Selector};
use robot_memory_core::model::{Kind, MemType, Stamp};
use robot_memory_site::{Scopes, SitePosition, SiteStore};

fn found(store: &SiteStore, query: &str) -> Vec<Hit> {
    let request = RecallRequest { query: query.to_owned(), n: 100, ..Default::default() };
    store.recall(&request, None, &Scopes::All).unwrap().memories
}

fn contents(store: &SiteStore) -> Vec<String> {
    let request = RecallRequest { since: Some(Stamp(0)), n: 100, ..Default::default() };
    let hits = store.recall(&request, None, &Scopes::All).unwrap().memories;
    let mut all: Vec<String> = hits.into_iter().map(|hit| hit.memory.content).collect();
    all.sort();
    all
}

/// Of each table how many rows, and of its counts the sums.
fn sizes(server: &Server) -> Vec<i64> {
    let mut admin = server.admin("site");
    let sql = "SELECT (SELECT count(*) FROM robot_memory.statement), (SELECT count(*) FROM robot_memory.vector), \
         (SELECT count(*) FROM robot_memory.words), (SELECT coalesce(sum(statement_count), 0)::bigint FROM robot_memory.term), \
         (SELECT coalesce(sum(statement_count), 0)::bigint FROM robot_memory.corpus), \
         (SELECT coalesce(sum(token_count), 0)::bigint FROM robot_memory.corpus), \
         (SELECT coalesce(sum(held_count), 0)::bigint FROM robot_memory.origin), \
         (SELECT count(*) FROM robot_memory.head WHERE state = 'held')";
    let row = admin.query_one(sql, &[]).unwrap();
    (0..8).map(|at| row.get(at)).collect()
}

#[test]
fn only_the_newest_revision_holds_in_whatever_order() {
    let server = Server::start();
    let store = server.store();
    let claims = [
        says("arm-1", 1, 2, "The red cup breaks above 12 N"),
        says("arm-1", 1, 1, "The red cup breaks above 13 N"),
        says("arm-1", 1, 2, "The red cup breaks above 14 N"),
    ];
    let taken = store.take(&claims, &at(3)).unwrap();
    assert_eq!((taken.asserted_count, taken.known_count), (1, 2));
    assert_eq!(contents(&store), ["The red cup breaks above 12 N"]);
    assert_eq!(store.take(&claims, &at(3)).unwrap().known_count, 3);
    assert_eq!(store.position(), Ok(Some(at(3))));
    // What comes again does not turn the position back.
    store.take(&claims[..1], &at(1)).unwrap();
    assert_eq!(store.position(), Ok(Some(at(3))));
    let taken = store.take(&[bare("arm-1", 1, 3, ClaimOp::Retract)], &at(4)).unwrap();
    assert_eq!(taken.retracted_count, 1);
    assert!(contents(&store).is_empty());
    assert_eq!(sizes(&server), [0, 0, 0, 0, 0, 0, 0, 0]);
    // Retracted before it was heard of: an older claim that comes later is not taken.
    let late = [bare("arm-2", 7, 5, ClaimOp::Retract), says("arm-2", 7, 4, "Late")];
    assert_eq!(store.take(&late, &at(6)).unwrap().known_count, 1);
    assert!(contents(&store).is_empty());
    assert_eq!(store.take(&[says("arm-2", 7, 6, "Said again")], &at(7)).unwrap().asserted_count, 1);
    assert_eq!(contents(&store), ["Said again"]);
    let totals = store.totals().unwrap();
    let of_robot = totals.iter().find(|it| it.origin == "arm-2").unwrap();
    assert_eq!((of_robot.claim_count, of_robot.memory_count), (3, 1));
    assert!(of_robot.heard_at > Stamp(0));
}

#[test]
fn equal_statements_are_one_hit_with_several_tellers() {
    let server = Server::start();
    let store = server.store();
    let text = "The glass breaks above 13 N";
    let repeated = with(says("arm-3", 9, 1, text), |it| it.roots = vec![of("arm-1", 1)]);
    let hall = with(says("arm-4", 2, 1, text), |it| it.scope = "group:hall".into());
    let other = with(says("arm-5", 2, 1, text), |it| it.collection = "other".into());
    let logged = |origin: &str| {
        with(says(origin, 50, 1, "Placed the glass"), |it| it.mem_type = MemType::TaskLog)
    };
    let claims = [
        says("arm-1", 1, 1, text),
        says("arm-2", 1, 1, text),
        repeated,
        hall,
        other,
        logged("arm-1"),
        logged("arm-2"),
    ];
    store.take(&claims, &at(7)).unwrap();
    let hits = found(&store, "glass breaks");
    let hit = hits
        .iter()
        .find(|hit| hit.memory.collection == "default" && hit.memory.content == text)
        .unwrap();
    assert_eq!(hit.why.told_by, ["arm-1", "arm-2", "arm-3", "arm-4"]);
    assert_eq!(hit.why.independent_count, 3);
    assert!(hit.why.told_at.is_some());
    assert_eq!((hit.memory.confidence, hit.memory.importance), (0.5, 0.5));
    assert_eq!(hits.iter().filter(|hit| hit.memory.content == text).count(), 2);
    // What happened is never the same twice.
    assert_eq!(found(&store, "placed").len(), 2);
    assert_eq!(contents(&store).len(), 4);
    // As long as one of them tells it.
    store
        .take(
            &[bare("arm-1", 1, 2, ClaimOp::Retract), bare("arm-2", 1, 2, ClaimOp::Retract)],
            &at(9),
        )
        .unwrap();
    let hits = found(&store, "glass breaks");
    let hit = hits.iter().find(|hit| hit.memory.collection == "default").unwrap();
    assert_eq!(hit.why.told_by, ["arm-3", "arm-4"]);
    assert_eq!(hit.why.independent_count, 1);
}

#[test]
fn what_was_revoked_goes_with_what_rests_on_nothing_else() {
    let server = Server::start();
    let store = server.store();
    let session = |claim: Claim| with(claim, |it| it.session_id = "s-1".into());
    let claims = [
        session(says("arm-1", 1, 1, "Bad one")),
        session(says("arm-1", 2, 1, "Bad two, which arm-4 tells too")),
        says("arm-1", 3, 1, "Good one"),
        with(says("arm-2", 1, 1, "Rests on bad one"), |it| it.roots = vec![of("arm-1", 1)]),
        with(says("arm-2", 2, 1, "Rests on bad and its own"), |it| {
            it.roots = vec![of("arm-1", 1), of("arm-2", 2)]
        }),
        says("arm-4", 9, 1, "Bad two, which arm-4 tells too"),
    ];
    store.take(&claims, &at(6)).unwrap();
    let selector = Selector {
        origin: "arm-1".into(),
        session_id: "s-1".into(),
        reason: "not calibrated".into(),
        ..Default::default()
    };
    let revocation = revokes(11, selector);
    let taken = store.take(std::slice::from_ref(&revocation), &at(7)).unwrap();
    assert_eq!(taken.removed.len(), 1);
    assert_eq!((taken.removed[0].deleted_count, taken.removed[0].origin.as_str()), (2, "arm-1"));
    let left = ["Bad two, which arm-4 tells too", "Good one", "Rests on bad and its own"];
    assert_eq!(contents(&store), left);
    assert_eq!(found(&store, "which arm-4 tells")[0].why.told_by, ["arm-4"]);
    // Later claims of it are not taken, also in other words, and of who repeats it.
    let later = [
        session(says("arm-1", 1, 2, "Bad one, again")),
        session(says("arm-1", 77, 1, "Late, of the same session")),
        with(says("arm-3", 1, 1, "Rests on bad one, too"), |it| it.roots = vec![of("arm-1", 1)]),
    ];
    assert_eq!(store.take(&later, &at(10)).unwrap().revoked_count, 3);
    assert_eq!(store.take(&[revocation], &at(11)).unwrap().known_count, 1);
    assert_eq!(contents(&store), left);
    let receipt = Claim {
        target: Some(of("ops", 11)),
        removed: Some(Removed { deleted_count: 4, rewritten_count: 1 }),
        ..bare("arm-2", 1, 1, ClaimOp::Receipt)
    };
    let taken = store.take(&[receipt.clone(), receipt], &at(12)).unwrap();
    assert_eq!((taken.receipt_count, taken.known_count), (1, 1));
    let revocations = store.revocations().unwrap();
    assert_eq!((revocations.len(), revocations[0].deleted_count), (1, 2));
    assert_eq!(revocations[0].receipts[0].origin, "arm-2");
    let sums = sizes(&server);
    assert_eq!((sums[0], sums[4], sums[6], sums[7]), (3, 3, 4 - 1, 3), "{sums:?}");
}

#[test]
fn what_a_robot_made_of_what_is_revoked_is_held_again_when_it_has_made_it_again() {
    let server = Server::start();
    let store = server.store();
    let told = |claim: Claim, secs| Claim { stamp: Stamp::from_secs(BEGIN + secs), ..claim };
    let made = |memory_id, revision, content, secs| {
        let claim = with(says("arm-1", memory_id, revision, content), |it| {
            it.kind = Kind::Summary;
            it.roots = vec![of("arm-1", 900), of("arm-1", 901)];
        });
        told(claim, secs)
    };
    let claims = [
        made(1, 1, "Lesson of before", 50),
        made(2, 1, "Lesson since", 150),
        told(says("arm-1", 120, 1, "Seen in that time"), 150),
        told(says("arm-1", 250, 1, "Seen later"), 250),
    ];
    store.take(&claims, &at(4)).unwrap();
    let time = |secs| Some(Stamp::from_secs(BEGIN + secs));
    let selector = Selector {
        origin: "arm-1".into(),
        since: time(100),
        until: time(200),
        reason: "not calibrated".into(),
        ..Default::default()
    };
    let taken = store.take(&[revokes(1, selector)], &at(5)).unwrap();
    assert_eq!(taken.removed[0].deleted_count, 2);
    let left = ["Lesson of before", "Seen later"];
    assert_eq!(contents(&store), left);
    // On its way when its origin did not know.
    store.take(&[made(2, 2, "Lesson since, in other words", 300)], &at(6)).unwrap();
    assert_eq!(contents(&store), left);
    let receipt = Claim {
        target: Some(of("ops", 1)),
        removed: Some(Removed { deleted_count: 1, rewritten_count: 1 }),
        ..bare("arm-1", 1, 1, ClaimOp::Receipt)
    };
    store.take(&[receipt, made(2, 3, "Lesson without it", 310)], &at(8)).unwrap();
    let left = ["Lesson of before", "Lesson without it", "Seen later"];
    assert_eq!(contents(&store), left);
    // Named itself it does not come back.
    let named = Selector {
        origin: "arm-1".into(),
        memory_id: Some(2),
        reason: "wrong".into(),
        ..Default::default()
    };
    store.take(&[revokes(2, named), made(2, 4, "Lesson once more", 320)], &at(10)).unwrap();
    assert_eq!(contents(&store), ["Lesson of before", "Seen later"]);
}

#[test]
fn a_revoked_time_is_by_the_clock_of_the_robot() {
    let server = Server::start();
    let store = server.store();
    let ahead = 400 * 86_400;
    let shifted = with(says("arm-1", 1, 1, "Of a clock that is ahead"), |it| {
        it.created_at = Stamp::from_secs(BEGIN + ahead);
    });
    store.take(&[shifted], &at(1)).unwrap();
    let selector = Selector {
        origin: "arm-1".into(),
        since: Some(Stamp::from_secs(BEGIN + ahead)),
        until: Some(Stamp::from_secs(BEGIN + ahead + 1)),
        reason: "not calibrated".into(),
        ..Default::default()
    };
    let taken = store.take(&[revokes(1, selector)], &at(2)).unwrap();
    assert_eq!(taken.removed[0].deleted_count, 1);
    assert_eq!(contents(&store), [""; 0]);
}

#[test]
fn a_revocation_of_all_ends_when_it_was_made() {
    let server = Server::start();
    let store = server.store();
    let everything =
        Selector { origin: "arm-1".into(), reason: "stolen".into(), ..Default::default() };
    let claims =
        [says("arm-1", 1, 1, "Before"), says("arm-1", 5_000, 1, "After"), revokes(1, everything)];
    let taken = store.take(&claims, &at(3)).unwrap();
    assert_eq!(taken.removed[0].deleted_count, 1);
    assert_eq!(contents(&store), ["After"]);
}

#[test]
fn verdicts_are_counted_by_robots() {
    let server = Server::start();
    let store = server.store();
    let judges = |origin: &str, revision, op| Claim {
        target: Some(of("arm-1", 1)),
        ..bare(origin, 500, revision, op)
    };
    let claims = [
        says("arm-1", 1, 1, "The glass breaks above 13 N"),
        judges("arm-2", 1, ClaimOp::Confirm),
        judges("arm-2", 1, ClaimOp::Confirm),
        judges("arm-3", 1, ClaimOp::Confirm),
        judges("arm-3", 2, ClaimOp::Contradict),
        judges("arm-4", 1, ClaimOp::Confirm),
        judges("arm-1", 1, ClaimOp::Confirm),
    ];
    let taken = store.take(&claims, &at(7)).unwrap();
    assert_eq!(taken.refused.len(), 1);
    let counts = |store: &SiteStore| {
        let of = store.provenance("arm-1", 1, &Scopes::All).unwrap();
        (of.confirmed_count, of.contradicted_count)
    };
    assert_eq!(counts(&store), (2, 1));
    store.take(&[bare("arm-4", 500, 2, ClaimOp::Retract)], &at(8)).unwrap();
    assert_eq!(counts(&store), (1, 1));
    assert_eq!(store.take(&claims[1..6], &at(8)).unwrap().judged_count, 0);
    assert_eq!(counts(&store), (1, 1));
}

/// A robot compares it with what it forgot.
#[test]
fn a_context_is_told_as_it_was_told() {
    let server = Server::start();
    let store = server.store();
    let contexts = [
        r#"{"a":1,"b":[2.5,{"c":null}],"ä":"x\"y"}"#,
        r#"{"b": 1, "a": 2}"#,
        r#"{"aa":1,"b":2}"#,
        r#"{"b":2,"aa":1}"#,
        r#"{"a":1.0}"#,
        r#"{"a":-0.0}"#,
        r#"{"a":1e300,"b":1E2}"#,
        r#"{"a":1e-7}"#,
        r#"{"a":0.1234567890123456}"#,
        r#"{"a":9007199254740993,"b":18446744073709551615}"#,
        r#"{"a":1,"a":2}"#,
        r#"{"a":"\u00e4"}"#,
        "{}",
        "",
    ];
    for (at, context) in contexts.iter().enumerate() {
        let said = with(says("arm-1", at as i64 + 1, 1, &format!("Number {at}")), |it| {
            it.context = format!(" {context}\n");
        });
        store
            .take(&[said], &SitePosition { stream_id: "fleet".into(), sequence: at as u64 })
            .unwrap();
        let hit = found(&store, &format!("number {at}")).remove(0);
        assert_eq!(hit.memory.context, *context);
    }
    let kept =
        "SELECT count(*) FILTER (WHERE context_told IS NULL), count(*) FROM robot_memory.statement";
    let row = server.admin("site").query_one(kept, &[]).unwrap();
    // The usual ones are stored once.
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (5, 14));
}

#[test]
fn a_verdict_that_is_about_another_memory_now_or_revoked_does_not_count() {
    let server = Server::start();
    let store = server.store();
    let judges = |origin: &str, memory_id, revision, target| Claim {
        target: Some(of("arm-1", target)),
        stamp: Stamp::from_secs(BEGIN + 500),
        ..bare(origin, memory_id, revision, ClaimOp::Confirm)
    };
    let counts =
        || [1, 2].map(|id| store.provenance("arm-1", id, &Scopes::All).unwrap().confirmed_count);
    let claims = [
        says("arm-1", 1, 1, "The glass breaks above 13 N"),
        says("arm-1", 2, 1, "The cup breaks above 20 N"),
        judges("arm-2", 500, 1, 1),
        judges("arm-3", 500, 1, 1),
        judges("arm-4", 500, 1, 1),
        judges("arm-4", 501, 1, 2),
    ];
    store.take(&claims, &at(6)).unwrap();
    assert_eq!(counts(), [3, 1]);
    // In one batch, in either order, and late.
    let moved =
        [judges("arm-2", 500, 3, 2), judges("arm-2", 500, 2, 1), judges("arm-3", 500, 2, 2)];
    store.take(&moved, &at(9)).unwrap();
    assert_eq!(counts(), [1, 3]);
    store.take(&[judges("arm-3", 500, 1, 1)], &at(10)).unwrap();
    assert_eq!(counts(), [1, 3]);
    let of_arm_4 = |memory_id| Selector {
        origin: "arm-4".into(),
        memory_id,
        reason: "wrong".into(),
        ..Default::default()
    };
    store.take(&[revokes(1, of_arm_4(Some(500)))], &at(11)).unwrap();
    assert_eq!(counts(), [0, 3]);
    assert_eq!(store.take(&[judges("arm-4", 500, 2, 1)], &at(12)).unwrap().revoked_count, 1);
    assert_eq!(counts(), [0, 3]);
    store.take(&[revokes(2, of_arm_4(None))], &at(13)).unwrap();
    assert_eq!(counts(), [0, 2]);
    store.take(&[judges("arm-4", 501, 2, 2)], &at(14)).unwrap();
    assert_eq!(counts(), [0, 2]);
}

/// Whatever comes twice, late or in other batches, the same is known in the end, and all counts are those of the rows.
#[test]
fn orders_and_repetitions_change_nothing() {
    let server = Server::start();
    let mut chances = Chances::new();
    let words = ["cup", "glass", "door", "gripper", "夹爪", "电池低"];
    let mut claims = Vec::new();
    for number in 0..120 {
        let (origin, id) = (format!("arm-{}", chances.below(4)), 1 + chances.below(15) as i64);
        let revision = 1 + number;
        if chances.one_in(5) {
            claims.push(bare(&origin, id, revision, ClaimOp::Retract));
            continue;
        }
        let text = format!("The {} is {}", chances.of(&words), chances.below(3));
        let scope = *chances.of(&["global", "group:a"]);
        let root = if chances.one_in(4) { of("arm-0", 1) } else { of(&origin, id) };
        claims.push(with(says(&origin, id, revision, &text), |it| {
            it.scope = scope.to_owned();
            it.roots = vec![root];
            it.vector = vector(&[1.0, chances.below(9) as f32, 2.0]);
        }));
    }
    let mut answers = Vec::new();
    for name in ["one", "two", "three"] {
        server.make_database(name);
        let store = SiteStore::open(&server.url_as("site", name), "plant").unwrap();
        let mut order: Vec<Claim> = claims.clone();
        if name != "one" {
            for at in (1..order.len()).rev() {
                order.swap(at, chances.below(at + 1));
            }
            order.extend(claims.iter().take(30).cloned());
        }
        for part in order.chunks(if name == "one" { 1_000 } else { 7 }) {
            store.take(part, &at(1)).unwrap();
        }
        let request = RecallRequest { since: Some(Stamp(0)), n: 100, ..Default::default() };
        let hits = store.recall(&request, None, &Scopes::All).unwrap();
        let mut told: Vec<_> = hits
            .memories
            .into_iter()
            .map(|hit| (hit.memory.content, hit.why.told_by, hit.why.independent_count))
            .collect();
        told.sort();
        answers.push((hits.total, told));
        let mut admin = server.admin(name);
        let sql = "SELECT (SELECT count(*) FROM robot_memory.statement) = (SELECT sum(statement_count) FROM robot_memory.corpus), \
             (SELECT sum(token_count) FROM robot_memory.corpus) = (SELECT sum(token_count) FROM robot_memory.statement), \
             (SELECT sum(statement_count) FROM robot_memory.term) = (SELECT sum(length(tokens)) FROM robot_memory.statement), \
             (SELECT sum(held_count) FROM robot_memory.origin) = (SELECT count(*) FROM robot_memory.head WHERE state = 'held'), \
             (SELECT count(*) FROM robot_memory.vector) = (SELECT count(*) FROM robot_memory.statement)";
        let row = admin.query_one(sql, &[]).unwrap();
        for column in 0..5 {
            assert!(row.get::<_, bool>(column), "{name}, column {column}");
        }
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
}

#[test]
fn clocks_far_off_and_months_have_their_partitions() {
    let server = Server::start();
    let store = server.store();
    let when = |id, secs| {
        with(says("arm-1", id, 1, &format!("Number {id}")), |it| {
            it.created_at = Stamp::from_secs(secs)
        })
    };
    let claims =
        [when(1, -5), when(2, 0), when(3, 1_772_323_199), when(4, 1_772_323_200), when(5, 1 << 33)];
    store.take(&claims, &at(5)).unwrap();
    let request = RecallRequest { since: Some(Stamp(0)), n: 100, ..Default::default() };
    let hits = store.recall(&request, None, &Scopes::All).unwrap().memories;
    assert_eq!(hits.len(), 5);
    // No time is in the future.
    assert!(hits[0].memory.created_at <= hits[0].memory.known_at.unwrap());
    let mut admin = server.admin("site");
    let rows = admin
        .query(
            "SELECT replace(tableoid::regclass::text, 'robot_memory.statement_s1_', ''), count(*) \
             FROM robot_memory.statement GROUP BY 1 ORDER BY 1",
            &[],
        )
        .unwrap();
    let months: Vec<(String, i64)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(months[..2], [("202602".to_owned(), 1), ("202603".to_owned(), 1)]);
    assert_eq!(months.last(), Some(&("other".to_owned(), 2)));
}

/// A position that cannot be written takes its claims with it.
#[test]
fn claims_and_their_position_are_one_transaction() {
    let server = Server::start();
    let store = server.store();
    store.take(&[says("arm-1", 1, 1, "Red")], &at(1)).unwrap();
    server
        .admin("site")
        .batch_execute(
            "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$; \
             CREATE TRIGGER no_room BEFORE UPDATE OF sequence ON robot_memory.site FOR EACH ROW EXECUTE FUNCTION no_room()",
        )
        .unwrap();
    assert!(store.take(&[says("arm-1", 2, 1, "Green")], &at(2)).is_err());
    assert_eq!((contents(&store), store.position()), (vec!["Red".to_owned()], Ok(Some(at(1)))));
}
