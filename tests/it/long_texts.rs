//! Texts of a megabyte, in each field of each operation: refused, or cut, and never quoted in full.

use crate::robot::Robot;
use robot_memory_core::api::{
    CancelJob, CheckAction, ClearMemories, CommitTurn, CompactScope, Compare, DeleteMemory,
    EndSession, Forget, GetJob, GetMemory, GetSession, GetStatus, Import, Learn, ListCollections,
    ListJobs, ListLevels, ListScopes, ListSessions, MergeBranch, Operation, RebuildScope, Recall,
    Report, RestoreBackup, RestoreMemory, RetryJob, RunMaintenance, SavePerception, StartSession,
    Stats, Timeline, Unlearn, Update,
};
use robot_memory_engine::{Engine, Run};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What no error may hold: more than it may quote.
const QUOTED_MAX: usize = 64;

/// Long texts that are read in different ways.
fn long_texts() -> Vec<String> {
    let mut texts = Vec::new();
    for length in [70, 250, 5_000, 1_000_000] {
        let long = "x".repeat(length);
        texts.extend([
            long.clone(),
            format!(" {long}"),
            format!("/{long}"),
            format!("group:{long}"),
            format!("session:{long}"),
            format!("branch:{long}"),
            format!("branch:s/{long}"),
            format!("global:{long}"),
            format!("[\"{long}\",\"{long}\"]"),
            format!("{{\"{long}\":1}}"),
            format!("{{\"{long}\":{{\"value\":1,\"unit\":2}}}}"),
            format!("{{\"force\":\"{long}\"}}"),
            format!("{{\"force\":{{\"value\":1,\"unit\":\"{long}\"}}}}"),
            format!("{{\"force\":{{\"${long}\":1}}}}"),
            format!("{{\"force\":{{\"$lt\":\"{long}\"}}}}"),
            format!("{{\"limits\":[{{\"op\":\"{long}\",\"value\":1,\"unit\":\"N\"}}]}}"),
            format!("{{\"limits\":[{{\"op\":\"max\",\"value\":1,\"unit\":\"{long}\"}}]}}"),
            format!("{{\"limits\":[{{\"{long}\":1}}]}}"),
            format!("{{\"{long}"),
        ]);
    }
    texts
}

/// Calls an operation with each long text in each of its fields, and nothing else out of order.
fn try_all<Op: Operation>(robot: &Robot, given: Value, refused: &mut usize)
where
    Op::Request: Default + Serialize + DeserializeOwned,
    Engine: Run<Op>,
{
    let mut base = serde_json::to_value(Op::Request::default()).expect("it serializes");
    let fields = base.as_object_mut().expect("an object");
    for (field, value) in given.as_object().expect("an object") {
        *fields.get_mut(field).unwrap_or_else(|| panic!("{} has no {field}", Op::NAME)) =
            value.clone();
    }
    let fields: Vec<String> = fields.keys().cloned().collect();
    let texts = long_texts();
    for field in fields {
        for text in &texts {
            let mut request = base.clone();
            request[&field] = match &base[&field] {
                Value::String(_) => json!(text),
                Value::Array(_) => json!([text]),
                _ => continue,
            };
            let Ok(request) = serde_json::from_value::<Op::Request>(request) else { continue };
            let Err(error) = robot.engine.call::<Op>(request) else { continue };
            *refused += 1;
            let place = format!("{}, {field}: {:.80}", Op::NAME, text);
            assert!(error.message.chars().count() <= 1_000, "{place}: {:.300}", error.message);
            // A name that may be one is named; of all else only the beginning is quoted.
            let longest = error.message.split(|c| c != 'x').map(str::len).max();
            let most = if text.len() < 300 { 256 } else { QUOTED_MAX };
            assert!(longest <= Some(most), "{place}: {:.300}", error.message);
        }
    }
}

#[test]
fn errors_stay_short_whatever_is_given() {
    let robot = Robot::with(|config| config.jobs.has_workers = true);
    let id = robot.learn_with("the cup is red", "");
    let session = robot.start_session();
    let refused = &mut 0;
    try_all::<Learn>(&robot, json!({"insight": "the bowl is blue"}), refused);
    try_all::<SavePerception>(&robot, json!({"description": "saw a red cup"}), refused);
    try_all::<Update>(&robot, json!({"memory_id": id, "new_content": "the cup is red"}), refused);
    try_all::<Forget>(&robot, json!({"memory_id": 9_999, "reason": "broken"}), refused);
    try_all::<RestoreMemory>(&robot, json!({"memory_id": 9_999, "reason": "mended"}), refused);
    try_all::<DeleteMemory>(&robot, json!({"memory_id": 9_999}), refused);
    try_all::<GetMemory>(&robot, json!({"memory_id": id}), refused);
    try_all::<ClearMemories>(&robot, json!({"level": "core", "collection": "none"}), refused);
    try_all::<Recall>(&robot, json!({"query": "cup"}), refused);
    try_all::<CheckAction>(&robot, json!({"params": "{\"force\": 1}", "task": "grip"}), refused);
    try_all::<Compare>(&robot, json!({"task": "grip"}), refused);
    try_all::<StartSession>(&robot, json!({}), refused);
    try_all::<EndSession>(&robot, json!({"session_id": "none"}), refused);
    try_all::<GetSession>(&robot, json!({"session_id": session}), refused);
    try_all::<ListSessions>(&robot, json!({}), refused);
    try_all::<Timeline>(&robot, json!({}), refused);
    try_all::<Unlearn>(&robot, json!({"stream": "wrist"}), refused);
    let turn = json!({"session_id": session, "turn_no": 1, "text": "the tray is full"});
    try_all::<CommitTurn>(&robot, turn, refused);
    let merge = json!({"session_id": session, "branch_id": "main"});
    try_all::<MergeBranch>(&robot, merge, refused);
    try_all::<ListLevels>(&robot, json!({}), refused);
    try_all::<ListCollections>(&robot, json!({}), refused);
    try_all::<ListJobs>(&robot, json!({}), refused);
    try_all::<ListScopes>(&robot, json!({}), refused);
    try_all::<GetJob>(&robot, json!({"job_id": 9_999}), refused);
    try_all::<RetryJob>(&robot, json!({"job_id": 9_999}), refused);
    try_all::<CancelJob>(&robot, json!({"job_id": 9_999}), refused);
    try_all::<RunMaintenance>(&robot, json!({"scope": "global"}), refused);
    try_all::<RebuildScope>(&robot, json!({"scope": "global"}), refused);
    try_all::<CompactScope>(&robot, json!({"scope": "global"}), refused);
    try_all::<Import>(&robot, json!({"path": "/nowhere"}), refused);
    try_all::<GetStatus>(&robot, json!({}), refused);
    try_all::<Stats>(&robot, json!({}), refused);
    try_all::<Report>(&robot, json!({}), refused);
    try_all::<RestoreBackup>(&robot, json!({"name": "latest"}), refused);
    assert!(*refused > 3_000, "{refused} were refused");
}

#[test]
fn what_is_too_long_is_refused_before_it_is_looked_at() {
    let robot = Robot::new();
    // A secret in it would be refused otherwise, once all of it is read.
    let long = format!("password: hunter2hunter2 {}", "x ".repeat(500_000));
    for field in ["insight", "context", "turn_id", "level", "agent"] {
        let request = serde_json::from_value(json!({ field: long })).expect("a request");
        let (kind, message) = robot.refused::<Learn>(request);
        assert_eq!(kind.as_str(), "invalid_argument", "{message}");
        assert!(message.starts_with(&format!("{field}: at most ")), "{message}");
        assert!(message.ends_with(&format!("got {}", long.len())), "{message}");
    }
}
