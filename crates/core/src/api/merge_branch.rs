use super::operation;
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Say which attempt won, and let what it learned be seen in the whole session, or by all.
    MergeBranch, "merge_branch", MergeBranchRequest => MergeBranchResponse
);

request! {
    /// Which attempt won, and where to.
    pub struct MergeBranchRequest {
        /// UUID.
        pub session_id: String as text,
        /// The attempt that won.
        pub branch_id: String as text,
        /// The scope that it is merged into: `session:<id>` of the same session, or `global`; empty: the
        /// session's.
        pub into: String as text,
        /// Who decides; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// What was merged.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct MergeBranchResponse {
        /// `merged`.
        pub status: String,
        pub session_id: String,
        /// The attempt that won.
        pub branch_id: String,
        /// The scope that it was merged into.
        pub into: String,
        /// Memories there that were made of the branch's, in order of those.
        pub merged_ids: Vec<i64>,
        /// The branch's memories that a memory there said already.
        pub duplicate_count: u64,
        /// Memories there that gave way to what the branch learned, by the conflict rule of their class.
        pub superseded_ids: Vec<i64>,
        /// The branch's memories that could not be merged, and stay where they are.
        pub kept_ids: Vec<i64>,
        /// The other attempts of the session, which lost.
        pub lost_branches: Vec<String>,
    }
}
