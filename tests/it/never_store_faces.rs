//! What is never stored is refused over HTTP and by the tools of MCP, and neither the error nor the log tells it.

use crate::leak_faces::{Faces, Said};
use crate::never_store::{MARK, SECRETS, assert_no_trace, robot};
use serde_json::{Value, json};

/// Requests that store a text: `SECRET` stands where it may.
fn requests(id: i64, session_id: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("learn", json!({ "insight": "SECRET" })),
        ("learn", json!({ "insight": "The door is red", "context": { "note": "SECRET" } })),
        ("learn", json!({ "insight": "The door is red", "context": "{\"note\": \"SECRET\"}" })),
        ("learn", json!({ "insight": "The door is red", "idempotency_key": "SECRET" })),
        ("learn", json!({ "insight": "The door is red", "collection": "SECRET" })),
        ("save_perception", json!({ "description": "felt SECRET", "perception_type": "tactile" })),
        (
            "save_perception",
            json!({ "description": "felt a cup", "data": { "values": ["SECRET"] } }),
        ),
        (
            "save_perception",
            json!({ "description": "felt a cup", "metadata": { "a": { "b": "SECRET" } } }),
        ),
        ("update", json!({ "memory_id": id, "new_content": "SECRET" })),
        (
            "update",
            json!({ "memory_id": id, "new_content": "It is red", "context": { "note": "SECRET" } }),
        ),
        ("forget", json!({ "memory_id": id, "reason": "SECRET" })),
        ("begin_attempt", json!({ "task": "SECRET" })),
        ("begin_attempt", json!({ "task": "grip", "params": { "note": "SECRET" } })),
        ("begin_attempt", json!({ "task": "grip", "idempotency_key": "SECRET" })),
        ("end_attempt", json!({ "attempt_id": id, "outcome": "failure", "reason": "SECRET" })),
        (
            "end_attempt",
            json!({ "attempt_id": id, "outcome": "failure", "measured": { "note": "SECRET" } }),
        ),
        ("start_session", json!({ "context": { "note": "SECRET" } })),
        ("commit_turn", json!({ "session_id": session_id, "turn_no": 1, "text": "SECRET" })),
        (
            "commit_turn",
            json!({ "session_id": session_id, "turn_no": 1, "text": "x", "data": { "n": "SECRET" } }),
        ),
        ("merge_branch", json!({ "session_id": session_id, "branch_id": "SECRET" })),
    ]
}

/// Calls of tools that store a text.
fn calls(id: i64) -> Vec<(&'static str, Value)> {
    vec![
        ("learn", json!({ "statement": "SECRET" })),
        ("learn", json!({ "statement": "The door is red", "context": { "note": "SECRET" } })),
        ("learn", json!({ "statement": "The door is red", "kind": "SECRET" })),
        ("correct", json!({ "id": id, "statement": "SECRET" })),
        ("correct", json!({ "id": id, "reason": "SECRET" })),
        ("begin_task", json!({ "task": "SECRET" })),
        ("begin_task", json!({ "task": "grip", "object": "SECRET" })),
        ("begin_task", json!({ "task": "grip", "params": { "note": "SECRET" } })),
        ("end_task", json!({ "task_id": id, "outcome": "failure", "reason": "SECRET" })),
        (
            "end_task",
            json!({ "task_id": id, "outcome": "failure", "measured": { "note": "SECRET" } }),
        ),
        (
            "end_task",
            json!({ "task_id": id, "outcome": "failure", "params": { "note": "SECRET" } }),
        ),
        ("capture", json!({ "reason": "SECRET" })),
    ]
}

/// Forms of the page that hold a text: a form more is a line more.
const FORMS: [(&str, &str); 4] = [
    ("/memories/ID/correct", "content=SECRET"),
    ("/memories/ID/forget", "reason=SECRET"),
    ("/memories/ID/restore", "reason=SECRET"),
    ("/memories/ID/judge", "judgment=pinned&reason=SECRET"),
];

/// The same with a secret in its place.
fn with(request: &Value, secret: &str) -> Value {
    let quoted = json!(secret).to_string();
    let text = request.to_string();
    // In a text of JSON within the request it is quoted twice.
    let twice = json!(quoted.trim_matches('"')).to_string();
    let text = text.replace("\\\"SECRET\\\"", &format!("\\\"{}\\\"", twice.trim_matches('"')));
    serde_json::from_str(&text.replace("SECRET", quoted.trim_matches('"'))).expect("JSON")
}

fn assert_refused(said: &Said, what: &str) {
    assert!(!said.is_ok(), "{what} was stored: {}", said.body);
    assert!(said.body.contains("holds what is never stored"), "{what}: {}", said.body);
    assert!(!said.body.contains(MARK), "{what} is told: {}", said.body);
}

#[test]
fn secrets_are_refused_at_every_way_in() {
    let robot = robot();
    let id = robot.learn_with("The cup is red", "");
    let session_id = robot.start_session();
    let faces = Faces::of(&robot);
    for (_, secret) in SECRETS {
        for (operation, request) in requests(id, &session_id) {
            let said = faces.post("", operation, &with(&request, secret));
            assert_refused(&said, &format!("{operation} {request}"));
            assert_eq!(said.status, 422, "{}", said.body);
        }
        for (tool, arguments) in calls(id) {
            let said = faces.tool("planner", tool, with(&arguments, secret));
            // This robot hears no streams: nothing is looked at.
            if tool != "capture" {
                assert_refused(&said, &format!("{tool} {arguments}"));
            }
            assert!(!said.is_ok() && !said.body.contains(MARK), "{tool}: {}", said.body);
        }
        for (path, form) in FORMS {
            let path = path.replace("ID", &id.to_string());
            let said = faces.form("", &path, &form.replace("SECRET", &percent(secret)));
            assert_refused(&said, &path);
            assert_eq!(said.status, 422, "{}", said.body);
        }
    }
    let key = "sk-abcdefghij7319046825";
    for operation in ["learn", "save_perception", "begin_attempt"] {
        let fields = json!({ "insight": "The door is red" });
        let fields = if operation == "learn" { fields } else { json!({ "task": "grip" }) };
        let fields = if operation == "save_perception" {
            json!({ "description": "felt a cup" })
        } else {
            fields
        };
        let said = faces.post_with_key("", operation, key, &fields);
        assert_refused(&said, &format!("Idempotency-Key of {operation}"));
    }
    drop(faces);
    assert_no_trace(robot);
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn a_secret_that_is_only_asked_for_or_misplaced_is_not_logged() {
    let robot = robot();
    let faces = Faces::of(&robot);
    for (_, secret) in SECRETS {
        faces.post("planner", "recall", &json!({ "query": secret }));
        faces.post("planner", "recall", &json!({ "n": secret, secret: 1 }));
        faces.post("planner", "recall", &json!({ "agent": secret }));
        // What the engine refuses is logged.
        let refused = faces.post("planner", "recall", &json!({ "query": "x", "order": secret }));
        assert_eq!(refused.status, 400, "{}", refused.body);
        faces.post("planner", &percent(secret), &json!({}));
        faces.tool("planner", "recall", json!({ "query": secret, "n": secret }));
        faces.tool("planner", secret, json!({}));
        faces.get("planner", &format!("/?query={}", percent(secret)));
        faces.exchange("GET", "/", &format!("Authorization: Bearer {MARK}\r\n"), "");
        faces.exchange("GET", &format!("/login?token={MARK}"), "", "");
    }
    drop(faces);
    assert_no_trace(robot);
}
