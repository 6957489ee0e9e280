//! What a database of robotmem holds: active memories become memories, under the ids that are next; sessions keep
//! their ids.

use super::brought::{Tally, key, or_now, stamp};
use crate::faces::cli::failure::{Failure, Outcome};
use robot_memory_core::api::{LearnRequest, SavePerceptionRequest};
use robot_memory_core::model::Stamp;
use robot_memory_engine::foreign::{ForeignError, RobotmemFile, RobotmemMemory, RobotmemSession};
use robot_memory_engine::{Engine, ForeignContent, ForeignMemory, ForeignSession};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Why it was not brought over to its end.
pub enum Fault {
    Here(Failure),
    File(ForeignError),
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self::Here(failure)
    }
}

impl From<ForeignError> for Fault {
    fn from(error: ForeignError) -> Self {
        Self::File(error)
    }
}

impl Fault {
    /// Told with the file's path.
    pub fn into_failure(self, path: &Path) -> Failure {
        match self {
            Self::Here(failure) => failure,
            Self::File(error) => Failure::Given(format!("{}: {error}", path.display())),
        }
    }
}

/// Sessions by their ids: the collection, and the session when robotmem has it.
type Sessions = BTreeMap<String, KnownSession>;

struct KnownSession {
    collection: String,
    /// Whether memories can be stored in it.
    is_open: bool,
    /// The time of its latest memory.
    latest: Stamp,
    row: Option<RobotmemSession>,
}

/// Brings over sessions and memories.
pub fn bring(engine: &Engine, file: &RobotmemFile, tally: &mut Tally<'_>) -> Result<(), Fault> {
    let mut sessions = Sessions::new();
    let mut after = i64::MIN;
    loop {
        let rows = file.sessions_after(after)?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        for row in rows {
            if row.session_id.is_empty() {
                tally.leave_out_session(&format!("#{}", row.id), "it has no id".to_owned())?;
            } else {
                begin(engine, row, &mut sessions, tally)?;
            }
        }
    }
    let mut after = i64::MIN;
    loop {
        let ids = file.ids_after(after)?;
        let Some(last) = ids.last() else { break };
        after = *last;
        for id in ids {
            match file.memory(id) {
                Ok(row) => bring_memory(engine, row, &mut sessions, tally)?,
                // The others may be whole.
                Err(error) => tally.leave_out(&id.to_string(), vec![error.to_string()])?,
            }
        }
    }
    for (session_id, session) in sessions {
        let KnownSession { latest, row, .. } = session;
        match row {
            Some(row) if row.status == "active" => {}
            Some(row) => {
                let at = stamp(&row.updated_at).unwrap_or(latest);
                tally.end(engine, &session_id, row.score, at)?;
            }
            None => tally.end(engine, &session_id, None, latest)?,
        }
    }
    Ok(())
}

fn begin(
    engine: &Engine,
    row: RobotmemSession,
    sessions: &mut Sessions,
    tally: &mut Tally<'_>,
) -> Outcome {
    let context = object_of(&row.context).map_or_else(String::new, |it| it.to_string());
    let started_at = or_now(stamp(&row.created_at));
    let session = ForeignSession {
        session_id: row.session_id.clone(),
        collection: row.collection.clone(),
        context,
        started_at,
    };
    let is_open = tally.begin(engine, &session)?;
    sessions.insert(
        session.session_id,
        KnownSession {
            collection: session.collection,
            is_open,
            latest: started_at,
            row: Some(row),
        },
    );
    Ok(())
}

fn bring_memory(
    engine: &Engine,
    row: RobotmemMemory,
    sessions: &mut Sessions,
    tally: &mut Tally<'_>,
) -> Outcome {
    let name = row.id.to_string();
    if let Some(why) = why_left_out(&row) {
        return tally.leave_out(&name, vec![why]);
    }
    let mut notes = Vec::new();
    let created_at = stamp(&row.created_at);
    if created_at.is_none() {
        notes.push("its time is not known: as of now".to_owned());
    }
    let session_id = session_of(engine, &row, created_at, sessions, tally, &mut notes)?;
    let context = object_of(&row.context).map_or_else(String::new, |it| it.to_string());
    let idempotency_key = key("robotmem", &name, &row.updated_at);
    let said = if row.kind == "perception" {
        ForeignContent::Perception(SavePerceptionRequest {
            description: row.content,
            perception_type: row.perception_type,
            data: json_of(&row.perception_data),
            metadata: object_of(&row.perception_metadata)
                .map_or_else(String::new, |it| it.to_string()),
            context,
            collection: row.collection,
            session_id,
            source: "migration".to_owned(),
            idempotency_key,
            ..SavePerceptionRequest::default()
        })
    } else {
        ForeignContent::Statement(LearnRequest {
            insight: row.content,
            context,
            collection: row.collection,
            session_id,
            source: "migration".to_owned(),
            idempotency_key,
            ..LearnRequest::default()
        })
    };
    let memory = ForeignMemory { said, created_at, confidence: row.confidence, told: None };
    tally.store(engine, &name, memory, notes)
}

/// Why a row is no memory here; `None`: it is to be one.
fn why_left_out(row: &RobotmemMemory) -> Option<String> {
    match row.status.as_str() {
        "active" => {}
        "superseded" => {
            let by = row.superseded_by.map_or("another".to_owned(), |by| by.to_string());
            return Some(format!("superseded there by {by}"));
        }
        "invalidated" => return Some(format!("forgotten there: {}", row.invalidated_reason)),
        status => return Some(format!("its status there is {status:?}")),
    }
    match row.kind.as_str() {
        "fact" | "perception" => None,
        kind => Some(format!("its type there is {kind:?}")),
    }
}

/// The session that a row is stored in. One that robotmem only has by name begins with its first row.
fn session_of(
    engine: &Engine,
    row: &RobotmemMemory,
    created_at: Option<Stamp>,
    sessions: &mut Sessions,
    tally: &mut Tally<'_>,
    notes: &mut Vec<String>,
) -> Result<String, Failure> {
    let id = &row.session_id;
    if id.is_empty() {
        return Ok(String::new());
    }
    let at = or_now(created_at);
    if !sessions.contains_key(id) {
        let session = ForeignSession {
            session_id: id.clone(),
            collection: row.collection.clone(),
            context: String::new(),
            started_at: at,
        };
        let is_open = tally.begin(engine, &session)?;
        let collection = session.collection;
        sessions.insert(id.clone(), KnownSession { collection, is_open, latest: at, row: None });
    }
    let Some(session) = sessions.get_mut(id) else { return Ok(String::new()) };
    session.latest = session.latest.max(at);
    if !session.is_open {
        notes.push(format!("without its session {id}"));
        return Ok(String::new());
    }
    if session.collection != row.collection {
        notes.push(format!("without its session, which is of collection {}", session.collection));
        return Ok(String::new());
    }
    Ok(id.clone())
}

/// A context as an object; what is none is put into one as robotmem does.
fn object_of(text: &str) -> Option<Value> {
    if text.trim().is_empty() {
        return None;
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(mut object)) => {
            // Which of its tools wrote it says nothing here.
            if object.get("source") == Some(&json!("learn_tool")) {
                object.remove("source");
            }
            (!object.is_empty()).then_some(Value::Object(object))
        }
        _ => Some(Value::Object(Map::from_iter([("user_context".to_owned(), text.into())]))),
    }
}

/// Data as JSON; what is none is a text.
fn json_of(text: &str) -> String {
    let is_json = text.trim().is_empty() || serde_json::from_str::<Value>(text).is_ok();
    if is_json { text.to_owned() } else { Value::from(text).to_string() }
}
