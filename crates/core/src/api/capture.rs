use super::operation;
use serde::{Deserialize, Serialize};

operation!(
    /// Keep what the streams hear just now, whatever their triggers say.
    Capture, "capture", CaptureRequest => CaptureResponse
);

/// What is to be kept, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureRequest {
    /// 1 to 200 characters, which will be searched for.
    pub reason: String,
    /// Names of streams; none for all.
    pub streams: Vec<String>,
    /// Seconds kept from before now, as far as they are still there; 0 to 60.
    pub before_secs: f64,
    /// Seconds kept from now on; 0 to 60.
    pub after_secs: f64,
    /// Who asks; empty for the operator.
    pub agent: String,
}

impl Default for CaptureRequest {
    fn default() -> Self {
        Self {
            reason: String::new(),
            streams: Vec::new(),
            before_secs: 5.0,
            after_secs: 1.0,
            agent: String::new(),
        }
    }
}

/// What was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureResponse {
    /// Shared by the memories.
    pub event_id: String,
    /// One for each stream that heard something.
    pub memory_ids: Vec<i64>,
}
