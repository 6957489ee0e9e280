//! What mem0 has stored, as its `get_all` answers it: `{"results": [...]}`, or the list alone.

use super::brought::{Tally, key, or_now, stamp};
use crate::faces::cli::failure::Outcome;
use robot_memory_core::api::LearnRequest;
use robot_memory_core::limits::CONTENT_CHARS_MAX;
use robot_memory_core::model::{MemType, Scope, Source, Stamp, Trust};
use robot_memory_engine::{Engine, ForeignContent, ForeignMemory, ForeignSession};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Fields of a memory that become fields here; the others are in its context.
const OWN: [&str; 4] = ["memory", "metadata", "created_at", "score"];

/// The scope of what was of one that is none here: nobody sees it before somebody has said whose it is.
const UNSCOPED: &str = "unscoped";

/// An export.
pub struct Export {
    memories: Vec<Value>,
    /// What is beside the memories.
    notes: Vec<String>,
}

impl Export {
    /// Reads it.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(text: &str) -> Result<Self, String> {
        let no_export = |why: String| format!("it is no export of mem0: {why}");
        let read = serde_json::from_str(text).map_err(|error| no_export(error.to_string()))?;
        let mut object = match read {
            Value::Array(memories) => return Ok(Self { memories, notes: Vec::new() }),
            Value::Object(object) => object,
            _ => return Err(no_export("it is neither an object nor a list".to_owned())),
        };
        let Some(Value::Array(memories)) = object.remove("results") else {
            return Err(no_export("it has no list `results`".to_owned()));
        };
        let mut notes = Vec::new();
        if let Some(Value::Array(relations)) = object.remove("relations")
            && !relations.is_empty()
        {
            notes.push(format!("{} relations are not kept", relations.len()));
        }
        if let Some(Value::String(next)) = object.remove("next") {
            notes.push(format!("it is one page of several; the next one is {next}"));
        }
        Ok(Self { memories, notes })
    }
}

/// Brings over the memories, the oldest first: what was said later holds.
pub fn bring(engine: &Engine, export: &Export, tally: &mut Tally<'_>) -> Outcome {
    for note in &export.notes {
        tally.note(note)?;
    }
    let mut rows: Vec<(Option<Stamp>, usize, &Value)> = export
        .memories
        .iter()
        .enumerate()
        .map(|(place, row)| (row["created_at"].as_str().and_then(stamp), place, row))
        .collect();
    rows.sort_by_key(|(at, place, _)| (at.is_none(), *at, *place));
    // Whether they can be stored in, and the time of the latest memory.
    let mut sessions: BTreeMap<String, (bool, Stamp)> = BTreeMap::new();
    for (created_at, place, row) in rows {
        let name = name_of(row, place);
        let mut memory = match Row::read(row) {
            Ok(read) => read,
            Err(why) => {
                tally.leave_out(&name, vec![why])?;
                continue;
            }
        };
        if created_at.is_none() {
            memory.notes.push("its time is not known: as of now".to_owned());
        }
        if let Some(run_id) = row["run_id"].as_str().filter(|run_id| !run_id.is_empty()) {
            let at = or_now(created_at);
            if !sessions.contains_key(run_id) {
                let session = ForeignSession {
                    session_id: run_id.to_owned(),
                    collection: String::new(),
                    context: json!({ "mem0": { "run_id": run_id } }).to_string(),
                    started_at: at,
                };
                let is_open = tally.begin(engine, &session)?;
                sessions.insert(run_id.to_owned(), (is_open, at));
            }
            if let Some((is_open, latest)) = sessions.get_mut(run_id) {
                *latest = at.max(*latest);
                if *is_open {
                    memory.request.session_id = run_id.to_owned();
                } else {
                    memory.notes.push(format!("without its session {run_id}"));
                }
            }
        }
        let Row { request, notes } = memory;
        let said = ForeignContent::Statement(request);
        let foreign = ForeignMemory { said, created_at, confidence: None, told: None };
        tally.store(engine, &name, foreign, notes)?;
    }
    for (session_id, (_, latest)) in sessions {
        tally.end(engine, &session_id, None, latest)?;
    }
    Ok(())
}

/// By what a row is told: its id, or its place.
fn name_of(row: &Value, place: usize) -> String {
    match &row["id"] {
        Value::String(id) if !id.is_empty() => id.clone(),
        Value::Number(id) => id.to_string(),
        _ => format!("#{}", place + 1),
    }
}

/// A memory as a request, and what of it is not as it was.
struct Row {
    request: LearnRequest,
    notes: Vec<String>,
}

impl Row {
    fn read(row: &Value) -> Result<Self, String> {
        let Value::Object(fields) = row else { return Err("it is no object".to_owned()) };
        let Some(text) = fields.get("memory").and_then(Value::as_str) else {
            return Err("it has no text `memory`".to_owned());
        };
        let empty = Map::new();
        let metadata = fields.get("metadata").and_then(Value::as_object).unwrap_or(&empty);
        if metadata.get("archived") == Some(&json!(true)) {
            return Err("archived there".to_owned());
        }
        let mut notes = Vec::new();
        let context = context_of(fields, metadata, text, &mut notes);
        let is_given = |value: &Value| !value.is_null() && *value != "";
        let mut given = |field: &str, is_one: fn(&str) -> bool| {
            let value = metadata.get(field).filter(|value| is_given(value))?;
            let text = value.as_str().filter(|text| is_one(text));
            if text.is_none() {
                notes.push(format!("{field} {value} is none here"));
            }
            text.map(str::to_owned)
        };
        let scope = given("scope", |text| Scope::parse(text).is_ok());
        let source = given("source", |text| Source::parse(text).is_some());
        let trust = given("trust", |text| Trust::parse(text).is_some());
        let mem_type = given("mem_type", |text| MemType::parse(text).is_some());
        let agent_id = fields.get("agent_id").and_then(Value::as_str).unwrap_or_default();
        let scope = match scope {
            Some(scope) => scope,
            None if metadata.get("scope").is_some_and(is_given) => UNSCOPED.to_owned(),
            None if agent_id.is_empty() => String::new(),
            None => {
                let own = format!("agent:{agent_id}");
                if Scope::parse(&own).is_ok() {
                    own
                } else {
                    notes.push(format!("agent_id {agent_id:?} is none here"));
                    UNSCOPED.to_owned()
                }
            }
        };
        let importance = metadata.get("importance").and_then(Value::as_f64);
        let is_share = |it: &f64| (0.0..=1.0).contains(it);
        if let Some(importance) = importance.filter(|it| !is_share(it)) {
            notes.push(format!("importance {importance} is none here"));
        }
        let id = fields.get("id").map_or_else(String::new, |id| match id {
            Value::String(id) => id.clone(),
            id => id.to_string(),
        });
        let updated_at = fields.get("updated_at").and_then(Value::as_str).unwrap_or_default();
        let request = LearnRequest {
            insight: text.to_owned(),
            context,
            scope,
            source: source.unwrap_or_else(|| "migration".to_owned()),
            trust: trust.unwrap_or_default(),
            mem_type: mem_type.unwrap_or_default(),
            importance: importance.filter(is_share),
            idempotency_key: if id.is_empty() { id } else { key("mem0", &id, updated_at) },
            ..LearnRequest::default()
        };
        Ok(Self { request, notes })
    }
}

/// What becomes no field of a memory, as its context.
fn context_of(
    fields: &Map<String, Value>,
    metadata: &Map<String, Value>,
    text: &str,
    notes: &mut Vec<String>,
) -> String {
    let mut context = Map::new();
    let others = fields.iter().filter(|(name, value)| {
        !OWN.contains(&name.as_str()) && !value.is_null() && **value != json!([])
    });
    let others: Map<String, Value> =
        others.map(|(name, value)| (name.clone(), value.clone())).collect();
    if !others.is_empty() {
        context.insert("mem0".to_owned(), others.into());
    }
    if !metadata.is_empty() {
        context.insert("metadata".to_owned(), metadata.clone().into());
    }
    if text.trim().chars().count() > CONTENT_CHARS_MAX {
        context.insert("text".to_owned(), text.into());
        notes.push("all of it is in its context, as text".to_owned());
    }
    if context.is_empty() { String::new() } else { Value::Object(context).to_string() }
}
