use super::{BackupInfo, KeyCount, operation};
use crate::model::{Stamp, text_enum};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Tell how the memory is doing.
    GetStatus, "status", StatusRequest => StatusResponse
);

request! {
    /// Nothing but who asks.
    pub struct StatusRequest {
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

text_enum! {
    /// How well a part is doing. Ordered: ok < warn < error.
    StatusLevel {
        /// As it should.
        Ok = "ok",
        /// Less well; it answers, and says what is missing.
        Warn = "warn",
        /// Not.
        Error = "error",
    }
}

record! {
    /// How one part is doing.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct ComponentStatus {
        /// store, embedder, indexes, write_queue, jobs, maintenance, backups, clock, events.
        pub name: String,
        /// How well.
        pub level: StatusLevel,
        /// One word.
        pub state: String,
        /// For a person to read.
        pub message: String,
    }
}

record! {
    /// How the memory is doing. Counts by a key are in order of the key.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct StatusResponse {
        /// The worst of the components.
        pub level: StatusLevel,
        pub components: Vec<ComponentStatus>,
        /// Memories of any status.
        pub memory_count: u64,
        /// Memories of any status, by status.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub by_status: Vec<KeyCount>,
        /// Active memories by type.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub by_type: Vec<KeyCount>,
        /// Active memories by level.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub by_level: Vec<KeyCount>,
        /// Active memories by scope.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub by_scope: Vec<KeyCount>,
        /// Active memories by life cycle class.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub by_mem_type: Vec<KeyCount>,
        /// Active facts by category.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub by_category: Vec<KeyCount>,
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub jobs: Vec<KeyCount>,
        /// Sessions that nobody ended.
        pub open_sessions: u64,
        /// Active memories without a vector.
        pub missing_vectors: u64,
        /// Pairs of memories that contradict each other and that no rule settles.
        pub conflict_count: u64,
        /// Bytes of the store's file and its log.
        pub store_bytes: u64,
        /// Bytes of the indexes in memory.
        pub index_bytes: u64,
        pub clip_bytes: u64,
        pub backup_bytes: u64,
        /// Bytes free on the store's disk; 0: not known.
        pub free_bytes: u64,
        /// Writes that wait in the write queue.
        pub queued_writes: u64,
        /// Their bytes.
        pub queued_bytes: u64,
        /// Writes that were replayed since the start.
        pub replayed_writes: u64,
        /// Writes that could not be replayed since the start.
        pub rejected_writes: u64,
        /// When the last daily maintenance of all scopes ended; `None`: never.
        #[serde(serialize_with = "crate::json::time")]
        pub last_daily_at: Option<Stamp>,
        /// So the weekly one.
        #[serde(serialize_with = "crate::json::time")]
        pub last_weekly_at: Option<Stamp>,
        /// When the next one is due; `None`: it is off.
        #[serde(serialize_with = "crate::json::time")]
        pub next_daily_at: Option<Stamp>,
        /// So the weekly one.
        #[serde(serialize_with = "crate::json::time")]
        pub next_weekly_at: Option<Stamp>,
        /// When the newest backup was made; `None`: there is none.
        #[serde(serialize_with = "crate::json::time")]
        pub last_backup_at: Option<Stamp>,
        /// The newest first.
        pub backups: Vec<BackupInfo>,
        /// The version of the store's schema.
        pub schema_version: i64,
        /// Of this program.
        pub version: String,
    }
}
