use super::operation;
use crate::model::Stamp;
use serde::{Deserialize, Serialize};

operation!(
    /// Delete one memory for good, with all that belongs to it.
    DeleteMemory, "delete_memory", DeleteMemoryRequest => DeleteMemoryResponse
);

/// Which memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeleteMemoryRequest {
    /// Greater than 0; of any status.
    pub memory_id: i64,
    /// Only a memory that a search of this scope would see; empty: any that the agent may read.
    pub scope: String,
    /// Who asks; empty for the operator.
    pub agent: String,
}

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeleteMemoryResponse {
    /// Always `deleted`.
    pub status: String,
    /// The row.
    pub memory_id: i64,
    /// Whether a clip went with it.
    pub clip_deleted: bool,
    /// Until when backups may hold it; `None`: there is no backup.
    pub backups_until: Option<Stamp>,
}
