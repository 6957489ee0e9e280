//! What differed between success and failure.

use crate::experience::{insertion, log};
use crate::robot::Robot;
use robot_memory_core::api::{
    Compare, CompareRequest, CompareResponse, ContrastKind, ErrorKind, Learn, LearnRequest,
};
use robot_memory_core::model::Stamp;
use serde_json::json;

fn compare(robot: &Robot, task: &str) -> CompareResponse {
    robot.call::<Compare>(CompareRequest { task: task.into(), ..Default::default() })
}

/// Of 20 attempts those above 12 N failed, most of them with the hard gripper; the light was as it was.
fn robot() -> Robot {
    let robot = Robot::words_only();
    for number in 0..20 {
        let success = number < 14;
        let force =
            if success { 8.0 + f64::from(number % 4) } else { 13.0 + f64::from(number - 14) };
        let context = json!({
            "task": {"name": "insert", "object": "M8 bolt", "success": success},
            "params": {"force": {"value": force * 1000.0, "unit": "mN"}, "gripper": if number < 12 { "soft" } else { "hard" }},
            "env": {"light_lux": 300 + (number * 7) % 20},
        });
        log(&robot, "global", "an attempt", &context);
    }
    robot
}

#[test]
fn what_differed_most_surely_comes_first() {
    let robot = robot();
    let answer = compare(&robot, "insertion");
    assert_eq!((answer.success_count, answer.failure_count, answer.unknown_count), (14, 6, 0));
    assert!((answer.success_rate - 0.7).abs() < 1e-12);
    let force = &answer.contrasts[0];
    assert_eq!(
        (force.path.as_str(), force.kind, force.unit.as_str()),
        ("params.force", ContrastKind::Number, "mN")
    );
    assert_eq!(force.effect, -1.0);
    assert!(force.effect_low < -0.4 && force.effect_low > -1.0, "{}", force.effect_low);
    assert_eq!((force.success_range[0], force.success_range[4]), (8000.0, 11000.0));
    assert_eq!((force.failure_range[0], force.failure_range[4]), (13000.0, 18000.0));
    let gripper = &answer.contrasts[1];
    assert_eq!((gripper.path.as_str(), gripper.value.as_str()), ("params.gripper", "\"soft\""));
    assert_eq!((gripper.success_with_value, gripper.failure_with_value), (12, 0));
    let light =
        answer.contrasts.iter().find(|it| it.path == "env.light_lux").expect("it differs a little");
    assert_eq!(light.effect_low, 0.0);
    assert_eq!((answer.success_ids.len(), answer.failure_ids.len()), (14, 6));
    assert!(answer.success_ids.is_sorted_by(|a, b| a > b));
    assert!(
        answer.summary.starts_with("insert of M8 bolt succeeded 14 of 20 times"),
        "{}",
        answer.summary
    );
    for name in ["insert M8 bolt", "insert of M8 bolt", "Insert"] {
        assert_eq!(compare(&robot, name).contrasts, answer.contrasts, "{name}");
    }
}

#[test]
fn filters_are_those_of_recall() {
    let robot = robot();
    insertion(&robot, "group:a", false, 1.0);
    log(
        &robot,
        "global",
        "cup",
        &json!({"task": {"name": "insert", "object": "cup", "success": true}}),
    );
    let ask = |request: CompareRequest| {
        let answer = robot.call::<Compare>(CompareRequest { task: "insert".into(), ..request });
        (answer.success_count, answer.failure_count)
    };
    let plain = CompareRequest::default;
    assert_eq!(ask(plain()), (15, 6));
    assert_eq!(ask(CompareRequest { object: "m8 Bolt".into(), ..plain() }), (14, 6));
    assert_eq!(ask(CompareRequest { scope: "all".into(), ..plain() }), (15, 7));
    assert_eq!(
        ask(CompareRequest { scope: "group:a".into(), object: "M8 bolt".into(), ..plain() }),
        (14, 7)
    );
    let filter = r#"{"params.gripper": "hard"}"#;
    assert_eq!(ask(CompareRequest { context_filter: filter.into(), ..plain() }), (2, 6));
    assert_eq!(ask(CompareRequest { since: Some(Stamp(i64::MAX)), ..plain() }), (0, 0));
    assert_eq!(ask(CompareRequest { collection: "other".into(), ..plain() }), (0, 0));
    assert_eq!(ask(CompareRequest { agent: "planner".into(), ..plain() }), (15, 6));
    let (kind, message) = robot.refused::<Compare>(CompareRequest { n: 101, ..plain() });
    assert_eq!(
        (kind, message.as_str()),
        (ErrorKind::InvalidArgument, "n: must be 1 to 100, got 101")
    );
    let wrong = CompareRequest { context_filter: "{".into(), ..plain() };
    assert_eq!(robot.refused::<Compare>(wrong).0, ErrorKind::InvalidArgument);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let robot = Robot::words_only();
    let none = compare(&robot, "insert");
    assert_eq!((none.success_count, none.success_rate_interval.len()), (0, 0));
    assert_eq!(none.summary, "no attempts found");
    for force in [13.0, 14.0] {
        insertion(&robot, "global", false, force);
    }
    let failed = compare(&robot, "insert");
    assert_eq!((failed.failure_count, failed.contrasts.len()), (2, 0));
    assert!(
        failed.summary.ends_with("none succeeded, so there is nothing to compare with"),
        "{}",
        failed.summary
    );
}

#[test]
fn rules_are_no_attempts() {
    let robot = Robot::words_only();
    let learn = |insight: &str, context: &str| {
        robot.call::<Learn>(LearnRequest {
            insight: insight.into(),
            context: context.into(),
            ..Default::default()
        })
    };
    learn("lesson: inserting the bolt failed because the force was 14 N", "");
    assert_eq!(compare(&robot, "insert").summary, "no attempts found");
    learn("The bolt went in at 9 N", r#"{"task": {"name": "insert", "success": true}}"#);
    assert_eq!(compare(&robot, "insert").success_count, 1);
    assert_eq!(compare(&robot, "").success_count, 1);
}
