use super::operation;
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Begin an episode.
    StartSession, "start_session", StartSessionRequest => StartSessionResponse
);

request! {
    /// The episode.
    pub struct StartSessionRequest {
        /// Empty: the default collection.
        pub collection: String as text,
        /// JSON object: robot, environment, task.
        pub context: String as json,
        /// Who begins it; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// The episode that began.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct StartSessionResponse {
        /// UUID.
        pub session_id: String,
        pub collection: String,
        /// Active memories in the collection that the caller may read.
        pub active_memories_count: u64,
    }
}
