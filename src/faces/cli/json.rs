//! Answers as JSON: the fields of the services, by the same names.
//!
//! A text that is not given is empty, any other value that is not given is null. Times are RFC 3339
//! in UTC. Stored JSON stays as it was written, so that no digit and no order of keys is lost; only
//! line breaks between its parts become spaces. Structs are taken fully apart, so that a new field
//! does not compile until it is decided about here.

use super::values::rfc_3339;
use robot_memory_core::api::{
    Hit, KeyCount, LedgerEntry, MemoryChange, Mode, RecallResponse, StatsResponse, StoredMemory,
    Why,
};
use robot_memory_core::model::{
    Category, Kind, LedgerChange, Level, Limit, MemType, Memory, PerceptionType, Scope, Source,
    Stamp, Status, SupersededRule, Trust, TurnSource,
};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;

/// The answer of Recall.
#[derive(Serialize)]
pub struct RecallJson {
    memories: Vec<HitJson>,
    total: u64,
    mode: Mode,
    approximate: bool,
    counts: Vec<KeyCount>,
    better_collections: Vec<String>,
    query_ms: f64,
    plan: String,
}

impl From<RecallResponse> for RecallJson {
    fn from(response: RecallResponse) -> Self {
        let RecallResponse {
            memories,
            total,
            mode,
            approximate,
            counts,
            better_collections,
            query_ms,
            plan,
        } = response;
        let memories = memories.into_iter().map(HitJson::from).collect();
        Self { memories, total, mode, approximate, counts, better_collections, query_ms, plan }
    }
}

#[derive(Serialize)]
struct HitJson {
    #[serde(flatten)]
    memory: MemoryJson,
    score: f64,
    spatial_distance: Option<f64>,
    context_before: String,
    context_after: String,
    conflicts_with: Vec<i64>,
    why: Why,
}

impl From<Hit> for HitJson {
    fn from(hit: Hit) -> Self {
        let Hit {
            memory,
            score,
            spatial_distance,
            context_before,
            context_after,
            conflicts_with,
            why,
        } = hit;
        let memory = MemoryJson::from(memory);
        Self { memory, score, spatial_distance, context_before, context_after, conflicts_with, why }
    }
}

/// The answer of GetMemory, and a line of an export.
#[derive(Serialize)]
pub struct StoredJson {
    #[serde(flatten)]
    memory: MemoryJson,
    invalidated_reason: String,
    invalidated_at: Option<Time>,
    superseded_rule: Option<SupersededRule>,
    // What other rows say of it is not part of an export.
    #[serde(skip_serializing_if = "String::is_empty")]
    superseded_why: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    limits: Vec<Limit>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    turns: Vec<TurnSource>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ledger: Vec<LedgerJson>,
    fades: bool,
    retention: f64,
    half_life_days: f64,
    archives_at: Option<Time>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<ChangeJson>,
    embedding_model: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    embedding: Vec<f32>,
}

impl From<StoredMemory> for StoredJson {
    fn from(stored: StoredMemory) -> Self {
        let StoredMemory {
            memory,
            invalidated_reason,
            invalidated_at,
            superseded_rule,
            superseded_why,
            supersedes,
            children,
            limits,
            turns,
            ledger,
            fades,
            retention,
            half_life_days,
            archives_at,
            history,
            embedding_model,
            embedding,
        } = stored;
        Self {
            memory: memory.into(),
            invalidated_reason,
            invalidated_at: invalidated_at.map(Time),
            superseded_rule,
            superseded_why,
            supersedes,
            children,
            limits,
            turns,
            ledger: ledger.into_iter().map(LedgerJson::from).collect(),
            fades,
            retention,
            half_life_days,
            archives_at: archives_at.map(Time),
            history: history.into_iter().map(ChangeJson::from).collect(),
            embedding_model,
            embedding,
        }
    }
}

/// An entry of a memory's ledger.
#[derive(Serialize)]
struct LedgerJson {
    change: LedgerChange,
    cause: String,
    agent: String,
    value_before: String,
    value_after: String,
    repetitions: u32,
    began_at: Time,
    changed_at: Time,
}

impl From<LedgerEntry> for LedgerJson {
    fn from(entry: LedgerEntry) -> Self {
        let LedgerEntry {
            change,
            cause,
            agent,
            value_before,
            value_after,
            repetitions,
            began_at,
            changed_at,
        } = entry;
        let (began_at, changed_at) = (Time(began_at), Time(changed_at));
        Self { change, cause, agent, value_before, value_after, repetitions, began_at, changed_at }
    }
}

/// An entry of a memory's history.
#[derive(Serialize)]
struct ChangeJson {
    operation: String,
    agent: String,
    changed_at: Time,
    content: String,
    context: Option<Box<RawValue>>,
}

impl From<MemoryChange> for ChangeJson {
    fn from(change: MemoryChange) -> Self {
        let MemoryChange { operation, agent, changed_at, content, context } = change;
        let (changed_at, context) = (Time(changed_at), stored_json(context));
        Self { operation, agent, changed_at, content, context }
    }
}

#[derive(Serialize)]
struct MemoryJson {
    id: i64,
    content: String,
    human_summary: String,
    #[serde(rename = "type")]
    kind: Kind,
    perception_type: Option<PerceptionType>,
    session_id: String,
    turn_id: String,
    collection: String,
    level: Level,
    scope: Scope,
    category: Option<Category>,
    mem_type: MemType,
    status: Status,
    superseded_by: Option<i64>,
    parent_id: Option<i64>,
    agent: String,
    source: Source,
    trust: Trust,
    confidence: f64,
    decay_rate: f64,
    importance: f64,
    tags: Vec<String>,
    scope_files: Vec<String>,
    scope_entities: Vec<String>,
    context: Option<Box<RawValue>>,
    data: Option<Box<RawValue>>,
    metadata: Option<Box<RawValue>>,
    access_count: u32,
    created_at: Time,
    updated_at: Time,
    last_accessed: Option<Time>,
    decayed_until: Option<Time>,
    restored_at: Option<Time>,
    known_at: Option<Time>,
}

impl From<Memory> for MemoryJson {
    fn from(memory: Memory) -> Self {
        let Memory {
            id,
            collection,
            level,
            scope,
            kind,
            category,
            mem_type,
            content,
            human_summary,
            context,
            perception_type,
            data,
            metadata,
            session_id,
            turn_id,
            agent,
            source,
            trust,
            confidence,
            decay_rate,
            importance,
            tags,
            scope_files,
            scope_entities,
            status,
            superseded_by,
            parent_id,
            access_count,
            last_accessed,
            created_at,
            updated_at,
            decayed_until,
            restored_at,
            known_at,
        } = memory;
        Self {
            id,
            content,
            human_summary,
            kind,
            perception_type,
            session_id,
            turn_id,
            collection,
            level,
            scope,
            category,
            mem_type,
            status,
            superseded_by,
            parent_id,
            agent,
            source,
            trust,
            confidence,
            decay_rate,
            importance,
            tags,
            scope_files,
            scope_entities,
            context: stored_json(context),
            data: stored_json(data),
            metadata: stored_json(metadata),
            access_count,
            created_at: Time(created_at),
            updated_at: Time(updated_at),
            last_accessed: last_accessed.map(Time),
            decayed_until: decayed_until.map(Time),
            restored_at: restored_at.map(Time),
            known_at: known_at.map(Time),
        }
    }
}

/// The answer of Stats.
#[derive(Serialize)]
pub struct StatsJson {
    memory_count: u64,
    by_status: Counts,
    by_type: Counts,
    by_category: Counts,
    by_collection: Counts,
    by_level: Counts,
    oldest_created_at: Option<Time>,
    newest_created_at: Option<Time>,
    open_sessions: u64,
    ended_sessions: u64,
    vectors_by_model: Counts,
    missing_vectors: u64,
    store_bytes: u64,
    schema_version: u32,
}

pub type Counts = BTreeMap<String, u64>;

impl From<StatsResponse> for StatsJson {
    fn from(response: StatsResponse) -> Self {
        let StatsResponse {
            memory_count,
            by_status,
            by_type,
            by_category,
            by_collection,
            by_level,
            oldest_created_at,
            newest_created_at,
            open_sessions,
            ended_sessions,
            vectors_by_model,
            missing_vectors,
            store_bytes,
            schema_version,
        } = response;
        Self {
            memory_count,
            by_status: counts(by_status),
            by_type: counts(by_type),
            by_category: counts(by_category),
            by_collection: counts(by_collection),
            by_level: counts(by_level),
            oldest_created_at: oldest_created_at.map(Time),
            newest_created_at: newest_created_at.map(Time),
            open_sessions,
            ended_sessions,
            vectors_by_model: counts(vectors_by_model),
            missing_vectors,
            store_bytes,
            schema_version,
        }
    }
}

pub fn counts(of: Vec<KeyCount>) -> Counts {
    of.into_iter().map(|KeyCount { key, count }| (key, count)).collect()
}

/// A time as JSON has it.
pub struct Time(pub Stamp);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&rfc_3339(self.0))
    }
}

/// Stored JSON as it is, in one line; as a text when it is none.
pub fn stored_json(text: String) -> Option<Box<RawValue>> {
    if text.is_empty() {
        return None;
    }
    // A string in JSON holds no line break, so each of them is between two parts.
    let line = text.replace(['\n', '\r'], " ");
    RawValue::from_string(line).or_else(|_| to_raw_value(&text)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_json_keeps_its_digits_and_its_order() {
        let shown = |text: &str| {
            stored_json(text.into()).map_or("null".to_owned(), |raw| raw.get().to_owned())
        };
        for (stored, expected) in [
            ("", "null"),
            (
                "{\"z\": 1.10, \"a\": 18446744073709551617}",
                "{\"z\": 1.10, \"a\": 18446744073709551617}",
            ),
            ("[1,\r\n\"a\\n\"]", "[1,  \"a\\n\"]"),
            ("not {json", "\"not {json\""),
            ("two\nlines", "\"two\\nlines\""),
        ] {
            assert_eq!(shown(stored), expected);
        }
    }
}
