//! What recall answers of a turn that tells of several attempts, by the end that its filter asks for.

use crate::robot::Robot;
use crate::steps::{JobClock, set_chat, step, take_in};
use robot_memory_core::api::{CommitTurn, CommitTurnRequest, Recall, RecallRequest};
use robot_memory_core::model::Stamp;
use serde_json::{Value, json};

fn robot() -> Robot {
    let robot = Robot::with(|config| JobClock::new().configure(config));
    robot.plug_in_embedder();
    robot
}

/// Hands a turn over, and has its job done.
fn tell(robot: &Robot, text: &str, data: &Value) -> String {
    let session = robot.start_session();
    let data = if data.is_null() { String::new() } else { data.to_string() };
    robot.call::<CommitTurn>(CommitTurnRequest { data, ..step(&session, 1, text) });
    take_in(robot);
    session
}

/// Words and context of what recall answers to a filter in the branch of a session.
fn found(robot: &Robot, session: &str, filter: &str) -> Vec<(String, Value)> {
    let response = robot.call::<Recall>(RecallRequest {
        scope: format!("branch:{session}/main"),
        context_filter: filter.into(),
        until: Some(Stamp(i64::MAX)),
        min_confidence: 0.0,
        n: 50,
        ..Default::default()
    });
    let memories = response.memories.into_iter().map(|hit| hit.memory);
    // What is said without a number has no context.
    let context = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
    memories.map(|it| (it.content, context(&it.context))).collect()
}

/// The values of all that recall answers, sorted, each once.
fn values(found: &[(String, Value)]) -> Vec<String> {
    let params = found.iter().filter_map(|(_, context)| context["params"].as_object());
    let mut values: Vec<String> = params
        .flat_map(|params| params.values())
        .map(|param| format!("{} {}", param["value"], param["unit"].as_str().unwrap_or_default()))
        .collect();
    values.sort();
    values.dedup();
    values
}

const WORKED: &str = r#"{"task.success": true}"#;
const FAILED: &str = r#"{"task.success": false}"#;

#[test]
fn a_filter_on_success_finds_what_worked_and_nothing_that_failed() {
    let result = |success: bool| json!({"result": {"success": success}});
    // A text, data, what worked and what failed.
    type Case<'c> = (&'c str, Value, &'c [&'c str], &'c [&'c str]);
    let cases: &[Case<'_>] = &[
        (
            "Picked the bracket at 22 N. It slipped. Picked the bracket at 26 N.",
            result(true),
            &["26 N"],
            &["22 N"],
        ),
        (
            "Warmed the plate to 60 °C, the glue did not melt. Warmed it to 85 °C and the part came free.",
            Value::Null,
            &["85 °C"],
            &["60 °C"],
        ),
        (
            "Ran the brush at 7 N, the mud stayed. Ran it at 12 N, the mud stayed. Gave up.",
            result(false),
            &[],
            &["12 N", "7 N"],
        ),
        (
            "The hatch was pulled at 15 N and did not move. At 24 N the hatch swung open.",
            Value::Null,
            &["24 N"],
            &["15 N"],
        ),
        ("用10牛插销失败，改用14牛成功", Value::Null, &["14 N"], &["10 N"]),
        ("拧瓶盖1牛米，没拧动。改成2牛米再拧。", result(true), &["2 N·m"], &["1 N·m"]),
        ("阀门转45度，水没关住。转90度，关住了。", Value::Null, &["90 °"], &["45 °"]),
        ("拔插头十八牛没拔出来，二十四牛也没拔出来。", result(false), &[], &["18 N", "24 N"]),
    ];
    for (text, data, worked, failed) in cases {
        let robot = robot();
        let session = tell(&robot, text, data);
        assert_eq!(values(&found(&robot, &session, WORKED)), *worked, "{text}");
        assert_eq!(values(&found(&robot, &session, FAILED)), *failed, "{text}");
    }
}

/// Words and data that disagree on the last attempt: it is found as neither, and says why.
#[test]
fn what_words_and_data_disagree_on_is_found_as_neither() {
    for (text, success) in [
        ("Pulled the plug at 12 N, it tore. Pulled the plug at 9 N, it tore as well.", true),
        ("Pulled the plug at 12 N, it tore. Pulled the plug at 9 N and succeeded.", false),
        ("拧瓶盖2牛米失败，又用3牛米拧，又失败了。", true),
        ("拧瓶盖2牛米失败，又用3牛米拧，成功了。", false),
    ] {
        let robot = robot();
        let session = tell(&robot, text, &json!({"result": {"success": success}}));
        assert_eq!(values(&found(&robot, &session, WORKED)), [""; 0], "{text}");
        assert_eq!(values(&found(&robot, &session, FAILED)).len(), 1, "{text}");
        let all = found(&robot, &session, "");
        let says_why = |(_, context): &(String, Value)| context["task"].get("conflict").is_some();
        assert!(all.iter().any(says_why), "{text}: {all:?}");
    }
}

/// What a person says to use stands beside the report, and is no attempt: it has no end, and takes none.
#[test]
fn what_is_said_to_be_used_is_no_attempt() {
    for (text, rule, worked, failed) in [
        (
            "From now on always use 8 N for the cup. Gripped the cup at 6 N and it slipped. \
             Gripped it at 10 N and it held.",
            "8 N",
            "10 N",
            "6 N",
        ),
        ("以后抓杯子都用8牛。用6牛抓杯子，滑了。用10牛抓，抓稳了。", "8牛", "10 N", "6 N"),
    ] {
        let robot = robot();
        let session = tell(&robot, text, &Value::Null);
        assert_eq!(values(&found(&robot, &session, WORKED)), [worked], "{text}");
        assert_eq!(values(&found(&robot, &session, FAILED)), [failed], "{text}");
        let all = found(&robot, &session, "");
        let is_rule = |it: &&(String, Value)| it.0.contains(rule) && !it.0.contains("10");
        let rules: Vec<_> = all.iter().filter(is_rule).collect();
        assert!(!rules.is_empty(), "{text}: {all:?}");
        assert!(rules.iter().all(|it| it.1["task"].get("success").is_none()), "{rules:?}");
    }
}

/// What a chat endpoint takes out of the same turn cannot say another end than the words do.
#[test]
fn a_chat_endpoint_makes_no_success_of_a_failure() {
    let robot = robot();
    set_chat(&robot, |_| {
        let facts = [
            json!({"kind": "rule", "text": "Always use 8 N for the cup", "sentence": 1}),
            json!({"kind": "outcome", "text": "Gripping the cup at 6 N succeeded", "sentence": 2}),
            json!({"kind": "outcome", "text": "Gripped the cup at 10 N and it held", "sentence": 3}),
        ];
        Ok(json!({ "facts": facts }).to_string())
    });
    let text = "Always use 8 N for the cup. Gripped the cup at 6 N and it slipped. \
                Gripped the cup at 10 N and it held.";
    let session = tell(&robot, text, &Value::Null);
    assert_eq!(values(&found(&robot, &session, WORKED)), ["10 N"]);
    assert_eq!(values(&found(&robot, &session, FAILED)), ["6 N"]);
    let all = found(&robot, &session, "");
    let rule = all.iter().find(|it| it.0.contains("8 N")).expect("the rule is kept");
    assert!(rule.1["task"].get("success").is_none(), "{rule:?}");
}
