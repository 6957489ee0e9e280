use super::operation;
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Keep what the streams hear just now, whatever their triggers say.
    Capture, "capture", CaptureRequest => CaptureResponse
);

request! {
    /// What is to be kept, and why.
    pub struct CaptureRequest {
        /// 1 to 200 characters, which will be searched for.
        pub reason: String as text,
        /// Names of streams; none for all.
        pub streams: Vec<String> as text,
        /// Seconds kept from before now, as far as they are still there; 0 to 60.
        pub before_secs: f64 = 5.0,
        /// Seconds kept from now on; 0 to 60.
        pub after_secs: f64 = 1.0,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// What was kept.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct CaptureResponse {
        /// Shared by the memories.
        pub event_id: String,
        /// One for each stream that heard something.
        pub memory_ids: Vec<i64>,
    }
}
