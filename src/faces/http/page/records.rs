//! What the operations answer, as far as it is shown.

use robot_memory_core::api::Why;
use robot_memory_core::model::Stamp;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A memory, also one of an answer to Recall.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct MemoryRecord {
    pub id: i64,
    pub content: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub perception_type: Option<String>,
    pub session_id: String,
    pub collection: String,
    pub level: String,
    pub scope: String,
    pub parent_id: Option<i64>,
    pub category: Option<String>,
    pub mem_type: String,
    pub status: String,
    pub superseded_by: Option<i64>,
    pub agent: String,
    pub source: String,
    pub trust: String,
    pub confidence: f64,
    pub importance: f64,
    pub tags: Vec<String>,
    pub context: Value,
    pub data: Value,
    pub metadata: Value,
    pub access_count: u32,
    pub created_at: Option<Stamp>,
    pub updated_at: Option<Stamp>,
    pub last_accessed: Option<Stamp>,
    pub score: f64,
    pub spatial_distance: Option<f64>,
    pub map_relation: Option<String>,
    pub context_before: String,
    pub context_after: String,
    pub conflicts_with: Vec<i64>,
    pub why: Option<Why>,
}

impl MemoryRecord {
    /// What it says of a lesson, when it is one.
    pub fn lesson(&self, name: &str) -> &str {
        let lesson = self.context.get("lesson").and_then(|lesson| lesson.get(name));
        lesson.and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether it is a lesson that was read out of attempts.
    pub fn is_lesson(&self) -> bool {
        self.context.pointer("/summary/kind").and_then(Value::as_str) == Some("lesson")
    }

    /// What a person says of that lesson; empty: nothing.
    pub fn judgment(&self) -> &str {
        self.lesson("judgment")
    }
}

/// The answer to Learn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LearnAnswer {
    pub memory_id: i64,
    pub existing_id: i64,
}

/// The answer to Recall.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Recalled {
    pub memories: Vec<MemoryRecord>,
    pub total: u64,
    pub mode: String,
    pub counts: Vec<robot_memory_core::api::KeyCount>,
    pub better_collections: Vec<String>,
    pub understood: String,
    pub site_fault: String,
    pub query_ms: f64,
}

/// The answer to GetMemory.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct StoredRecord {
    #[serde(flatten)]
    pub memory: MemoryRecord,
    pub invalidated_reason: String,
    pub invalidated_at: Option<Stamp>,
    pub superseded_why: String,
    pub supersedes: Vec<i64>,
    pub children: Vec<i64>,
    pub limits: Vec<LimitRecord>,
    pub turns: Vec<TurnRecord>,
    pub told_by: Vec<String>,
    pub told_at: Option<Stamp>,
    pub independent_count: u32,
    pub transfer: Vec<String>,
    pub ledger: Vec<LedgerRecord>,
    pub fades: bool,
    pub retention: f64,
    pub half_life_days: f64,
    pub archives_at: Option<Stamp>,
    pub history: Vec<ChangeRecord>,
    pub embedding_model: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LimitRecord {
    pub path: String,
    pub op: String,
    pub value: f64,
    pub unit: String,
    pub object: String,
    pub place: String,
    pub task: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TurnRecord {
    pub session_id: String,
    pub branch_id: String,
    pub turn_no: u32,
    pub sentence: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LedgerRecord {
    pub change: String,
    pub cause: String,
    pub agent: String,
    pub value_before: String,
    pub value_after: String,
    pub repetitions: u32,
    pub began_at: Option<Stamp>,
    pub changed_at: Option<Stamp>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ChangeRecord {
    pub operation: String,
    pub agent: String,
    pub changed_at: Option<Stamp>,
    pub content: String,
}

/// The answer to Status.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct StatusRecord {
    pub level: String,
    pub components: Vec<ComponentRecord>,
    pub memory_count: u64,
    pub by_status: BTreeMap<String, u64>,
    pub by_type: BTreeMap<String, u64>,
    pub by_level: BTreeMap<String, u64>,
    pub by_scope: BTreeMap<String, u64>,
    pub by_category: BTreeMap<String, u64>,
    pub jobs: BTreeMap<String, u64>,
    pub open_sessions: u64,
    pub missing_vectors: u64,
    pub conflict_count: u64,
    pub store_bytes: u64,
    pub index_bytes: u64,
    pub clip_bytes: u64,
    pub backup_bytes: u64,
    pub free_bytes: u64,
    pub queued_writes: u64,
    pub last_daily_at: Option<Stamp>,
    pub last_weekly_at: Option<Stamp>,
    pub next_daily_at: Option<Stamp>,
    pub next_weekly_at: Option<Stamp>,
    pub last_backup_at: Option<Stamp>,
    pub backups: Vec<BackupRecord>,
    pub schema_version: i64,
    pub version: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ComponentRecord {
    pub name: String,
    pub level: String,
    pub state: String,
    pub message: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct BackupRecord {
    pub name: String,
    pub made_at: Option<Stamp>,
    pub bytes: u64,
    pub memory_count: u64,
    pub is_verified: bool,
    pub is_foreign: bool,
}

/// A job.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct JobRecord {
    pub id: i64,
    pub scope: String,
    pub scope_id: String,
    pub job_type: String,
    pub status: String,
    pub waits_for: String,
    pub payload: Value,
    pub result: Value,
    pub step: String,
    pub done: u64,
    pub total: u64,
    pub attempt_count: u32,
    pub max_attempts: u32,
    pub last_error: String,
    pub agent: String,
    pub created_at: Option<Stamp>,
    pub updated_at: Option<Stamp>,
    pub finished_at: Option<Stamp>,
}

/// The answer to ListJobs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct JobList {
    pub jobs: Vec<JobRecord>,
    pub total: u64,
    pub has_more: bool,
}

/// The answer to an operation that queues a job.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct QueuedJob {
    pub job_id: i64,
}

/// The answer to Locate.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Located {
    pub places: Vec<PlaceRecord>,
    pub total: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PlaceRecord {
    pub label: String,
    pub state: String,
    pub position_m: Vec<f64>,
    pub frame: String,
    pub map_id: String,
    pub sigma_m: f64,
    pub last_seen: Option<Stamp>,
    pub count: u64,
    pub confidence: f64,
}

/// The answer to Brief.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Briefing {
    pub lessons: Vec<LessonRecord>,
    pub attempts: Vec<AttemptsRecord>,
    pub sentence_en: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LessonRecord {
    pub lesson_id: i64,
    pub state: String,
    pub judgment: Option<String>,
    pub confirmed_count: u64,
    pub refuted_count: u64,
    pub sentence_en: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct AttemptsRecord {
    pub failures: Vec<FailureRecord>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct FailureRecord {
    pub reason: String,
    pub count: u64,
    pub last_at: Option<Stamp>,
    pub attempt_ids: Vec<i64>,
}

/// The answer to Compare.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Compared {
    pub contrasts: Vec<ContrastRecord>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ContrastRecord {
    pub statement: String,
    pub effect: f64,
    pub effect_low: f64,
}
