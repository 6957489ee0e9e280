use super::operation;
use crate::model::{Level, Status};
use serde::{Deserialize, Serialize};

operation!(
    /// Take an archived memory back.
    RestoreMemory, "restore_memory", RestoreMemoryRequest => RestoreMemoryResponse
);

/// Which memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RestoreMemoryRequest {
    /// Greater than 0.
    pub memory_id: i64,
    /// Kept in its ledger; empty: none.
    pub reason: String,
    /// Only a memory that a search of this scope would see; empty: any that the agent may read.
    pub scope: String,
    /// Who asks; empty for the operator.
    pub agent: String,
}

/// The memory as it is recalled again.
#[derive(Debug, Clone, PartialEq)]
pub struct RestoreMemoryResponse {
    /// The row.
    pub memory_id: i64,
    /// Active.
    pub status: Status,
    /// A working memory of an episode that has ended becomes knowledge.
    pub level: Level,
    /// Whether it has a vector already; else it is filled in later.
    pub has_embedding: bool,
}
