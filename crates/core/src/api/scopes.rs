use super::operation;
use crate::model::{JobScope, ScopeState, text_enum};
use serde::{Deserialize, Serialize};

operation!(
    /// List what is known of the jobs of each scope.
    ListScopes, "list_scopes", ListScopesRequest => ListScopesResponse
);

/// Which page of which scopes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListScopesRequest {
    /// Kind of scope; empty: all.
    pub scope: String,
    /// Which one of its kind, with `scope`; empty: all.
    pub scope_id: String,
    /// `updated_at`, `revision`, `last_compaction_at` or `last_processed_turn_no`.
    pub sort_by: String,
    /// `asc` or `desc`. What was never set is least.
    pub sort_order: String,
    /// 1 to 100.
    pub limit: u32,
    /// Rows to skip.
    pub offset: u32,
    /// Who asks; empty for the operator.
    pub agent: String,
}

impl Default for ListScopesRequest {
    fn default() -> Self {
        Self {
            scope: String::new(),
            scope_id: String::new(),
            sort_by: "updated_at".into(),
            sort_order: "desc".into(),
            limit: 50,
            offset: 0,
            agent: String::new(),
        }
    }
}

/// A page of scopes.
#[derive(Debug, Clone, PartialEq)]
pub struct ListScopesResponse {
    /// In the order that was asked for; equals by kind and name.
    pub scopes: Vec<ScopeState>,
    /// All that match.
    pub total: u64,
    /// Whether there are more after this page.
    pub has_more: bool,
    /// As asked for.
    pub limit: u32,
    /// As asked for.
    pub offset: u32,
    /// As asked for.
    pub sort_by: String,
    /// As asked for.
    pub sort_order: String,
}

operation!(
    /// Queue the job that indexes and orders the memories of a scope anew.
    RebuildScope, "rebuild_scope", RebuildScopeRequest => QueuedResponse
);

/// Of which scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RebuildScopeRequest {
    /// Kind of scope.
    pub scope: String,
    /// Which one of its kind.
    pub scope_id: String,
    /// The step because of which it is done; empty: none.
    pub trigger_turn_id: String,
    /// Whether summaries are compacted afterwards, if there are enough of them.
    pub force_compaction: bool,
    /// Who asks; empty for the operator.
    pub agent: String,
}

impl Default for RebuildScopeRequest {
    fn default() -> Self {
        Self {
            scope: String::new(),
            scope_id: String::new(),
            trigger_turn_id: String::new(),
            force_compaction: true,
            agent: String::new(),
        }
    }
}

/// The job that was queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedResponse {
    /// The job.
    pub job_id: i64,
    /// Whether this call queued it; else it was waiting already.
    pub created: bool,
    /// What it is about.
    pub scope: JobScope,
}

operation!(
    /// Queue the job that makes one long summary of a scope's short ones.
    CompactScope, "compact_scope", CompactScopeRequest => CompactScopeResponse
);

/// Of which scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompactScopeRequest {
    /// Kind of scope.
    pub scope: String,
    /// Which one of its kind.
    pub scope_id: String,
    /// The step because of which it is done; empty: none.
    pub trigger_turn_id: String,
    /// Whether it is done below the thresholds, too.
    pub force: bool,
    /// Who asks; empty for the operator.
    pub agent: String,
}

impl Default for CompactScopeRequest {
    fn default() -> Self {
        Self {
            scope: String::new(),
            scope_id: String::new(),
            trigger_turn_id: String::new(),
            force: true,
            agent: String::new(),
        }
    }
}

text_enum! {
    /// Why summaries are compacted.
    CompactReason {
        /// There are many of them.
        MicroCountThreshold = "micro_count_threshold",
        /// They are long together.
        MicroTokenThreshold = "micro_token_threshold",
        /// They reach over many steps.
        TurnGapThreshold = "turn_gap_threshold",
        /// It was asked for.
        Forced = "forced",
    }
}

/// The job that was queued, and what it will compact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactScopeResponse {
    /// The job.
    pub job_id: i64,
    /// Whether this call queued it; else it was waiting already.
    pub created: bool,
    /// What it is about.
    pub scope: JobScope,
    /// Why.
    pub reason: CompactReason,
    /// The short summaries that were chosen, in order of their steps.
    pub source_micro_ids: Vec<i64>,
    /// The first step that they cover; `None` when they belong to none.
    pub coverage_start_turn_no: Option<u32>,
    /// The last one.
    pub coverage_end_turn_no: Option<u32>,
}

operation!(
    /// Queue the job that remembers what happened in a recorded bag.
    Import, "import", ImportRequest => QueuedResponse
);

/// Of which bag.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportRequest {
    /// The bag's folder or file, on the robot's computer.
    pub path: String,
    /// Empty: the default collection.
    pub collection: String,
    /// Who asks; empty for the operator.
    pub agent: String,
}
