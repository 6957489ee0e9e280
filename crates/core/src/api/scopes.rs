use super::operation;
use crate::model::{JobScope, ScopeState, text_enum};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// List what is known of the jobs of each scope.
    ListScopes, "list_scopes", ListScopesRequest => ListScopesResponse
);

request! {
    /// Which page of which scopes.
    pub struct ListScopesRequest {
        /// Kind of scope; empty: all.
        pub scope: String as lookup,
        /// Which one of its kind, with `scope`; empty: all.
        pub scope_id: String as lookup,
        /// `updated_at`, `revision`, `last_compaction_at` or `last_processed_turn_no`.
        pub sort_by: String as lookup = "updated_at".into(),
        /// `asc` or `desc`. What was never set is least.
        pub sort_order: String as lookup = "desc".into(),
        /// 1 to 100.
        pub limit: u32 = 50,
        /// Rows to skip.
        pub offset: u32,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

record! {
    /// A page of scopes.
    #[derive(Debug, Clone, PartialEq, Serialize)]
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
}

operation!(
    /// Queue the job that indexes and orders the memories of a scope anew.
    RebuildScope, "rebuild_scope", RebuildScopeRequest => QueuedResponse
);

request! {
    /// Of which scope.
    pub struct RebuildScopeRequest {
        /// Kind of scope.
        pub scope: String as text,
        /// Which one of its kind.
        pub scope_id: String as text,
        /// The step because of which it is done; empty: none.
        pub trigger_turn_id: String as text,
        /// Whether summaries are compacted afterwards, if there are enough of them.
        pub force_compaction: bool = true,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// The job that was queued.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct QueuedResponse {
        pub job_id: i64,
        /// Whether this call queued it; else it was waiting already.
        pub created: bool,
        /// What it is about.
        #[serde(flatten)]
        pub scope: JobScope as split scope_id,
    }
}

operation!(
    /// Queue the job that makes one long summary of a scope's short ones.
    CompactScope, "compact_scope", CompactScopeRequest => CompactScopeResponse
);

request! {
    /// Of which scope.
    pub struct CompactScopeRequest {
        /// Kind of scope.
        pub scope: String as text,
        /// Which one of its kind.
        pub scope_id: String as text,
        /// The step because of which it is done; empty: none.
        pub trigger_turn_id: String as text,
        /// Whether it is done below the thresholds, too.
        pub force: bool = true,
        /// Who asks; empty for the operator.
        pub agent: String as text,
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

record! {
    /// The job that was queued, and what it will compact.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct CompactScopeResponse {
        pub job_id: i64,
        /// Whether this call queued it; else it was waiting already.
        pub created: bool,
        /// What it is about.
        #[serde(flatten)]
        pub scope: JobScope as split scope_id,
        pub reason: CompactReason,
        /// The short summaries that were chosen, in order of their steps.
        pub source_micro_ids: Vec<i64>,
        /// The first step that they cover; `None` when they belong to none.
        pub coverage_start_turn_no: Option<u32> as flagged has_coverage_start_turn_no,
        /// The last one.
        pub coverage_end_turn_no: Option<u32> as flagged has_coverage_end_turn_no,
    }
}

operation!(
    /// Queue the job that remembers what happened in a recorded bag.
    Import, "import", ImportRequest => QueuedResponse
);

request! {
    /// Of which bag.
    pub struct ImportRequest {
        /// The bag's folder or file, on the robot's computer.
        pub path: String as text,
        /// Empty: the default collection.
        pub collection: String as text,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}
