use super::operation;
use serde::{Deserialize, Serialize};

operation!(
    /// Begin an episode.
    StartSession, "start_session", StartSessionRequest => StartSessionResponse
);

/// The episode.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StartSessionRequest {
    /// Empty: the default collection.
    pub collection: String,
    /// JSON object: robot, environment, task.
    pub context: String,
    /// Who begins it; empty for the operator.
    pub agent: String,
}

/// The episode that began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartSessionResponse {
    /// UUID.
    pub session_id: String,
    /// Its collection.
    pub collection: String,
    /// Active memories in the collection that the caller may read.
    pub active_memories_count: u64,
}
