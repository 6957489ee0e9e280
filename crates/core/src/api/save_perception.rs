use super::operation;
use crate::model::{PerceptionType, text_enum};
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Store something perceived.
    SavePerception, "save_perception", SavePerceptionRequest => SavePerceptionResponse
);

request! {
    /// What was perceived.
    pub struct SavePerceptionRequest {
        /// A sentence, 5 to 300 characters; longer text is cut between words.
        pub description: String as text,
        /// Spelling of a [`PerceptionType`]; empty: visual.
        pub perception_type: String as text,
        /// JSON value.
        pub data: String as json,
        /// JSON object.
        pub metadata: String as json,
        /// JSON object.
        pub context: String as json,
        /// Empty: the session's, or the default collection.
        pub collection: String as text,
        /// UUID of an open session.
        pub session_id: String as text,
        /// Step of the session.
        pub turn_id: String as text,
        /// Spelling of a [`Level`](crate::model::Level).
        pub level: String as text,
        /// Who may see it.
        pub scope: String as text,
        /// Who writes; empty for the operator.
        pub agent: String as text,
        /// Spelling of a [`Source`](crate::model::Source); empty: sensor.
        pub source: String as text,
        /// Spelling of a [`Trust`](crate::model::Trust).
        pub trust: String as text,
        /// Spelling of a [`MemType`](crate::model::MemType).
        pub mem_type: String as text,
        /// 0 to 1.
        pub importance: Option<f64> as flagged has_importance,
        /// The row one level up that it belongs to: a core row of a knowledge row, a knowledge row of a
        /// working row; 0: none.
        pub parent_id: i64,
        /// A repeated call with the same key answers as the first one did.
        pub idempotency_key: String as text,
    }
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

record! {
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
        pub collection: String,
        /// Whether the text was cut to its longest allowed length.
        pub truncated: bool,
        /// Whether the row has a vector already.
        pub has_embedding: bool,
    }
}
