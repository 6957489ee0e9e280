//! Perceptions that are stored together.

use crate::robot::Robot;
use robot_memory_core::api::{ErrorKind, SavePerceptionRequest};
use robot_memory_core::limits::BATCH_MAX;

fn perception(description: &str) -> SavePerceptionRequest {
    SavePerceptionRequest { description: description.into(), ..Default::default() }
}

#[test]
fn each_gets_its_own_answer_and_a_bad_one_leaves_the_others() {
    let robot = Robot::new();
    let session = robot.start_session();
    robot.end_session(&session);
    let of_ended =
        SavePerceptionRequest { session_id: session, ..perception("Contact at the rim") };
    let keyed = SavePerceptionRequest { idempotency_key: "k".into(), ..perception("A red cup") };
    let answers = robot
        .engine
        .save_perceptions(vec![
            keyed.clone(),
            perception("hm"),
            of_ended,
            keyed,
            perception("A blue cup"),
        ])
        .expect("the batch is stored");
    let id = |place: usize| answers[place].as_ref().map(|answer| answer.memory_id);
    assert_eq!((id(0), id(3), id(4)), (Ok(1), Ok(1), Ok(2)));
    let kind = |place: usize| answers[place].as_ref().map_err(|error| error.kind).unwrap_err();
    assert_eq!((kind(1), kind(2)), (ErrorKind::InvalidArgument, ErrorKind::InvalidState));
    assert_eq!(robot.recall("cup").total, 2);
    let robot = robot.pull_the_plug();
    assert_eq!(robot.recall("blue cup").memories[0].memory.id, 2);
    assert_eq!(robot.perceive("A green cup", ""), 3);
}

#[test]
fn an_empty_batch_is_nothing_and_too_long_a_one_is_refused() {
    let robot = Robot::words_only();
    assert_eq!(robot.engine.save_perceptions(Vec::new()), Ok(Vec::new()));
    let refused = robot.engine.save_perceptions(vec![perception("A cup"); BATCH_MAX + 1]);
    let error = refused.expect_err("it is too long");
    assert_eq!(error.message, "a batch has at most 1000 perceptions, got 1001");
    assert_eq!(robot.recall("cup").total, 0);
}

#[test]
fn a_batch_that_finds_the_store_full_stores_nothing() {
    let robot = Robot::with(|config| config.store_bytes_max = 900 * 1024);
    let data = format!("\"{}\"", "7".repeat(100_000));
    let heavy = SavePerceptionRequest { data, ..perception("A long trajectory") };
    let error = robot.engine.save_perceptions(vec![heavy; 20]).expect_err("there is no room");
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert_eq!(robot.recall("trajectory").total, 0);
    assert_eq!(robot.perceive("A short one of no weight", ""), 1);
}
