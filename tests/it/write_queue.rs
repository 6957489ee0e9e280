//! Writes that wait: in order, once, whatever happens meanwhile.

use crate::disk::holds;
use crate::record::contact;
use crate::robot::{Robot, START, sql};
use crate::waiting::{
    QUEUE_BYTES, contents, forget, learn, perceive, queue, queue_path, robot_at, robot_with,
    until_reserved, until_well, update,
};
use robot_memory_core::api::{
    EndSession, EndSessionRequest, Learn, LearnRequest, LearnStatus, SavePerceptionRequest,
    SaveStatus,
};
use robot_memory_core::model::Stamp;
use robot_memory_core::signature;
use robot_memory_engine::{Recorded, Recording};
use robot_memory_perception::LayoutKind;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    (folder, store)
}

fn block(robot: &Robot) {
    robot.engine.block_writes(Some("the disk is nearly full".into()));
}

/// Lets what waits be stored.
fn unblock(robot: &Robot) {
    robot.engine.block_writes(None);
    until_well(robot);
}

#[test]
fn what_waits_is_stored_in_order_with_its_time_and_nothing_overtakes_it() {
    let (_folder, store) = folder();
    let robot = robot_at(&store);
    let engine = &robot.engine;
    block(&robot);
    assert_eq!(learn(engine, "prefer the left gripper for cups"), Ok(LearnStatus::Queued));
    robot.sleep_days(1.0);
    // The same again, and another value of it.
    assert_eq!(learn(engine, "prefer the left gripper for cups"), Ok(LearnStatus::Queued));
    assert_eq!(perceive(engine, "an egg in the tray"), Ok(SaveStatus::Queued));
    robot.sleep_days(1.0);
    robot.engine.block_writes(None);
    // The store can be written again; this is behind what waits all the same.
    assert_eq!(learn(engine, "prefer the right gripper for cups"), Ok(LearnStatus::Queued));
    assert_eq!(queue(&robot).queued, 4);
    until_well(&robot);
    let rows: i64 = sql(&store, "SELECT count(*) FROM memory");
    assert_eq!(rows, 3, "what was said twice is one row");
    let times: String = sql(&store, "SELECT group_concat(created_at, ' ') FROM memory");
    let day = |days: f64| START.plus_days(days).0;
    assert_eq!(times, format!("{} {} {}", day(0.0), day(1.0), day(2.0)));
    let winner: String =
        sql(&store, "SELECT content FROM memory WHERE status = 'active' AND type = 'fact'");
    assert_eq!(winner, "prefer the right gripper for cups", "the later one is believed");
    assert_eq!(learn(engine, "the saw is blunt"), Ok(LearnStatus::Created));
}

#[test]
fn a_key_that_waits_answers_the_same_and_is_stored_once() {
    let (_folder, store) = folder();
    let mut robot = robot_at(&store);
    let request = |insight: &str| LearnRequest {
        insight: insight.into(),
        importance: Some(0.7),
        idempotency_key: "k-1".into(),
        ..Default::default()
    };
    let stored = robot
        .call::<Learn>(LearnRequest { idempotency_key: "k-0".into(), ..request("the tap drips") });
    block(&robot);
    let first = robot.call::<Learn>(request("the saw is blunt"));
    assert_eq!(first.status, LearnStatus::Queued);
    assert_eq!(robot.call::<Learn>(request("the saw is blunt")), first);
    let again = LearnRequest { idempotency_key: "k-0".into(), ..request("the tap drips") };
    assert_eq!(robot.call::<Learn>(again), stored, "what was stored before is answered so");
    for is_reopened in [false, true] {
        if is_reopened {
            drop(robot);
            robot = robot_at(&store);
            block(&robot);
            assert_eq!(robot.call::<Learn>(request("the saw is blunt")), first);
        }
        let (kind, message) = robot.refused::<Learn>(request("the saw is sharp"));
        assert_eq!(kind.as_str(), "invalid_argument", "{message}");
        assert_eq!(queue(&robot).queued, 1);
    }
    unblock(&robot);
    let stored = robot.call::<Learn>(request("the saw is blunt"));
    assert_eq!((stored.status, queue(&robot).replayed), (LearnStatus::Created, 1));
    assert_eq!(sql::<i64>(&store, "SELECT count(*) FROM memory"), 2);
}

#[test]
fn what_can_never_be_stored_is_counted_kept_and_passed() {
    let (folder, store) = folder();
    let robot = robot_at(&store);
    let id = robot.learn_with("the drill hangs on hook 3", "");
    let session_id = robot.start_session();
    block(&robot);
    let in_session = LearnRequest {
        insight: "the hall is cold".into(),
        session_id: session_id.clone(),
        ..Default::default()
    };
    assert_eq!(robot.call::<Learn>(in_session).status, LearnStatus::Queued);
    assert_eq!(forget(&robot.engine, id).as_deref(), Ok("queued"));
    assert_eq!(update(&robot.engine, id, "the drill hangs on hook 7").as_deref(), Ok("queued"));
    assert_eq!(learn(&robot.engine, "the saw is blunt"), Ok(LearnStatus::Queued));
    robot.engine.block_writes(None);
    let request = EndSessionRequest { session_id, ..Default::default() };
    robot.engine.call::<EndSession>(request).expect("it does not wait");
    until_well(&robot);
    assert_eq!((queue(&robot).replayed, queue(&robot).rejected), (2, 2));
    let rejected = folder.path().join("memory.db.write_queue.jsonl.rejected.jsonl");
    let rejected = std::fs::read_to_string(rejected).expect("text");
    assert_eq!(rejected.lines().count(), 2);
    assert!(rejected.contains("the hall is cold") && rejected.contains("invalid_state"));
    // Of a memory that is gone nothing may come back.
    assert!(!rejected.contains("drill"), "{rejected}");
    assert_eq!(contents(&robot, "saw"), ["the saw is blunt"]);
}

#[test]
fn events_wait_with_all_that_they_felt_and_are_stored_once() {
    let (folder, store) = folder();
    let robot = robot_at(&store);
    std::fs::create_dir_all(folder.path().join("memory.db.clips")).expect("a folder");
    let samples: Vec<f64> = (0..60).map(|i| f64::from(i % 7)).collect();
    let felt = |key: &str, seconds: i64| {
        let mut recording = contact(key, Stamp(START.0 + seconds * 1_000_000_000));
        recording.event.signature = signature::of(LayoutKind::Wrench, 6, &samples);
        assert!(recording.event.signature.is_some());
        recording.sim_or_real = "real".into();
        recording.known_at = Some(START);
        recording
    };
    let record = |robot: &Robot, recordings: Vec<Recording>| -> Vec<Recorded> {
        let answers = robot.engine.record(recordings).expect("they are taken");
        answers.into_iter().map(|answer| answer.expect("it is taken")).collect()
    };
    let direct = record(&robot, vec![felt("a", 0)]);
    block(&robot);
    let queued = |is_first| Recorded { memory_id: 0, is_first };
    let known = Recorded { memory_id: direct[0].memory_id, is_first: false };
    assert_eq!(record(&robot, vec![felt("a", 0), felt("b", 0)]), [known, queued(true)]);
    assert_eq!(record(&robot, vec![felt("b", 0), felt("c", 9)]), [queued(false), queued(true)]);
    assert_eq!(queue(&robot).queued, 2);
    unblock(&robot);
    assert_eq!(sql::<i64>(&store, "SELECT count(*) FROM memory"), 3);
    // What waited is as what did not.
    let same: i64 = sql(
        &store,
        "SELECT count(*) FROM memory a JOIN perception p ON p.memory_id = a.id, \
         memory b JOIN perception q ON q.memory_id = b.id WHERE a.id = 1 AND b.id = 2 AND \
         (a.content, a.context, a.created_at, a.decayed_until, a.importance, p.data, p.metadata) \
         IS (b.content, b.context, b.created_at, b.decayed_until, b.importance, q.data, q.metadata)",
    );
    assert_eq!(same, 1);
    let signatures: i64 =
        sql(&store, "SELECT count(DISTINCT signature) * 10 + count(*) FROM memory_signature");
    assert_eq!(signatures, 13, "all three felt the same");
    assert_eq!(record(&robot, vec![felt("b", 0)])[0].memory_id, 2);
}

#[test]
fn when_the_queue_is_full_writes_are_unavailable_and_those_that_wait_are_kept() {
    let (_folder, store) = folder();
    let robot = robot_at(&store);
    block(&robot);
    let mut count = 0;
    let error = loop {
        let description = format!("{count} {}", "box on the conveyor ".repeat(14));
        match perceive(&robot.engine, &description) {
            Ok(status) => assert_eq!(status, SaveStatus::Queued),
            Err(error) => break error,
        }
        count += 1;
    };
    assert_eq!(error.kind.as_str(), "unavailable");
    assert!(
        error.message.contains("write_queue_bytes_max") && count > 100,
        "{error} after {count}"
    );
    let fill = |number: i64| {
        let mut recording = contact(&format!("e{number}"), START);
        recording.event.data = format!("[{}1]", "1,".repeat(2_000));
        recording
    };
    let refused = robot.engine.record((0..100).map(fill).collect()).expect_err("there is no room");
    assert_eq!(refused.kind.as_str(), "unavailable");
    let waiting = queue(&robot);
    assert!(waiting.queued == count && waiting.bytes <= QUEUE_BYTES, "{waiting:?}");
    unblock(&robot);
    assert_eq!(sql::<i64>(&store, "SELECT count(*) FROM memory").unsigned_abs(), count);
    assert_eq!(perceive(&robot.engine, "an empty conveyor"), Ok(SaveStatus::Created));
}

#[test]
fn without_a_queue_writes_are_unavailable() {
    let (folder, store) = folder();
    let robot = robot_with(&store, |config| config.write_queue.bytes_max = 0);
    block(&robot);
    let error = learn(&robot.engine, "the saw is blunt").expect_err("it is refused");
    assert_eq!(error.kind.as_str(), "unavailable");
    unblock(&robot);
    assert_eq!(learn(&robot.engine, "the saw is blunt"), Ok(LearnStatus::Created));
    let names = std::fs::read_dir(folder.path()).expect("a folder");
    let names =
        names.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    assert!(names.into_iter().all(|name| !name.contains("queue")));
}

#[test]
fn a_batch_does_not_wait() {
    let (_folder, store) = folder();
    let robot = robot_at(&store);
    block(&robot);
    let request = SavePerceptionRequest { description: "a red box".into(), ..Default::default() };
    let error = robot.engine.save_perceptions(vec![request]).expect_err("it is refused");
    assert_eq!(error.kind.as_str(), "unavailable");
    assert_eq!(queue(&robot).queued, 0);
}

/// The end of the process after each batch was stored and before the queue knows of it.
#[test]
fn what_was_stored_is_not_stored_again_wherever_a_replay_ended() {
    let (_folder, store) = folder();
    let robot = robot_at(&store);
    until_reserved(&robot);
    let id = robot.learn_with("the drill hangs on hook 0", "");
    block(&robot);
    for number in 1..=5 {
        perceive(&robot.engine, &format!("box {number} on the conveyor")).expect("it waits");
        update(&robot.engine, id, &format!("the drill hangs on hook {number}")).expect("it waits");
        learn(&robot.engine, &format!("lamp {number} flickers at night")).expect("it waits");
    }
    perceive(&robot.engine, "box 6 on the conveyor").expect("it waits");
    perceive(&robot.engine, "box 7 on the conveyor").expect("it waits");
    drop(robot);
    let waiting = std::fs::read(queue_path(&store)).expect("bytes");
    let mut ends = 0;
    loop {
        let robot = robot_at(&store);
        let before = queue(&robot).queued;
        robot.engine.upkeep().expect("one batch is stored");
        let after = queue(&robot).queued;
        assert!(after < before || before == 0);
        drop(robot);
        if before == 0 {
            break;
        }
        // As it was when the process ended before it was told.
        std::fs::write(queue_path(&store), &waiting).expect("written");
        ends += 1;
        assert!(ends < 50, "what was stored is stored again and again");
    }
    assert_eq!(ends, 16, "a batch each, but for the last two perceptions");
    let counts: String = sql(
        &store,
        "SELECT (SELECT count(*) FROM memory WHERE type = 'perception') || ' ' || \
         (SELECT count(*) FROM memory WHERE content LIKE 'lamp%') || ' ' || \
         (SELECT content FROM memory WHERE id = 1) || ' ' || (SELECT count(*) FROM memory_audit)",
    );
    assert_eq!(counts, "7 5 the drill hangs on hook 5 5");
    let order: String = sql(
        &store,
        "SELECT group_concat(content, ',') FROM (SELECT content FROM memory \
         WHERE type = 'perception' ORDER BY id)",
    );
    let expected: Vec<_> = (1..=7).map(|number| format!("box {number} on the conveyor")).collect();
    assert_eq!(order, expected.join(","));
}

#[test]
fn deleted_texts_do_not_linger_in_the_queue() {
    let (folder, store) = folder();
    let robot = robot_at(&store);
    block(&robot);
    learn(&robot.engine, "the vault is behind the mirror").expect("it waits");
    let is_there = |path: &Path| holds(path, "mirror");
    assert!(is_there(&queue_path(&store)));
    unblock(&robot);
    assert!(!is_there(&queue_path(&store)));
    let request =
        robot_memory_core::api::DeleteMemoryRequest { memory_id: 1, ..Default::default() };
    robot.call::<robot_memory_core::api::DeleteMemory>(request);
    robot.engine.close().expect("it closes");
    for entry in std::fs::read_dir(folder.path()).expect("a folder") {
        let path = entry.expect("an entry").path();
        assert!(path.is_dir() || !is_there(&path), "{}", path.display());
    }
}
