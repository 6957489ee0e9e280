use crate::robot::{Robot, ids, sql};
use robot_memory_core::api::{ErrorKind, Forget, ForgetRequest};

fn request(memory_id: i64, reason: &str) -> ForgetRequest {
    ForgetRequest {
        memory_id,
        reason: reason.into(),
        scope: String::new(),
        agent: "planner".into(),
    }
}

#[test]
fn a_forgotten_memory_is_kept_for_audit_and_not_recalled() {
    let robot = Robot::new();
    let id = robot.learn("The red cup needs 15 N").memory_id;
    let response = robot.call::<Forget>(request(id, "sensor calibration error"));
    assert_eq!((response.status.as_str(), response.memory_id), ("forgotten", id));
    assert_eq!(response.content, "The red cup needs 15 N");
    assert_eq!(response.reason, "sensor calibration error");
    assert!(robot.recall("red cup").memories.is_empty());

    let path = robot.store_path();
    let kept = "SELECT content || '|' || status || '|' || invalidated_reason FROM memory";
    assert_eq!(
        sql::<String>(&path, kept),
        "The red cup needs 15 N|invalidated|sensor calibration error"
    );
    let robot = robot.restart();
    assert!(robot.recall("red cup").memories.is_empty());
}

#[test]
fn only_what_is_there_and_not_forgotten_can_be_forgotten() {
    let robot = Robot::new();
    let id = robot.learn("The red cup needs 15 N").memory_id;
    let cases = [
        (request(0, "x"), ErrorKind::InvalidArgument),
        (request(-3, "x"), ErrorKind::InvalidArgument),
        (request(id, ""), ErrorKind::InvalidArgument),
        (request(id, &"x".repeat(301)), ErrorKind::InvalidArgument),
        (request(id + 1, "x"), ErrorKind::NotFound),
    ];
    for (request, kind) in cases {
        let (found, message) = robot.refused::<Forget>(request);
        assert_eq!(found, kind, "{message}");
    }
    assert_eq!(ids(&robot.recall("red cup")), [id], "a refused call changed nothing");
    robot.call::<Forget>(request(id, "x"));
    assert_eq!(robot.refused::<Forget>(request(id, "x")).0, ErrorKind::InvalidState);
}
