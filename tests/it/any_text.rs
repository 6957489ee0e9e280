//! Texts and JSON of every form, in every request: refused or taken, and never a fault.

use crate::robot::Robot;
use proptest::prelude::*;
use robot_memory_core::api::{
    CheckAction, CheckActionRequest, ErrorKind, GetMemory, GetMemoryRequest, Learn, LearnRequest,
    Recall, RecallRequest, SavePerception, SavePerceptionRequest, StartSession,
    StartSessionRequest, Update, UpdateRequest,
};

/// Texts as a confused or hostile caller sends them.
fn texts() -> impl Strategy<Value = String> {
    let json = prop_oneof![
        Just("null".to_owned()),
        Just("1e400".to_owned()),
        Just("-0".to_owned()),
        Just("18446744073709551616".to_owned()),
        Just("\"\\ud800\"".to_owned()),
        any::<f64>().prop_map(|number| format!("{number:e}")),
        "\\PC{0,12}".prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    let json = json.prop_recursive(6, 40, 6, |inner| {
        let keys = prop_oneof![
            Just("limits".to_owned()),
            Just("params".to_owned()),
            Just("value".to_owned()),
            Just("unit".to_owned()),
            Just("path".to_owned()),
            Just("op".to_owned()),
            Just("spatial".to_owned()),
            Just("position".to_owned()),
            Just("task".to_owned()),
            Just("$and".to_owned()),
            "[a-z.$*]{0,6}",
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6)
                .prop_map(|all| format!("[{}]", all.join(","))),
            proptest::collection::vec((keys, inner), 0..6).prop_map(|all| {
                let pairs: Vec<String> =
                    all.into_iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
                format!("{{{}}}", pairs.join(","))
            }),
        ]
    });
    prop_oneof![
        8 => json,
        2 => "\\PC{0,80}",
        1 => any::<String>(),
        1 => (1..3000_usize).prop_map(|depth| "[".repeat(depth)),
        1 => (1..3000_usize).prop_map(|depth| "{\"a\":".repeat(depth)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_text_makes_a_fault(a in texts(), b in texts(), c in texts(), words in "\\PC{1,60}") {
        thread_local! {
            static ROBOT: Robot = Robot::words_only();
        }
        ROBOT.with(|robot| {
            let engine = &robot.engine;
            let errors = [
                engine.call::<Learn>(LearnRequest {
                    insight: words.clone(),
                    context: a.clone(),
                    ..Default::default()
                }).err(),
                engine.call::<Learn>(LearnRequest { insight: b.clone(), ..Default::default() }).err(),
                engine.call::<SavePerception>(SavePerceptionRequest {
                    description: format!("it saw {words}"),
                    data: a.clone(),
                    metadata: b.clone(),
                    context: c.clone(),
                    ..Default::default()
                }).err(),
                engine.call::<Update>(UpdateRequest {
                    memory_id: 1,
                    new_content: words.clone(),
                    context: c.clone(),
                    ..Default::default()
                }).err(),
                engine.call::<CheckAction>(CheckActionRequest {
                    params: a.clone(),
                    object: words.clone(),
                    place: b.clone(),
                    ..Default::default()
                }).err(),
                engine.call::<Recall>(RecallRequest {
                    query: words.clone(),
                    context_filter: a.clone(),
                    scope: b.clone(),
                    ..Default::default()
                }).err(),
                engine.call::<Recall>(RecallRequest {
                    query: words.clone(),
                    context_filter: c.clone(),
                    ..Default::default()
                }).err(),
                engine.call::<StartSession>(StartSessionRequest {
                    context: a.clone(),
                    collection: words.clone(),
                    ..Default::default()
                }).err(),
                engine.call::<GetMemory>(GetMemoryRequest {
                    memory_id: 1,
                    scope: a.clone(),
                    agent: b.clone(),
                    ..Default::default()
                }).err(),
            ];
            for error in errors.into_iter().flatten() {
                prop_assert_ne!(error.kind, ErrorKind::Internal, "{}", error);
            }
            Ok(())
        })?;
    }
}
