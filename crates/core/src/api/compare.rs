use super::operation;
use crate::model::{Stamp, text_enum};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Compare the attempts at a task that succeeded with those that failed.
    Compare, "compare", CompareRequest => CompareResponse
);

request! {
    /// Which attempts.
    pub struct CompareRequest {
        /// The task; empty: all that the filters leave.
        pub task: String as lookup,
        /// Only attempts on this object; empty: on any.
        pub object: String as lookup,
        /// Empty: the default collection.
        pub collection: String as lookup,
        /// Instead: several, or `*`.
        pub collections: Vec<String> as lookup,
        /// Conditions on the context, JSON, as of Recall.
        pub context_filter: String as lookup,
        /// Not before.
        pub since: Option<Stamp>,
        /// Not after.
        pub until: Option<Stamp>,
        /// Where to look, as of Recall.
        pub scope: String as lookup,
        /// Contrasts at most, 1 to 100.
        pub n: u32 = 10,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

text_enum! {
    /// What a contrast is about.
    ContrastKind {
        /// How great a number was.
        Number = "number",
        /// Whether something had a value.
        Value = "value",
    }
}

record! {
    /// One way in which attempts that succeeded differed from those that failed.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct Contrast {
        /// In the context or the data, as `params.force_n`.
        pub path: String,
        /// What it is about.
        pub kind: ContrastKind,
        /// Of a number; empty when it has none.
        pub unit: String,
        /// Of a value, as JSON; empty for a number.
        pub value: String,
        /// For a person to read.
        pub statement: String,
        /// -1 to 1: greater (number) or more often (value) in success.
        pub effect: f64,
        /// What the effect is at least, with 95 % confidence, of the same sign; 0 when it may be none.
        pub effect_low: f64,
        /// Attempts that succeeded and have this path.
        pub success_count: u32,
        /// Attempts that failed and have this path.
        pub failure_count: u32,
        /// Of a value: how many of those that succeeded have it.
        pub success_with_value: u32,
        /// Of a value: how many of those that failed have it.
        pub failure_with_value: u32,
        /// Of a number: min, lower quartile, median, upper quartile, max; empty for a value.
        pub success_range: Vec<f64>,
        /// The same of those that failed.
        pub failure_range: Vec<f64>,
    }
}

record! {
    /// What differed.
    #[derive(Debug, Clone, Default, PartialEq, Serialize)]
    pub struct CompareResponse {
        pub success_count: u32,
        pub failure_count: u32,
        /// Attempts that do not say.
        pub unknown_count: u32,
        /// Of those whose outcome is known; 0 without any.
        pub success_rate: f64,
        /// 95 % Wilson interval: low, high; empty without attempts.
        pub success_rate_interval: Vec<f64>,
        /// The strongest first; equals by path and value.
        pub contrasts: Vec<Contrast>,
        /// The newest that succeeded, 20 at most.
        pub success_ids: Vec<i64>,
        /// The newest that failed, 20 at most.
        pub failure_ids: Vec<i64>,
        /// For a person to read.
        pub summary: String,
    }
}
