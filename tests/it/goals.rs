//! Goals of actions as attempts: each once, whatever is told again, also over the end of the node.

use crate::interfering::while_embedding;
use crate::robot::{Robot, START};
use crate::waiting::{queue, robot_at, until_well};
use robot_memory_core::api::{
    EndAttempt, EndAttemptRequest, ErrorKind, Forget, ForgetRequest, GetMemory, GetMemoryRequest,
    Update, UpdateRequest, Verdict,
};
use robot_memory_core::limits::{CONTEXT_BYTES_MAX, REASON_CHARS_MAX};
use robot_memory_core::model::Stamp;
use robot_memory_engine::{Engine, Goal, GoalEnd};
use serde_json::{Value, json};
use tempfile::TempDir;

fn goal(number: u8) -> Goal {
    Goal {
        action: "/arm/pick_cup".into(),
        type_name: "my_msgs/action/Pick".into(),
        goal_id: format!("{number:032x}"),
        began_at: Stamp(START.0 - 2_000_000_000),
        spatial: json!({"robot_position": [1.0, 2.0, 0.0], "frame": "map"}).to_string(),
        sim_or_real: "real".into(),
    }
}

fn end(attempt_id: i64, verdict: Verdict) -> GoalEnd {
    GoalEnd {
        attempt_id,
        verdict,
        reason: String::new(),
        measured: String::new(),
        ended_at: Some(START),
    }
}

fn context_of(robot: &Robot, id: i64) -> Value {
    context_in(&robot.engine, id)
}

fn context_in(engine: &Engine, id: i64) -> Value {
    let stored = engine.call::<GetMemory>(GetMemoryRequest { memory_id: id, ..Default::default() });
    serde_json::from_str(&stored.expect("it is there").memory.context).expect("JSON")
}

#[test]
fn a_goal_is_one_attempt_however_often_it_is_told_of() {
    let robot = Robot::words_only();
    let first = robot.engine.begin_goal(&goal(1)).expect("it is stored");
    assert!(first.is_first && first.is_open);
    // The robot is elsewhere when it is told of again.
    let elsewhere = Goal { spatial: String::new(), began_at: START, ..goal(1) };
    let again = robot.engine.begin_goal(&elsewhere).expect("it is known");
    assert_eq!((again.attempt_id, again.is_first, again.is_open), (first.attempt_id, false, true));
    let measured = json!({"error_code": 7}).to_string();
    let reason = "x".repeat(1_000);
    let failed = GoalEnd { measured, reason, ..end(first.attempt_id, Verdict::Failure) };
    assert_eq!(robot.engine.end_goal(failed), Ok(true));
    assert_eq!(robot.engine.end_goal(end(first.attempt_id, Verdict::Success)), Ok(false));
    let ended = robot.engine.begin_goal(&goal(1)).expect("it is known");
    assert!(!ended.is_first && !ended.is_open);
    let context = context_of(&robot, first.attempt_id);
    let task = &context["task"];
    let expected =
        json!(["pick_cup", "/arm/pick_cup", "my_msgs/action/Pick", "failure", false, 2.0]);
    let fields = ["name", "action", "action_type", "outcome", "success", "duration_secs"];
    assert_eq!(Value::from_iter(fields.map(|field| task[field].clone())), expected);
    assert_eq!(task["reason"].as_str().map(str::len), Some(REASON_CHARS_MAX));
    assert_eq!(
        (&context["measured"]["error_code"], &context["env"]["sim_or_real"]),
        (&json!(7), &json!("real"))
    );
    assert_eq!(context["spatial"]["frame"], "map");
    assert_ne!(robot.engine.begin_goal(&goal(2)).expect("another").attempt_id, first.attempt_id);
}

#[test]
fn a_goal_needs_no_agent() {
    let robot = Robot::with(|config| config.require_agent = true);
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    assert_eq!(robot.engine.interrupt_goal(id, "gone"), Ok(true));
    assert_eq!(robot.engine.end_goal(end(id, Verdict::Success)), Ok(true));
}

#[test]
fn a_goal_outlives_the_node() {
    let robot = Robot::words_only();
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    let robot = robot.restart();
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(context_of(&robot, id)["task"]["outcome"], "interrupted");
    let known = robot.engine.begin_goal(&goal(1)).expect("it is known");
    assert_eq!((known.attempt_id, known.is_first, known.is_open), (id, false, true));
    let late = GoalEnd { ended_at: None, ..end(id, Verdict::Success) };
    assert_eq!(robot.engine.end_goal(late), Ok(true));
    let context = context_of(&robot, id);
    assert_eq!(
        (&context["task"]["success"], &context["task"]["duration_secs"]),
        (&json!(true), &Value::Null)
    );
}

#[test]
fn a_goal_that_ends_while_it_is_being_marked_has_ended() {
    let robot = Robot::words_only();
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    let other = robot.engine.begin_goal(&goal(2)).expect("it is stored").attempt_id;
    let robot = robot.restart();
    while_embedding(&robot, "interrupted", move |engine| {
        engine.end_goal(end(id, Verdict::Success)).expect("its end is stored");
    });
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(context_of(&robot, id)["task"]["outcome"], "success");
    assert_eq!(context_of(&robot, other)["task"]["outcome"], "interrupted");
}

/// Adds to the context of an attempt who looks at it.
fn note_looked_at(engine: &Engine, id: i64) -> String {
    let mut context = context_in(engine, id);
    context["looked_at_by"] = json!("Ada");
    let update = UpdateRequest {
        memory_id: id,
        new_content: "Ada looks at pick_cup".into(),
        context: context.to_string(),
        ..UpdateRequest::default()
    };
    engine.call::<Update>(update).expect("it is taken").status
}

/// What is known of an attempt's outcome, by a caller and by the robot.
fn known_of(robot: &Robot, id: i64) -> [Value; 2] {
    let context = context_of(robot, id);
    [context["looked_at_by"].clone(), context["task"]["outcome"].clone()]
}

/// How an attempt comes to an end, or to a mark.
type Way<'a> = &'a dyn Fn(&Robot, i64);

#[test]
fn the_context_that_a_caller_writes_meanwhile_is_kept() {
    let ended = |robot: &Robot, id| {
        assert_eq!(robot.engine.end_goal(end(id, Verdict::Success)), Ok(true));
    };
    let failed = |robot: &Robot, attempt_id| {
        let outcome = "failure".into();
        let request = EndAttemptRequest { attempt_id, outcome, ..Default::default() };
        robot.call::<EndAttempt>(request);
    };
    let marked = |robot: &Robot, id| {
        assert_eq!(robot.engine.interrupt_goal(id, ""), Ok(true));
    };
    let ways: [(&str, Way<'_>); 3] =
        [("success", &ended), ("failure", &failed), ("interrupted", &marked)];
    for (outcome, finish) in ways {
        let robot = Robot::words_only();
        let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
        while_embedding(&robot, outcome, move |engine| drop(note_looked_at(engine, id)));
        finish(&robot, id);
        assert_eq!(known_of(&robot, id), [json!("Ada"), json!(outcome)]);
    }
}

#[test]
fn nothing_is_written_into_an_attempt_before_an_update_that_waits() {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    let robot = robot_at(&store);
    let begin = |number| robot.engine.begin_goal(&goal(number)).expect("it is stored").attempt_id;
    let ids = [begin(1), begin(2), begin(3)];
    robot.engine.block_writes(Some("the disk is nearly full".into()));
    for id in ids {
        assert_eq!(note_looked_at(&robot.engine, id), "queued");
    }
    robot.engine.block_writes(None);
    let refused = robot.engine.end_goal(end(ids[2], Verdict::Success)).expect_err("it waits");
    assert_eq!(refused.kind, ErrorKind::Unavailable, "{refused}");
    assert!(refused.message.contains("an update of attempt"), "{refused}");
    let marked = robot.engine.interrupt_goal(ids[2], "the server is gone");
    assert_eq!(marked, Err(refused.clone()));
    let request = EndAttemptRequest {
        attempt_id: ids[2],
        outcome: "failure".into(),
        ..EndAttemptRequest::default()
    };
    assert_eq!(robot.refused::<EndAttempt>(request), (refused.kind, refused.message));
    drop(robot);
    let robot = robot_at(&store);
    assert_eq!(queue(&robot).queued, 3);
    until_well(&robot);
    robot.engine.upkeep().expect("upkeep");
    for id in ids {
        assert_eq!(known_of(&robot, id), [json!("Ada"), json!("interrupted")]);
    }
    assert_eq!(robot.engine.end_goal(end(ids[2], Verdict::Success)), Ok(true));
    assert_eq!(known_of(&robot, ids[2]), [json!("Ada"), json!("success")]);
}

#[test]
fn an_attempt_that_cannot_be_marked_does_not_stop_upkeep() {
    let robot = Robot::words_only();
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    let other = robot.engine.begin_goal(&goal(2)).expect("it is stored").attempt_id;
    // "interrupted" is longer than "running".
    let mut context = context_of(&robot, id);
    context["note"] = json!("");
    let left = CONTEXT_BYTES_MAX - context.to_string().len();
    context["note"] = json!("n".repeat(left));
    robot.call::<Update>(UpdateRequest {
        memory_id: id,
        new_content: "a long note".into(),
        context: context.to_string(),
        ..UpdateRequest::default()
    });
    let robot = robot.restart();
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(context_of(&robot, id)["task"]["outcome"], "running");
    assert_eq!(context_of(&robot, other)["task"]["outcome"], "interrupted");
}

#[test]
fn an_interrupted_goal_can_come_back() {
    let robot = Robot::words_only();
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    assert_eq!(robot.engine.interrupt_goal(id, "the server is gone"), Ok(true));
    let task = &context_of(&robot, id)["task"];
    assert_eq!(
        (&task["outcome"], &task["reason"]),
        (&json!("interrupted"), &json!("the server is gone"))
    );
    assert_eq!(robot.engine.end_goal(end(id, Verdict::Cancelled)), Ok(true));
    let task = &context_of(&robot, id)["task"];
    assert_eq!((&task["outcome"], &task["reason"]), (&json!("cancelled"), &Value::Null));
    assert_eq!(robot.engine.interrupt_goal(id, "again"), Ok(false));
}

#[test]
fn what_was_forgotten_or_may_not_be_stored_is_not_ended() {
    let robot = Robot::words_only();
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    robot.call::<Forget>(ForgetRequest {
        memory_id: id,
        reason: "wrong".into(),
        ..Default::default()
    });
    assert_eq!(robot.engine.end_goal(end(id, Verdict::Success)), Ok(false));
    assert_eq!(robot.engine.interrupt_goal(id, "gone"), Ok(false));
    let id = robot.engine.begin_goal(&goal(2)).expect("it is stored").attempt_id;
    let secret = "password: hunter2-Zx81".to_owned();
    let told = GoalEnd { reason: secret, ..end(id, Verdict::Failure) };
    assert_eq!(robot.engine.end_goal(told).expect_err("a secret").kind, ErrorKind::Refused);
    assert_eq!(robot.engine.end_goal(end(id, Verdict::Failure)), Ok(true));
}
