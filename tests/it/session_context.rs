//! A memory takes over from its session what it does not say itself.

use crate::robot::Robot;
use crate::scope_work::{do_jobs, get};
use robot_memory_core::api::{
    CommitTurn, CommitTurnRequest, Learn, LearnRequest, Recall, RecallRequest, SavePerception,
    SavePerceptionRequest, StartSession, StartSessionRequest, Update, UpdateRequest,
};

#[test]
fn what_is_stored_in_a_session_takes_over_what_it_does_not_say_itself() {
    let robot = Robot::with(|config| config.jobs.has_workers = true);
    let context = r#"{"env": {"sim_or_real": "real", "room": "lab"}, "robot": {"type": "UR5e"},
        "task": {"name": "insert"}, "params": {"force": 3}, "spatial": {"position": [1, 2]}}"#;
    let session_id = robot
        .call::<StartSession>(StartSessionRequest { context: context.into(), ..Default::default() })
        .session_id;
    let learn = |insight: &str, context: &str| {
        let request = LearnRequest {
            insight: insight.into(),
            context: context.into(),
            session_id: session_id.clone(),
            ..Default::default()
        };
        robot.call::<Learn>(request).memory_id
    };
    let plain = learn("The lid hangs on hook 7", "");
    let own = learn("The mug hangs on hook 8", r#"{"env": {"sim_or_real": "sim"}, "robot": 3}"#);
    let seen = robot
        .call::<SavePerception>(SavePerceptionRequest {
            description: "a dent in the tray".into(),
            session_id: session_id.clone(),
            ..Default::default()
        })
        .memory_id;
    robot.call::<CommitTurn>(CommitTurnRequest {
        session_id: session_id.clone(),
        turn_no: 1,
        text: "The spoon is on shelf B2.".into(),
        ..Default::default()
    });
    do_jobs(&robot);
    let apart = robot.learn("The pan hangs on hook 9").memory_id;
    let context = |id: i64| -> serde_json::Value {
        serde_json::from_str(&get(&robot, id).memory.context).unwrap_or_default()
    };
    let whole = serde_json::json!(
        {"env": {"sim_or_real": "real", "room": "lab"}, "robot": {"type": "UR5e"}});
    assert_eq!(context(plain), whole);
    assert_eq!(context(seen), whole);
    let expected = serde_json::json!({"env": {"sim_or_real": "sim", "room": "lab"}, "robot": 3});
    assert_eq!(context(own), expected);
    assert_eq!(context(apart), serde_json::Value::Null, "of no session");
    let of_type = robot.call::<Recall>(RecallRequest {
        context_filter: r#"{"robot.type": "UR5e"}"#.into(),
        scope: "all".into(),
        n: 20,
        ..Default::default()
    });
    let contents: Vec<&str> =
        of_type.memories.iter().map(|hit| hit.memory.content.as_str()).collect();
    for part in ["hook 7", "dent", "spoon"] {
        assert!(contents.iter().any(|content| content.contains(part)), "{contents:?}");
    }
    assert!(contents.iter().all(|content| !content.contains("hook 8")), "{contents:?}");
    let weights: Vec<f64> = of_type.memories.iter().map(|hit| hit.why.source_weight).collect();
    assert!(weights.iter().all(|weight| *weight == 1.5), "{weights:?}");
    // Said anew with a context of its own, the rest is taken over again.
    robot.call::<Update>(UpdateRequest {
        memory_id: plain,
        new_content: "The lid hangs on hook 6".into(),
        context: r#"{"env": {"room": "hall"}}"#.into(),
        ..Default::default()
    });
    let expected = serde_json::json!(
        {"env": {"sim_or_real": "real", "room": "hall"}, "robot": {"type": "UR5e"}});
    assert_eq!(context(plain), expected);
}

#[test]
fn what_a_session_says_of_the_world_comes_before_what_the_configuration_says() {
    let robot = Robot::with(|config| config.sim_or_real = "sim".into());
    let start = |context: &str| {
        let request = StartSessionRequest { context: context.into(), ..Default::default() };
        robot.call::<StartSession>(request).session_id
    };
    let learn = |insight: &str, session_id: &str| {
        let request = LearnRequest {
            insight: insight.into(),
            session_id: session_id.into(),
            ..Default::default()
        };
        let id = robot.call::<Learn>(request).memory_id;
        get(&robot, id).memory.context
    };
    let real = start(r#"{"env": {"sim_or_real": "real"}}"#);
    assert_eq!(learn("The lid hangs on hook 7", &real), r#"{"env":{"sim_or_real":"real"}}"#);
    assert_eq!(learn("The mug stands in box 4", ""), r#"{"env":{"sim_or_real":"sim"}}"#);
}
