use super::operation;
use crate::model::{Memory, Stamp};
use serde::{Deserialize, Serialize};

operation!(
    /// Show one memory, of any status, with all that the store keeps of it.
    GetMemory, "get_memory", GetMemoryRequest => StoredMemory
);

/// Which memory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GetMemoryRequest {
    /// Greater than 0.
    pub memory_id: i64,
    /// Fill `data` and `metadata` of a perception.
    pub include_data: bool,
    /// Fill `embedding`.
    pub include_embedding: bool,
    /// Who asks; empty for the operator.
    pub agent: String,
}

/// A memory with all that the store keeps of it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// The row.
    pub memory: Memory,
    /// Why it was withdrawn; empty when it was not.
    pub invalidated_reason: String,
    /// When it was withdrawn.
    pub invalidated_at: Option<Stamp>,
    /// The model of its vector; empty when it has none.
    pub embedding_model: String,
    /// Its vector, of unit length; empty when it has none or it was not asked for.
    pub embedding: Vec<f32>,
}
