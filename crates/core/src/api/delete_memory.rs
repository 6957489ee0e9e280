use super::operation;
use crate::model::Stamp;
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Delete one memory for good, with all that belongs to it.
    DeleteMemory, "delete_memory", DeleteMemoryRequest => DeleteMemoryResponse
);

request! {
    /// Which memory.
    pub struct DeleteMemoryRequest {
        /// Greater than 0; of any status.
        pub memory_id: i64,
        /// Only a memory that a search of this scope would see; empty: any that the agent may read.
        pub scope: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// What was deleted.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct DeleteMemoryResponse {
        /// Always `deleted`.
        pub status: String,
        pub memory_id: i64,
        /// Whether a clip went with it.
        pub clip_deleted: bool,
        /// Until when backups may hold it; `None`: there is no backup.
        #[serde(serialize_with = "crate::json::time")]
        pub backups_until: Option<Stamp>,
    }
}
