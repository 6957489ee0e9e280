//! Attempts: a memory from the beginning on, ended once, interrupted by the end of the node.

use crate::robot::Robot;
use robot_memory_core::api::{
    BeginAttempt, BeginAttemptRequest, CheckAction, CheckActionRequest, EndAttempt,
    EndAttemptRequest, EndAttemptResponse, ErrorKind, GetMemory, GetMemoryRequest, Learn,
    LearnRequest, Recall, RecallRequest, Verdict,
};
use robot_memory_core::model::{Category, LedgerChange, MemType};
use serde_json::{Value, json};

fn begin(robot: &Robot, object: &str, params: &Value) -> i64 {
    let request = BeginAttemptRequest {
        task: "pick".into(),
        object: object.into(),
        params: params.to_string(),
        context: json!({"spatial": {"object_position": [1.0, 2.0, 0.5]}}).to_string(),
        ..Default::default()
    };
    robot.call::<BeginAttempt>(request).attempt_id
}

fn end(attempt_id: i64, outcome: &str) -> EndAttemptRequest {
    EndAttemptRequest { attempt_id, outcome: outcome.into(), ..Default::default() }
}

fn context_of(robot: &Robot, id: i64) -> Value {
    let stored = robot.call::<GetMemory>(GetMemoryRequest { memory_id: id, ..Default::default() });
    serde_json::from_str(&stored.memory.context).expect("JSON")
}

#[test]
fn an_attempt_is_a_memory_with_its_outcome_as_fields() {
    let robot = Robot::new();
    let id = begin(&robot, "red cup", &json!({"force_n": 12}));
    assert_eq!(context_of(&robot, id)["task"]["outcome"], "running");
    robot.sleep_days(2.5 / 86_400.0);
    let ended: EndAttemptResponse = robot.call::<EndAttempt>(EndAttemptRequest {
        score: Some(0.25),
        reason: "slipped".into(),
        measured: json!({"force_n": 11.2}).to_string(),
        ..end(id, "failure")
    });
    assert_eq!((ended.attempt_id, ended.outcome, ended.duration_secs), (id, Verdict::Failure, 2.5));
    let context = context_of(&robot, id);
    assert_eq!(
        context["task"],
        json!({
            "name": "pick", "object": "red cup", "outcome": "failure", "success": false, "score": 0.25,
            "reason": "slipped", "duration_secs": 2.5
        })
    );
    assert_eq!(
        (&context["params"]["force_n"], &context["measured"]["force_n"]),
        (&json!(12), &json!(11.2))
    );
    let found = robot.call::<Recall>(RecallRequest {
        context_filter: json!({"task.success": false, "measured.force_n": {"$lt": 12}}).to_string(),
        ..Default::default()
    });
    assert_eq!(found.memories.len(), 1);
    assert_eq!(found.memories[0].memory.content, "pick red cup: failure, slipped, force_n 12");
}

#[test]
fn an_attempt_ends_once() {
    let robot = Robot::words_only();
    let id = begin(&robot, "cup", &json!({}));
    let request = EndAttemptRequest { idempotency_key: "k".into(), ..end(id, "success") };
    let first = robot.call::<EndAttempt>(request.clone());
    assert_eq!(robot.call::<EndAttempt>(request), first);
    let (again, _) = robot.refused::<EndAttempt>(end(id, "failure"));
    assert_eq!(again, ErrorKind::InvalidState);
    assert_eq!(context_of(&robot, id)["task"]["success"], true);
    let learned = robot
        .call::<Learn>(LearnRequest { insight: "the cup is red".into(), ..Default::default() });
    let (none, _) = robot.refused::<EndAttempt>(end(learned.memory_id, "success"));
    assert_eq!(none, ErrorKind::InvalidState);
}

#[test]
fn what_is_given_wrongly_is_named() {
    let robot = Robot::words_only();
    let id = begin(&robot, "cup", &json!({}));
    let ends = [
        (EndAttemptRequest { outcome: "done".into(), ..end(id, "") }, "outcome"),
        (end(id, ""), "outcome"),
        (EndAttemptRequest { score: Some(1.5), ..end(id, "success") }, "score"),
        (EndAttemptRequest { reason: "x".repeat(301), ..end(id, "success") }, "reason"),
        (EndAttemptRequest { measured: "[1]".into(), ..end(id, "success") }, "measured"),
        (EndAttemptRequest { used_ids: vec![0], ..end(id, "success") }, "used_ids"),
        (end(0, "success"), "attempt_id"),
    ];
    for (request, field) in ends {
        let (kind, message) = robot.refused::<EndAttempt>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument, "{field}");
        assert!(message.starts_with(field), "{message}");
    }
    let begins = [
        (BeginAttemptRequest::default(), "task"),
        (BeginAttemptRequest { task: "x".repeat(61), ..Default::default() }, "task"),
        (
            BeginAttemptRequest {
                task: "pick".into(),
                context: r#"{"task": {"success": true}}"#.into(),
                ..Default::default()
            },
            "context.task",
        ),
    ];
    for (request, field) in begins {
        let (kind, message) = robot.refused::<BeginAttempt>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument, "{field}");
        assert!(message.starts_with(field), "{message}");
    }
}

#[test]
fn used_memories_get_credit_and_blame() {
    let robot = Robot::words_only();
    let insight = "prefer the left gripper for cups".into();
    let used = robot.call::<Learn>(LearnRequest { insight, ..Default::default() }).memory_id;
    for outcome in ["success", "success", "failure", "cancelled"] {
        let id = begin(&robot, "cup", &json!({}));
        let ended = robot
            .call::<EndAttempt>(EndAttemptRequest { used_ids: vec![used], ..end(id, outcome) });
        let expected = |is: &str| if outcome == is { vec![used] } else { vec![] };
        assert_eq!(ended.credited_ids, expected("success"));
        assert_eq!(ended.blamed_ids, expected("failure"));
    }
    let stored =
        robot.call::<GetMemory>(GetMemoryRequest { memory_id: used, ..Default::default() });
    let ledger: Vec<_> = stored.ledger.iter().map(|it| (it.change, it.repetitions)).collect();
    assert_eq!(ledger, [(LedgerChange::Credited, 2), (LedgerChange::Blamed, 1)]);
    let id = begin(&robot, "cup", &json!({}));
    let unknown = EndAttemptRequest { used_ids: vec![9_999], ..end(id, "success") };
    let (kind, _) = robot.refused::<EndAttempt>(unknown);
    assert_eq!(kind, ErrorKind::NotFound);
    assert_eq!(context_of(&robot, id)["task"]["outcome"], "running", "nothing was changed");
}

#[test]
fn an_attempt_that_the_end_left_open_was_interrupted_and_can_be_ended() {
    let robot = Robot::new();
    let id = begin(&robot, "cup", &json!({"force_n": 9}));
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(context_of(&robot, id)["task"]["outcome"], "running", "it goes on");
    let robot = robot.restart();
    robot.engine.upkeep().expect("upkeep");
    let context = context_of(&robot, id);
    assert_eq!(context["task"]["outcome"], "interrupted");
    assert_eq!(context["task"].get("success"), None);
    let ended = robot.call::<EndAttempt>(end(id, "success"));
    assert_eq!(ended.outcome, Verdict::Success);
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(context_of(&robot, id)["task"]["success"], true);
}

#[test]
fn a_reason_makes_no_rule_of_an_attempt() {
    let robot = Robot::words_only();
    let id = begin(&robot, "cup", &json!({}));
    robot.call::<EndAttempt>(EndAttemptRequest {
        reason: "the force must never exceed 5 N".into(),
        ..end(id, "failure")
    });
    let stored = robot.call::<GetMemory>(GetMemoryRequest { memory_id: id, ..Default::default() });
    assert_eq!(stored.memory.mem_type, MemType::TaskLog);
    assert_ne!(stored.memory.category, Some(Category::Constraint));
    let checked = robot.call::<CheckAction>(CheckActionRequest {
        params: json!({"force_n": 50}).to_string(),
        ..Default::default()
    });
    assert_eq!((checked.allowed, checked.constraint_count), (true, 0));
}
