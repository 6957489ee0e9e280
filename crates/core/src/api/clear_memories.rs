use super::operation;
use crate::model::Stamp;
use serde::{Deserialize, Serialize};

operation!(
    /// Delete every memory of a level and collection for good, or those of a time range.
    ClearMemories, "clear_memories", ClearMemoriesRequest => ClearMemoriesResponse
);

/// Which memories. Both level and collection must be named.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClearMemoriesRequest {
    /// Spelling of a [`Level`](crate::model::Level).
    pub level: String,
    /// The collection.
    pub collection: String,
    /// Only memories created at or after.
    pub since: Option<Stamp>,
    /// Only memories created before.
    pub until: Option<Stamp>,
    /// Only memories that a search of this scope would see; empty: of every scope.
    pub scope: String,
    /// Who asks; empty for the operator.
    pub agent: String,
}

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClearMemoriesResponse {
    /// Rows of any status.
    pub deleted_count: u64,
    /// Clips that went with them.
    pub clips_deleted_count: u64,
    /// Until when backups may hold them; `None`: there is no backup.
    pub backups_until: Option<Stamp>,
}
