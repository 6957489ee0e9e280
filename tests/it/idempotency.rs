use crate::robot::{Robot, sql};
use robot_memory_core::api::{
    ErrorKind, Learn, LearnRequest, LearnStatus, SavePerception, SavePerceptionRequest,
};

fn learn(insight: &str, key: &str) -> LearnRequest {
    LearnRequest { insight: insight.into(), idempotency_key: key.into(), ..Default::default() }
}

#[test]
fn a_repeated_call_answers_as_the_first_one_did() {
    let robot = Robot::new();
    let first = robot.call::<Learn>(learn("the cup is red", "key-1"));
    assert_eq!(first.status, LearnStatus::Created);
    assert_eq!(robot.call::<Learn>(learn("the cup is red", "key-1")), first);
    let robot = robot.restart();
    assert_eq!(robot.call::<Learn>(learn("the cup is red", "key-1")), first);
    let without = robot.call::<Learn>(learn("the cup is red", ""));
    assert_eq!(without.status, LearnStatus::Duplicate);

    let perceive = || SavePerceptionRequest {
        description: "saw a cup".into(),
        idempotency_key: "key-1".into(),
        ..Default::default()
    };
    let first = robot.call::<SavePerception>(perceive());
    assert_eq!(robot.call::<SavePerception>(perceive()), first);
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory"), 2);
}

#[test]
fn a_repeated_duplicate_is_the_same_duplicate() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    let first = robot.call::<Learn>(learn("the cup is red", "key-2"));
    assert_eq!(first.status, LearnStatus::Duplicate);
    assert_eq!(robot.call::<Learn>(learn("the cup is red", "key-2")), first);
}

#[test]
fn a_key_stands_for_one_request() {
    let robot = Robot::new();
    robot.call::<Learn>(learn("the cup is red", "key-3"));
    let (kind, message) = robot.refused::<Learn>(learn("the cup is blue", "key-3"));
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.starts_with("idempotency_key"), "{message}");
}

#[test]
fn a_failed_call_does_not_use_up_its_key() {
    let robot = Robot::new();
    robot.refused::<Learn>(LearnRequest {
        session_id: "none such".into(),
        ..learn("the cup is red", "key-4")
    });
    assert_eq!(robot.call::<Learn>(learn("the cup is red", "key-4")).status, LearnStatus::Created);
}
