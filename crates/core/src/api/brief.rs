use super::{AllowedBy, ChangePoint, CheckedLimit, Contradiction, Lesson, Procedure, operation};
use crate::model::{Stamp, text_enum};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Say what is known that matters for something that is about to be done.
    Brief, "brief", BriefRequest => BriefResponse
);

request! {
    /// What is about to be done.
    pub struct BriefRequest {
        /// What is to be done, as `pick`.
        pub task: String as lookup,
        /// On what; empty: on anything.
        pub object: String as lookup,
        /// Where, by name.
        pub place: String as lookup,
        /// Where: x, y and perhaps z in metres; empty: not given.
        pub position_m: Vec<f64>,
        /// Frame of `position_m`, as `context.spatial.frame` of an attempt; empty: any.
        pub frame: String as lookup,
        /// JSON object of the planned parameters, as of CheckAction.
        pub params: String as lookup,
        /// Empty: the session's, or the default collection.
        pub collection: String as lookup,
        /// Instead: several, or `*`.
        pub collections: Vec<String> as lookup,
        /// UUID of the session in which it is done.
        pub session_id: String as lookup,
        /// Where to look, as of Recall.
        pub scope: String as lookup,
        /// Similar attempts in the answer at most, 1 to 100.
        pub n: u32 = 5,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

text_enum! {
    /// How near attempts are to what is about to be done.
    Nearness {
        /// The same task, on the same object.
        Object = "object",
        /// The same task, on an object of the same kind and material.
        Kind = "kind",
        /// The same task, on any object.
        Task = "task",
    }
}

record! {
    /// A number of several attempts: where it lay when they succeeded, and when they failed.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct BriefedNumber {
        /// In the context, as `params.force_n`.
        pub path: String,
        /// Of all of them; empty when there is none.
        pub unit: String,
        /// Attempts that succeeded and have it.
        pub success_count: u64,
        /// Least, lower quartile, median, upper quartile, greatest of these; empty without any.
        pub success_range: Vec<f64>,
        /// Attempts that failed and have it.
        pub failure_count: u64,
        /// The same of these.
        pub failure_range: Vec<f64>,
    }
}

record! {
    /// One way in which attempts failed.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct FailureReason {
        /// As it was given; empty: no reason was.
        pub reason: String,
        /// Attempts that failed so.
        pub count: u64,
        /// When the last of them did.
        #[serde(serialize_with = "crate::json::time")]
        pub last_at: Stamp,
        /// The newest of them, 20 at most.
        pub attempt_ids: Vec<i64>,
    }
}

record! {
    /// What attempts of one nearness come to.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct BriefedAttempts {
        /// How near they are.
        pub nearness: Nearness,
        /// What their objects are called.
        pub objects: Vec<String>,
        /// Attempts that succeeded.
        pub success_count: u64,
        /// Attempts that failed.
        pub failure_count: u64,
        /// Attempts that did not end, were cancelled or do not say.
        pub unknown_count: u64,
        /// Share of success of those whose outcome is known; 0 without any.
        pub success_rate: f64,
        /// 95 % Wilson interval of it: low, high; empty without any.
        pub success_rate_interval: Vec<f64>,
        /// Attempts of the real robot.
        pub real_count: u64,
        /// When the oldest was made.
        #[serde(serialize_with = "crate::json::time")]
        pub oldest_at: Stamp,
        /// When the newest was made.
        #[serde(serialize_with = "crate::json::time")]
        pub newest_at: Stamp,
        /// Numbers that at least one success and failure have, by path.
        pub numbers: Vec<BriefedNumber>,
        /// How they failed, most often first.
        pub failures: Vec<FailureReason>,
        /// The newest that succeeded, 20 at most.
        pub success_ids: Vec<i64>,
        /// The newest that failed, 20 at most.
        pub failure_ids: Vec<i64>,
    }
}

record! {
    /// An attempt that is similar to what is about to be done.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct SimilarAttempt {
        /// The memory that it is.
        pub attempt_id: i64,
        /// How near it is.
        pub nearness: Nearness,
        /// On what it was.
        pub object: String,
        /// `success`, `failure` or `unknown`.
        pub outcome: String,
        /// Why it ended so.
        pub reason: String,
        /// JSON object of its parameters.
        pub params: String,
        /// JSON object of what was measured.
        pub measured: String,
        /// How far it was from `position_m`, in metres.
        pub distance_m: Option<f64> as flagged has_distance,
        /// When it was made.
        #[serde(serialize_with = "crate::json::time")]
        pub created_at: Stamp,
        /// Whether it was made before one of the `changes`.
        pub is_outdated: bool,
    }
}

record! {
    /// What is known.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct BriefResponse {
        /// Whether attempts on the object, or on one of its kind, are known; of a request without object,
        /// attempts at the task.
        pub is_known: bool,
        /// The nearest attempts that there are; `None` without any.
        pub nearness: Option<Nearness>,
        /// What attempts come to, the nearest first. Those of one nearness count in the next, too.
        pub attempts: Vec<BriefedAttempts>,
        /// The most similar, the nearest first; only such as count for `is_known`.
        pub similar: Vec<SimilarAttempt>,
        /// Bounds beyond which such attempts fail: pinned and tested ones first, then hypotheses, then what was
        /// demoted or rejected.
        pub lessons: Vec<Lesson>,
        /// From when on something else works for the object.
        pub changes: Vec<ChangePoint>,
        /// Steps that succeeded, the best first, at most 3; newer attempts count more.
        pub procedures: Vec<Procedure>,
        /// Memories about the object or task that contradict each other, the newest first, at most 10.
        pub contradictions: Vec<Contradiction>,
        /// As of CheckAction.
        pub allowed: bool,
        /// As of CheckAction.
        pub allowed_by: AllowedBy,
        /// As of CheckAction.
        pub violations: Vec<CheckedLimit>,
        /// As of CheckAction.
        pub undecided: Vec<CheckedLimit>,
        /// In one sentence, English.
        pub sentence_en: String,
        /// In one sentence, Chinese.
        pub sentence_zh: String,
        /// Time in the engine.
        pub query_ms: f64,
    }
}
