//! 500 requests to a store that an earlier engine wrote are answered as they were recorded.
//!
//! `recorded_store.db.zst` is half a year of a robot's life, by the engine of ea03f1a (schema 7):
//! `tests/fixtures/recorded_store.rs` wrote it. A line of `recorded_answers.jsonl` is the time, the operation,
//! the request and the answer. `UPDATE_ANSWERS=1` writes the answers anew; say in the commit why they changed.

use crate::robot::{SetClock, config};
use crate::steps::JobClock;
use robot_memory_core::api::{
    CheckAction, CheckActionResponse, CheckedLimit, Compare, CompareResponse, Contrast, GetJob,
    GetMemory, GetSession, Hit, JobResponse, KeyCount, ListCollections, ListJobs, ListLevels,
    ListScopes, ListSessions, Operation, Recall, RecallResponse, Stats, StatsResponse,
    StoredMemory,
};
use robot_memory_core::model::{Clock, Memory, ScopeState, Session, Stamp};
use robot_memory_embedding::HashedEmbedder;
use robot_memory_engine::{Engine, Run};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Numbers may differ by so much, relative to the greater of them and 1. Logarithms, powers and exponentials
/// come from the system's mathematical library, and with `exact` cosines from sqlite-vec, whose order of
/// addition depends on the processor; the last bits of both differ between platforms.
const TOLERANCE: f64 = 1e-6;

/// Only some agents read or write beyond the global scope.
const ACCESS: &str = "
agents:
  - {names: [chief], read: all, write: all, sessions: all}
  - names: [skill_*]
    read: [global, 'agent:{agent}', 'group:cell-7']
    write: ['agent:{agent}']
    sessions: own
  - {names: [cleaner], read: [{scope: global, mem_types: [lesson, procedure]}]}
  - {names: [mute], read: []}
default: {read: global}
";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Opens a copy of the store: migrated, and with all derived rows made anew.
fn open(folder: &TempDir, clock: &Arc<SetClock>, first_now: Stamp) -> Engine {
    let path = folder.path().join("memory.db");
    let packed = std::fs::read(fixture("recorded_store.db.zst")).expect("the store is there");
    let store = zstd::decode_all(packed.as_slice()).expect("it is packed");
    std::fs::write(&path, store).expect("it is copied");
    clock.set(first_now);
    let mut config = config(&path);
    JobClock::new().configure(&mut config);
    config.access = Some(ACCESS.into());
    let (engine, opened) =
        Engine::open(config, Arc::clone(clock) as Arc<dyn Clock>).expect("it opens");
    assert!(opened.memory_count > 600, "{} memories", opened.memory_count);
    engine.set_embedder(Ok(Some(Arc::new(HashedEmbedder::new(64))))).expect("it is taken");
    while engine.upkeep().expect("upkeep") {}
    engine
}

#[test]
fn requests_are_answered_as_they_were() {
    let path = fixture("recorded_answers.jsonl");
    let lines = std::fs::read_to_string(&path).expect("the requests are there");
    let mut records: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    assert_eq!(records.len(), 500);
    let now = |record: &Value| Stamp(record["now"].as_i64().expect("a time"));
    let (folder, clock) = (TempDir::new().expect("a folder"), Arc::new(SetClock::default()));
    let engine = open(&folder, &clock, now(&records[0]));
    let mut differing = Vec::new();
    for (number, record) in records.iter_mut().enumerate() {
        clock.set(now(record));
        let answer = ask(&engine, record["op"].as_str().expect("a name"), &record["request"]);
        let mut found = Vec::new();
        differences("", &record["answer"], &answer, &mut found);
        if !found.is_empty() {
            let (op, request) = (&record["op"], &record["request"]);
            let few: Vec<&str> = found.iter().take(6).map(String::as_str).collect();
            let more = found.len() - few.len();
            differing.push(format!(
                "line {}: {op} {request}\n  {}\n  and {more} more",
                number + 1,
                few.join("\n  ")
            ));
            record["answer"] = answer;
        }
    }
    if std::env::var_os("UPDATE_ANSWERS").is_some() {
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        std::fs::write(&path, lines.join("\n") + "\n").expect("the answers are written");
        println!("{} answers are new", differing.len());
        return;
    }
    let few: Vec<&str> = differing.iter().take(5).map(String::as_str).collect();
    assert!(
        differing.is_empty(),
        "{} of {} answers differ, recorded and now:\n{}",
        differing.len(),
        records.len(),
        few.join("\n")
    );
}

/// What differs, each with where it stands. Lists of ids are shown whole.
fn differences(at: &str, recorded: &Value, now: &Value, found: &mut Vec<String>) {
    match (recorded, now) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            if !is_near(a.as_f64(), b.as_f64()) {
                found.push(format!("{at}: {a} and {b}"));
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() && !are_ids(a, b) => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{at}[{index}]"), a, b, found);
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            let more = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(more) {
                let of = |map: &Map<String, Value>| map.get(key).cloned().unwrap_or_default();
                let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                differences(&path, &of(a), &of(b), found);
            }
        }
        (a, b) if a == b => {}
        (a, b) => found.push(format!("{at}: {} and {}", cut(a), cut(b))),
    }
}

fn is_near(a: Option<f64>, b: Option<f64>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0)
}

fn are_ids(a: &[Value], b: &[Value]) -> bool {
    a.iter().chain(b).all(Value::is_i64)
}

fn cut(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Calls the operation of a line.
fn ask(engine: &Engine, op: &str, request: &Value) -> Value {
    match op {
        "recall" => call::<Recall>(engine, request, |answer| recalled(&answer)),
        "get_memory" => call::<GetMemory>(engine, request, |answer| stored(&answer)),
        "check_action" => call::<CheckAction>(engine, request, |answer| checked(&answer)),
        "compare" => call::<Compare>(engine, request, |answer| compared(&answer)),
        "list_collections" => call::<ListCollections>(
            engine,
            request,
            |answer| json!({"collections": counts(&answer.collections), "memory_count": answer.memory_count}),
        ),
        "list_levels" => call::<ListLevels>(engine, request, |answer| {
            let level = |it: &_| plain(it, &["level", "memory_count", "collection_count"]);
            json!({"levels": answer.levels.iter().map(level).collect::<Vec<_>>()})
        }),
        "list_sessions" => call::<ListSessions>(engine, request, |answer| {
            let sessions: Vec<Value> = answer.sessions.iter().map(session).collect();
            json!({"sessions": sessions, "total": answer.total, "has_more": answer.has_more})
        }),
        "get_session" => call::<GetSession>(engine, request, |answer| {
            json!({
                "session": session(&answer.session), "by_type": counts(&answer.by_type),
                "by_category": counts(&answer.by_category), "branches": answer.branches,
            })
        }),
        "stats" => call::<Stats>(engine, request, |answer| counted(&answer)),
        "list_scopes" => call::<ListScopes>(engine, request, |answer| {
            let scopes: Vec<Value> = answer.scopes.iter().map(scope).collect();
            json!({"scopes": scopes, "total": answer.total, "has_more": answer.has_more})
        }),
        "list_jobs" => call::<ListJobs>(engine, request, |answer| {
            let jobs: Vec<Value> = answer.jobs.iter().map(job).collect();
            json!({"jobs": jobs, "total": answer.total, "has_more": answer.has_more})
        }),
        "get_job" => call::<GetJob>(engine, request, |answer| job(&answer)),
        other => panic!("no line can ask for {other:?}"),
    }
}

/// The answer as it is recorded; of a refusal its kind and the field that it is about, since its words may
/// change.
fn call<Op: Operation>(
    engine: &Engine,
    given: &Value,
    shown: impl Fn(Op::Response) -> Value,
) -> Value
where
    Engine: Run<Op>,
    Op::Request: DeserializeOwned + Serialize,
{
    let request: Op::Request = serde_json::from_value(given.clone()).expect("a request");
    let read = serde_json::to_value(&request).expect("JSON");
    for (key, value) in given.as_object().expect("an object") {
        assert!(says(&read[key], value), "{}: {key} was not read", Op::NAME);
    }
    match engine.call::<Op>(request) {
        Ok(answer) => without_nothing(shown(answer)),
        Err(error) => {
            let field = error.message.split_once(": ").map_or("", |(field, _)| field);
            json!({"error": error.kind.as_str(), "field": field})
        }
    }
}

/// Without what is null, empty, false or 0: most of an answer is.
fn without_nothing(value: Value) -> Value {
    let is_nothing = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Bool(true) => false,
    };
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| (key, without_nothing(value)));
            Value::Object(fields.filter(|(_, value)| !is_nothing(value)).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nothing).collect()),
        other => other,
    }
}

fn recalled(answer: &RecallResponse) -> Value {
    let hit = |hit: &Hit| {
        let Memory { id, confidence, access_count, last_accessed, data, metadata, .. } =
            &hit.memory;
        json!({
            "id": id,
            "score": hit.score,
            "spatial_distance": hit.spatial_distance,
            "confidence": confidence,
            "access_count": access_count,
            "last_accessed": last_accessed,
            "data_and_metadata_bytes": [data.len(), metadata.len()],
            "context_before": hit.context_before,
            "context_after": hit.context_after,
            "conflicts_with": hit.conflicts_with,
            "why": hit.why,
        })
    };
    json!({
        "ids": answer.memories.iter().map(|hit| hit.memory.id).collect::<Vec<_>>(),
        "total": answer.total,
        "mode": answer.mode,
        "approximate": answer.approximate,
        "counts": counts(&answer.counts),
        "better_collections": answer.better_collections,
        "memories": answer.memories.iter().map(hit).collect::<Vec<_>>(),
    })
}

fn memory(memory: &Memory) -> Value {
    let Memory { data, metadata, context, .. } = memory;
    json!({
        "id": memory.id, "collection": memory.collection, "level": memory.level, "scope": memory.scope,
        "type": memory.kind, "category": memory.category, "mem_type": memory.mem_type,
        "content": memory.content, "human_summary": memory.human_summary, "context": context,
        "perception_type": memory.perception_type, "data": data, "metadata": metadata,
        "session_id": memory.session_id, "turn_id": memory.turn_id, "agent": memory.agent,
        "source": memory.source, "trust": memory.trust, "confidence": memory.confidence,
        "decay_rate": memory.decay_rate, "importance": memory.importance, "tags": memory.tags,
        "scope_files": memory.scope_files, "scope_entities": memory.scope_entities,
        "status": memory.status, "superseded_by": memory.superseded_by, "parent_id": memory.parent_id,
        "access_count": memory.access_count, "last_accessed": memory.last_accessed,
        "created_at": memory.created_at, "updated_at": memory.updated_at,
        "decayed_until": memory.decayed_until, "restored_at": memory.restored_at,
        "known_at": memory.known_at,
    })
}

fn stored(answer: &StoredMemory) -> Value {
    let entry = |it: &robot_memory_core::api::LedgerEntry| {
        json!([
            it.change,
            it.cause,
            it.value_before,
            it.value_after,
            it.repetitions,
            it.began_at,
            it.changed_at
        ])
    };
    let change = |it: &robot_memory_core::api::MemoryChange| {
        json!([it.operation, it.agent, it.changed_at, it.content, it.context])
    };
    json!({
        "memory": memory(&answer.memory),
        "invalidated_reason": answer.invalidated_reason,
        "invalidated_at": answer.invalidated_at,
        "superseded_rule": answer.superseded_rule,
        "supersedes": answer.supersedes,
        "children": answer.children,
        "limits": answer.limits,
        "turns": answer.turns,
        "ledger": answer.ledger.iter().map(entry).collect::<Vec<_>>(),
        "fades": answer.fades,
        "retention": answer.retention,
        "half_life_days": answer.half_life_days,
        "archives_at": answer.archives_at,
        "history": answer.history.iter().map(change).collect::<Vec<_>>(),
        "embedding_model": answer.embedding_model,
        "embedding": answer.embedding,
    })
}

fn checked(answer: &CheckActionResponse) -> Value {
    let limit = |it: &CheckedLimit| {
        plain(it, &["memory_id", "path", "op", "bound", "unit", "given", "source", "trust"])
    };
    json!({
        "allowed": answer.allowed,
        "allowed_by": answer.allowed_by.as_str(),
        "violations": answer.violations.iter().map(limit).collect::<Vec<_>>(),
        "undecided": answer.undecided.iter().map(limit).collect::<Vec<_>>(),
        "undecided_count": answer.undecided_count,
        "checked_count": answer.checked_count,
        "constraint_count": answer.constraint_count,
    })
}

fn compared(answer: &CompareResponse) -> Value {
    let contrast = |it: &Contrast| {
        json!({
            "path": it.path, "kind": it.kind, "unit": it.unit, "value": it.value,
            "effect": it.effect, "effect_low": it.effect_low,
            "counts": [it.success_count, it.failure_count, it.success_with_value, it.failure_with_value],
            "success_range": it.success_range, "failure_range": it.failure_range,
        })
    };
    json!({
        "counts": [answer.success_count, answer.failure_count, answer.unknown_count],
        "success_rate": answer.success_rate,
        "success_rate_interval": answer.success_rate_interval,
        "contrasts": answer.contrasts.iter().map(contrast).collect::<Vec<_>>(),
        "success_ids": answer.success_ids,
        "failure_ids": answer.failure_ids,
        "summary": answer.summary,
    })
}

/// But for the size and the schema of the file.
fn counted(answer: &StatsResponse) -> Value {
    json!({
        "memory_count": answer.memory_count,
        "by_status": counts(&answer.by_status),
        "by_type": counts(&answer.by_type),
        "by_category": counts(&answer.by_category),
        "by_collection": counts(&answer.by_collection),
        "by_level": counts(&answer.by_level),
        "oldest_created_at": answer.oldest_created_at,
        "newest_created_at": answer.newest_created_at,
        "sessions": [answer.open_sessions, answer.ended_sessions],
        "vectors_by_model": counts(&answer.vectors_by_model),
        "missing_vectors": answer.missing_vectors,
    })
}

fn session(session: &Session) -> Value {
    json!({
        "session_id": session.session_id, "collection": session.collection,
        "status": session.status, "interrupted": session.interrupted, "agent": session.agent,
        "context": session.context, "outcome_score": session.outcome_score,
        "memory_count": session.memory_count, "started_at": session.started_at,
        "ended_at": session.ended_at,
    })
}

fn scope(state: &ScopeState) -> Value {
    json!({
        "scope": state.scope.to_string(), "revision": state.revision,
        "last_processed_turn_no": state.last_processed_turn_no,
        "last_compaction_at": state.last_compaction_at, "updated_at": state.updated_at,
    })
}

fn job(answer: &JobResponse) -> Value {
    let job = &answer.job;
    json!({
        "id": job.id, "scope": job.scope.to_string(), "job_type": job.job_type,
        "status": job.status, "turn_id": job.turn_id, "result": job.result,
        "attempt_count": job.attempt_count, "created_at": job.created_at,
        "finished_at": job.finished_at,
    })
}

/// Each key with its count, in the order of the answer.
fn counts(counts: &[KeyCount]) -> Value {
    counts.iter().map(|it| json!([it.key, it.count])).collect()
}

/// These fields of what has a JSON form.
fn plain(value: &impl Serialize, keys: &[&str]) -> Value {
    let mut all = serde_json::to_value(value).expect("JSON");
    keys.iter().map(|key| ((*key).to_owned(), all[*key].take())).collect::<Map<_, _>>().into()
}

/// Whether a value has all that another one has; fields of its own have their defaults.
fn says(read: &Value, given: &Value) -> bool {
    match (read.as_object(), given.as_object()) {
        (Some(read), Some(given)) => given.iter().all(|(key, value)| says(&read[key], value)),
        _ => read == given,
    }
}
