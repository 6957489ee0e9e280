//! Resources: what a program may put before its model without a call of a tool, as JSON and pictures.

use super::calls::{Calls, Fields};
use super::views::{self, LIMITS, MEMORIES, view};
use crate::faces::wall_clock::WallClock;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use robot_memory_core::limits::{
    MCP_LIMIT_RECALLS_MAX, MCP_OPEN_ATTEMPTS_MAX, MCP_TOLD_MEMORIES_MAX, RECALL_N_MAX,
};
use robot_memory_core::model::Clock;
use serde_json::{Map, Value, json};

/// What all of them begin with.
const SCHEME: &str = "memory://";
const JSON: &str = "application/json";
const JPEG: &str = "image/jpeg";
/// When nothing was before.
const BEGINNING: &str = "1970-01-01T00:00:00Z";

/// Those that are always there.
pub(super) fn listed() -> Vec<Resource> {
    let listed = |path: &str, title: &str, description: &str| {
        Resource::new(format!("{SCHEME}{path}"), path)
            .with_title(title)
            .with_description(description)
            .with_mime_type(JSON)
    };
    vec![
        listed("now", "Now", "Open attempts and sessions, the newest memories, health, the time"),
        listed("limits", "Limits in force", "Constraints, and what they say of open attempts"),
        listed("report/latest", "Latest report", "Health, the last maintenance, the last week"),
    ]
}

/// Those that an id names.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |path: &str, name: &str, description: &str, mime_type: &str| {
        ResourceTemplate::new(format!("{SCHEME}{path}"), name)
            .with_description(description)
            .with_mime_type(mime_type)
    };
    vec![
        template("memory/{id}", "memory", "All of one memory", JSON),
        template("session/{id}", "session", "A session and its memories, the oldest first", JSON),
        template("keyframe/{id}.jpg", "keyframe", "The picture of a memory", JPEG),
    ]
}

/// What a URI names.
enum Named<'a> {
    Now,
    Limits,
    Report,
    Memory(i64),
    Session(&'a str),
    Keyframe(i64),
}

fn named(uri: &str) -> Option<Named<'_>> {
    let path = uri.strip_prefix(SCHEME)?;
    // As ids are written: no sign, no zero before.
    let id = |text: &str| {
        let id: i64 = text.parse().ok()?;
        (id > 0 && id.to_string() == text).then_some(id)
    };
    match path {
        "now" => return Some(Named::Now),
        "limits" => return Some(Named::Limits),
        "report/latest" => return Some(Named::Report),
        _ => {}
    }
    match path.split_once('/')? {
        ("memory", text) => id(text).map(Named::Memory),
        ("keyframe", text) => id(text.strip_suffix(".jpg")?).map(Named::Keyframe),
        ("session", text) => {
            let is_id = |c: char| c.is_ascii_alphanumeric() || c == '-';
            (!text.is_empty() && text.chars().all(is_id)).then_some(Named::Session(text))
        }
        _ => None,
    }
}

/// Reads one.
///
/// # Errors
/// When there is none of this URI, and when the memory does not answer.
pub(super) async fn read(calls: &Calls, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let nothing = || not_found(uri, "there is no such resource; see resources/list");
    let wrong = |error: String| error_of(&error, Some(json!({ "uri": uri })));
    let told = match named(uri).ok_or_else(nothing)? {
        Named::Keyframe(id) => {
            let jpeg = keyframe(calls, id).await.map_err(wrong)?;
            let jpeg = jpeg.ok_or_else(|| not_found(uri, "the memory has no picture"))?;
            let blob = ResourceContents::blob(jpeg, uri).with_mime_type(JPEG);
            return Ok(ReadResourceResult::new(vec![blob]));
        }
        Named::Now => now(calls).await,
        Named::Limits => limits(calls).await,
        Named::Report => report(calls).await,
        Named::Memory(id) => memory(calls, id).await,
        Named::Session(id) => session(calls, id).await,
    };
    let told = told.map_err(wrong)?;
    let text = ResourceContents::text(told.to_string(), uri).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![text]))
}

fn not_found(uri: &str, why: &str) -> ErrorData {
    ErrorData::resource_not_found(why.to_owned(), Some(json!({ "uri": uri })))
}

/// An error of an operation, which begins with its kind, as one of the protocol.
pub(super) fn error_of(error: &str, data: Option<Value>) -> ErrorData {
    match error.split(':').next() {
        Some("not_found") => ErrorData::resource_not_found(error.to_owned(), data),
        // Of an id that cannot be one.
        Some("invalid_argument") => ErrorData::invalid_params(error.to_owned(), data),
        Some("forbidden" | "unauthorized") => ErrorData::invalid_request(error.to_owned(), data),
        _ => ErrorData::internal_error(error.to_owned(), data),
    }
}

async fn now(calls: &Calls) -> Result<Value, String> {
    let status = calls.call("status", Fields::default()).await?;
    let open = Fields::default().with("status", "open").with("limit", MCP_OPEN_ATTEMPTS_MAX);
    let sessions = calls.call("list_sessions", open).await?["sessions"].take();
    let newest = newest().with("collections", json!(["*"])).with("n", MCP_OPEN_ATTEMPTS_MAX);
    let newest = view(&calls.call("recall", newest).await?, MEMORIES);
    // Memories have the time of the robot, which may be simulated.
    Ok(json!({
        "time_of_this_computer": WallClock.now().map(|now| now.rfc_3339()),
        "status": views::status(status),
        "open_attempts": view(&open_attempts(calls).await?, MEMORIES)["memories"],
        "open_sessions": views::each_whole(sessions),
        "newest": newest["memories"],
    }))
}

/// All memories, the newest first.
fn newest() -> Fields {
    Fields::default().with("since", BEGINNING).with("order", "newest").with("min_confidence", 0.0)
}

/// Attempts that were begun and have not ended, the newest first, as recall answers them.
async fn open_attempts(calls: &Calls) -> Result<Value, String> {
    let running = newest()
        .with("collections", json!(["*"]))
        .with("context_filter", json!({ "task.outcome": "running" }))
        .with("n", MCP_OPEN_ATTEMPTS_MAX);
    calls.call("recall", running).await
}

async fn limits(calls: &Calls) -> Result<Value, String> {
    let mut of_attempts = Vec::new();
    let attempts = open_attempts(calls).await?;
    for attempt in attempts["memories"].as_array().into_iter().flatten() {
        let context = &attempt["context"];
        let (task, object) = (&context["task"]["name"], &context["task"]["object"]);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let planned = Fields::default()
            .with_some("task", text(task))
            .with_some("object", text(object))
            .with_some("place", text(&context["spatial"]["place"]))
            .with_some("collection", text(&attempt["collection"]))
            .with_some(
                "params",
                context.get("params").filter(|params| params.is_object()).cloned(),
            );
        let said = match calls.call("check_action", planned).await {
            Ok(checked) => view(&checked, LIMITS),
            Err(error) => json!({ "error": error }),
        };
        let asked = json!({ "task_id": attempt["id"], "task": task, "object": object });
        of_attempts.push(json!({ "attempt": views::whole(asked), "check": said }));
    }
    let (constraints, is_complete) = constraints(calls).await?;
    Ok(json!({
        "constraints": constraints,
        "is_complete": is_complete,
        "of_open_attempts": of_attempts,
        "note": "check_action says which of them an action must keep to, and whether it does",
    }))
}

/// The constraints that the caller sees, the newest first, and whether these are all.
async fn constraints(calls: &Calls) -> Result<(Vec<Value>, bool), String> {
    // Nothing is bounded by this name: how many constraints there are is all that is wanted.
    let counted =
        Fields::default().with("params", json!({ "constraint_count": 0 })).with("collection", "*");
    let counted = calls.call("check_action", counted).await?;
    let count = counted["constraint_count"].as_u64().unwrap_or_default();
    let mut constraints = Vec::new();
    let mut until = None;
    for _ in 0..MCP_LIMIT_RECALLS_MAX {
        if constraints.len() as u64 >= count {
            break;
        }
        let facts = newest()
            .with("collections", json!(["*"]))
            .with("types", json!(["fact"]))
            .with("n", RECALL_N_MAX);
        let mut found = calls.call("recall", facts.with_some("until", until)).await?;
        let facts = found["memories"].as_array_mut().map(std::mem::take).unwrap_or_default();
        let (is_last, oldest) = (facts.len() < RECALL_N_MAX as usize, facts.last());
        until = oldest.and_then(|fact| fact["created_at"].as_str()).map(str::to_owned);
        found["memories"] =
            facts.into_iter().filter(|fact| fact["category"] == "constraint").collect();
        if let Value::Array(shown) = view(&found, MEMORIES)["memories"].take() {
            constraints.extend(shown);
        }
        if is_last {
            break;
        }
    }
    let is_complete = constraints.len() as u64 >= count;
    Ok((constraints, is_complete))
}

async fn report(calls: &Calls) -> Result<Value, String> {
    let status = views::status(calls.call("status", Fields::default()).await?);
    let mut report = Map::new();
    report.insert("status".to_owned(), status);
    let done = Fields::default()
        .with("job_type", "maintenance")
        .with("status", "succeeded")
        .with("sort_by", "updated_at")
        .with("limit", 1);
    let jobs = calls.call("list_jobs", done).await?;
    if let Some(job) = jobs["jobs"].get(0) {
        let job = json!({ "job_id": job["id"], "finished_at": job["finished_at"],
            "report": job["result"] });
        report.insert("maintenance".to_owned(), views::whole(job));
    }
    let summaries = newest().with("types", json!(["summary"])).with("n", RECALL_N_MAX);
    let mut summaries = calls.call("recall", summaries).await?;
    if let Some(memories) = summaries["memories"].as_array_mut() {
        let of_week = |summary: &Value| {
            summary["tags"].as_array().is_some_and(|tags| tags.iter().any(|tag| tag == "week"))
        };
        memories.retain(of_week);
        memories.truncate(1);
    }
    if let Some(week) = view(&summaries, MEMORIES)["memories"].get(0) {
        report.insert("week".to_owned(), week.clone());
    }
    Ok(Value::Object(report))
}

/// All of a memory.
pub(super) async fn memory(calls: &Calls, id: i64) -> Result<Value, String> {
    let wanted = Fields::default().with("memory_id", id);
    Ok(views::whole(calls.call("get_memory", wanted).await?))
}

/// A session, and its memories.
pub(super) async fn session(calls: &Calls, id: &str) -> Result<Value, String> {
    let shown = calls.call("get_session", Fields::default().with("session_id", id)).await?;
    let memories = Fields::default()
        .with("session_id", id)
        .with("order", "oldest")
        .with("min_confidence", 0.0)
        .with("collections", json!(["*"]))
        .with("n", MCP_TOLD_MEMORIES_MAX);
    let memories = view(&calls.call("recall", memories).await?, MEMORIES);
    Ok(json!({ "session": views::whole(shown), "memories": memories }))
}

/// The picture of a memory, in base64.
async fn keyframe(calls: &Calls, id: i64) -> Result<Option<String>, String> {
    let wanted = Fields::default().with("memory_id", id).with("include_data", true);
    let stored = calls.call("get_memory", wanted).await?;
    Ok(stored["data"]["image"]["thumbnail_jpeg"].as_str().map(str::to_owned))
}
