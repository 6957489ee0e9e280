use super::operation;
use crate::model::{PerceptionType, text_enum};
use serde::{Deserialize, Serialize};

operation!(
    /// Store something perceived.
    SavePerception, "save_perception", SavePerceptionRequest => SavePerceptionResponse
);

/// What was perceived.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavePerceptionRequest {
    /// A sentence, 5 to 300 characters; longer text is cut between words.
    pub description: String,
    /// Spelling of a [`PerceptionType`]; empty: visual.
    pub perception_type: String,
    /// JSON value.
    pub data: String,
    /// JSON object.
    pub metadata: String,
    /// JSON object.
    pub context: String,
    /// Empty: the session's, or the default collection.
    pub collection: String,
    /// UUID of an open session.
    pub session_id: String,
    /// Step of the session.
    pub turn_id: String,
    /// Spelling of a [`Level`](crate::model::Level).
    pub level: String,
    /// Who may see it.
    pub scope: String,
    /// Who writes; empty for the operator.
    pub agent: String,
    /// Spelling of a [`Source`](crate::model::Source); empty: sensor.
    pub source: String,
    /// Spelling of a [`Trust`](crate::model::Trust).
    pub trust: String,
    /// Spelling of a [`MemType`](crate::model::MemType).
    pub mem_type: String,
    /// 0 to 1.
    pub importance: Option<f64>,
    /// The row one level up that it belongs to: a core row of a knowledge row, a knowledge row of a
    /// working row; 0: none.
    pub parent_id: i64,
    /// A repeated call with the same key answers as the first one did.
    pub idempotency_key: String,
}

text_enum! {
    /// What became of a perception.
    #[derive(Default)]
    SaveStatus {
        /// It is a new row.
        #[default]
        Created = "created",
        /// The store cannot be written now: it waits, and is stored when it can.
        Queued = "queued",
    }
}

/// Where it went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavePerceptionResponse {
    /// Created, or queued.
    #[serde(default)]
    pub status: SaveStatus,
    /// The new row; 0 when queued.
    pub memory_id: i64,
    /// The sense.
    pub perception_type: PerceptionType,
    /// The collection.
    pub collection: String,
    /// Whether the text was cut to its longest allowed length.
    pub truncated: bool,
    /// Whether the row has a vector already.
    pub has_embedding: bool,
}
