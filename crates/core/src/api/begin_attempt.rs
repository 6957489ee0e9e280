use super::operation;
use crate::model::Stamp;
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Note that a task is about to be tried. The attempt is a memory from now on.
    BeginAttempt, "begin_attempt", BeginAttemptRequest => BeginAttemptResponse
);

request! {
    /// What is about to be tried.
    pub struct BeginAttemptRequest {
        /// What is to be done, as `pick`.
        pub task: String as text,
        /// On what; empty: on nothing that has a name.
        pub object: String as text,
        /// Where, by name; a position goes into the context.
        pub place: String as text,
        /// JSON object of the planned parameters, as `context.params` of a memory.
        pub params: String as json,
        /// JSON object: `spatial`, `robot`, `env` and whatever else is known; not `task` and `params`.
        pub context: String as json,
        /// Empty: the session's, or the default collection.
        pub collection: String as text,
        /// UUID of an open session.
        pub session_id: String as text,
        /// Who may see it.
        pub scope: String as text,
        /// Who tries; empty for the operator.
        pub agent: String as text,
        /// A repeated call with the same key is answered as the first one.
        pub idempotency_key: String as text,
    }
}

record! {
    /// The attempt.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct BeginAttemptResponse {
        /// The memory that it is.
        pub attempt_id: i64,
        /// When it began.
        #[serde(serialize_with = "crate::json::time")]
        pub began_at: Stamp,
    }
}
