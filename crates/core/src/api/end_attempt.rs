use super::operation;
use crate::model::text_enum;
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Note how an attempt ended.
    EndAttempt, "end_attempt", EndAttemptRequest => EndAttemptResponse
);

request! {
    /// How it ended.
    pub struct EndAttemptRequest {
        /// From BeginAttempt.
        pub attempt_id: i64,
        /// Spelling of a [`Verdict`].
        pub outcome: String as lookup,
        /// 0 to 1: how well it went.
        pub score: Option<f64> as flagged has_score,
        /// Why it ended so, as `slipped`; at most 300 characters.
        pub reason: String as text,
        /// JSON object of what was measured, as `{"force_n": 11.8}`.
        pub measured: String as json,
        /// JSON object of the parameters that were used in the end, in the place of the planned ones; empty:
        /// the planned ones.
        pub params: String as json,
        /// JSON array of what was done, in order, as `[{"name": "lift", "anchor": "handle"}]`: of each step the
        /// `name`, and perhaps `params`, `anchor` (what its pose is relative to), `pose`, `duration_secs`,
        /// `verdict`.
        pub steps: String as json,
        /// Memories that were used: success confirms them, failure is noted with them.
        pub used_ids: Vec<i64>,
        /// Who tried; empty for the operator.
        pub agent: String as text,
        /// A repeated call with the same key is answered as the first one.
        pub idempotency_key: String as text,
    }
}

text_enum! {
    /// How an attempt ended.
    Verdict {
        /// It did what it was to do.
        Success = "success",
        /// It did not.
        Failure = "failure",
        /// It was given up before it could succeed or fail.
        Cancelled = "cancelled",
        /// Nobody knows.
        Unknown = "unknown",
    }
}

record! {
    /// The attempt.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct EndAttemptResponse {
        /// The memory that it is.
        pub attempt_id: i64,
        /// How it ended.
        pub outcome: Verdict,
        /// How long it took.
        pub duration_secs: f64,
        /// Events that streams stored meanwhile and that belong to it, oldest first.
        pub event_ids: Vec<i64>,
        /// Used memories that its success confirmed.
        pub credited_ids: Vec<i64>,
        /// Used memories that its failure was noted with.
        pub blamed_ids: Vec<i64>,
    }
}
