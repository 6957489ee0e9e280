//! What the guard is given: parameters of every form, and constraints that say nearly the same.

use crate::robot::Robot;
use robot_memory_core::api::{
    CheckAction, CheckActionRequest, CheckActionResponse, ErrorKind, Learn, LearnRequest,
    LearnStatus,
};

fn request(params: &str) -> CheckActionRequest {
    CheckActionRequest { params: params.into(), ..Default::default() }
}

fn check(robot: &Robot, request: CheckActionRequest) -> CheckActionResponse {
    robot.call::<CheckAction>(request)
}

#[test]
fn nothing_in_the_parameters_is_passed_over() {
    let bounds = r#"{"limits": [
        {"op": "<=", "value": 15, "unit": "N"},
        {"path": "joints.1", "op": "<=", "value": 1.5},
        {"path": "speed", "op": "<", "value": 1, "unit": "m/s"},
        {"path": "grip_force", "op": ">=", "value": 0, "unit": "N"}
    ]}"#;
    let robot = Robot::words_only();
    robot.learn_with("the rules of the cell", bounds);
    let cases = [
        (r#"{"push": [{"value": 14, "unit": "N"}, {"value": 15, "unit": "N"}]}"#, true),
        (r#"{"push": [{"value": 14, "unit": "N"}, {"value": 16, "unit": "N"}]}"#, false),
        (r#"{"steps": [{"name": "a"}, {"push": {"value": 16, "unit": "N"}}]}"#, false),
        (r#"{"steps": [[{"value": 16, "unit": "N"}]]}"#, false),
        (r#"{"push": {"value": [1, 16], "unit": "N"}}"#, false),
        (r#"{"push": {"value": [1, 15], "unit": "N"}}"#, true),
        (r#"{"grip_force": {"value": [-1, 2], "unit": "N"}}"#, false),
        (r#"{"push": {"value": 1, "unit": "N", "peak": {"value": 16, "unit": "N"}}}"#, false),
        (r#"{"push": {"value": null, "peak": {"value": 16, "unit": "N"}}}"#, false),
        (r#"{"push": {"value": {"value": 16, "unit": "N"}}}"#, false),
        (r#"{"joints": [9, 1.5]}"#, true),
        (r#"{"joints": [0, 1.6]}"#, false),
        (r#"{"arm_speed": [{"value": 1, "unit": "m/s"}]}"#, false),
        (r#"{"arm_speed": [{"value": 100, "unit": "cm/s"}]}"#, false),
    ];
    for (params, is_allowed) in cases {
        assert_eq!(check(&robot, request(params)).allowed, is_allowed, "{params}");
    }
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(40), "]".repeat(40));
    let (kind, message) = robot.refused::<CheckAction>(request(&deep));
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.contains("nested deeper than 16"), "{message}");
    let data = serde_json::to_string(&vec![1.0; 5000]).expect("numbers");
    assert!(check(&robot, request(&format!("{{\"cloud\": {data}}}"))).allowed);
}

#[test]
fn the_same_words_about_another_thing_are_not_lost() {
    let robot = Robot::words_only();
    let about = |object: &str| format!(r#"{{"task": {{"object": "{object}"}}}}"#);
    let words = "抓取力不得超过 15N";
    let id = robot.learn_with(words, &about("red cup"));
    let say = |context: String| {
        robot.engine.call::<Learn>(LearnRequest {
            insight: words.into(),
            context,
            ..Default::default()
        })
    };
    assert_eq!(say(about("red cup")).expect("a duplicate").existing_id, id);
    let refused = say(about("plate")).expect_err("it would not guard the plate");
    assert_eq!(refused.kind, ErrorKind::InvalidState);
    assert!(refused.message.starts_with(&format!("context: memory {id} ")), "{}", refused.message);
    // Other words with nearly as many in common that reach further are a constraint of their own.
    let narrow = robot.learn("On the line the grip force of the left arm must never exceed 12 N");
    let wide = robot.learn("On the line the force of the left arm must never exceed 12 N");
    assert_eq!(wide.status == LearnStatus::Created, wide.limits != narrow.limits);
}

#[test]
fn a_sentence_bounds_the_size_and_a_given_bound_the_number() {
    let cases = [
        ("Speed must stay below 0.5 m/s", "", r#"{"speed": {"value": -2, "unit": "m/s"}}"#, false),
        ("Speed must stay below 0.5 m/s", "", r#"{"speed": {"value": -0.4, "unit": "m/s"}}"#, true),
        ("抓取力不得超过 15N", "", r#"{"grip_force": {"value": -0.016, "unit": "kN"}}"#, false),
        ("抓取力不得超过 15N", "", r#"{"grip_force": {"value": -15, "unit": "N"}}"#, true),
        (
            "Temperature must stay below 40 °C",
            "",
            r#"{"temperature": {"value": -50, "unit": "°C"}}"#,
            true,
        ),
        (
            "the rule of the press",
            r#"{"limits": [{"path": "fz", "op": "<=", "value": 5, "unit": "N"}]}"#,
            r#"{"fz": {"value": -20, "unit": "N"}}"#,
            true,
        ),
    ];
    for (words, context, params, is_allowed) in cases {
        let robot = Robot::words_only();
        robot.learn_with(words, context);
        let response = check(&robot, request(params));
        assert_eq!(response.allowed, is_allowed, "{words}: {params}");
        assert_eq!(response.undecided_count, 0, "{words}: {params}");
    }
}
