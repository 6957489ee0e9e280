use super::{Stamp, text_enum};
use crate::record::record;
use serde::Serialize;

text_enum! {
    /// Whether an episode still goes on.
    SessionStatus {
        /// Memories can be made in it.
        Open = "open",
        /// Ended by EndSession.
        Ended = "ended",
    }
}

record! {
    /// One episode of the robot's work.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct Session {
        /// UUID.
        pub session_id: String,
        /// The collection that it belongs to; its memories are of the same one.
        pub collection: String,
        /// Open or ended.
        pub status: SessionStatus,
        /// Still open, and begun by an earlier run: nobody ended it.
        pub interrupted: bool,
        /// Who began it; empty for the operator.
        pub agent: String,
        /// JSON object, or empty.
        #[cfg_attr(feature = "schema", schema(value_type = serde_json::Value))]
        #[serde(serialize_with = "crate::json::stored")]
        pub context: String,
        /// How well it went, 0 to 1, when that was said.
        pub outcome_score: Option<f64> as flagged has_outcome_score,
        /// Active memories made in it.
        pub memory_count: u64,
        #[serde(serialize_with = "crate::json::time")]
        pub started_at: Stamp,
        #[serde(serialize_with = "crate::json::time")]
        pub ended_at: Option<Stamp>,
    }
}
