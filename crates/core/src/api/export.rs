use serde::{Deserialize, Serialize};

/// Which memories are exported, and how much of each. Since an export is of any length, its answer
/// is a stream: `Engine::export` hands on one at a time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportRequest {
    /// Only of these; none, or `*`: all.
    pub collections: Vec<String>,
    /// Also those that are superseded, invalidated or archived.
    pub all_statuses: bool,
    /// Fill `embedding`.
    pub include_embedding: bool,
    /// Who asks; empty for the operator.
    pub agent: String,
}
