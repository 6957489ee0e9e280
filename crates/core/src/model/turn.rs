use super::{Scope, Stamp, text_enum};
use crate::record::record;
use serde::Serialize;

/// A finished step of an episode.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Names the step; never used for another.
    pub turn_id: String,
    pub session_id: String,
    /// The attempt within the episode.
    pub branch_id: String,
    /// Its place in the branch, from 1; gaps are allowed.
    pub turn_no: u32,
    /// The collection of what it says.
    pub collection: String,
    /// Who committed it; empty for the operator.
    pub agent: String,
    /// What happened, in words; may be empty when there is data.
    pub text: String,
    /// What happened, as a JSON object; empty when there is none.
    pub data: String,
    /// When it was committed, in ROS time.
    pub committed_at: Stamp,
}

impl Turn {
    /// The branch that it belongs to, in which all is kept that it says.
    pub fn scope(&self) -> Scope {
        Scope::Branch { session: self.session_id.clone(), branch: self.branch_id.clone() }
    }
}

text_enum! {
    /// What became of an attempt.
    BranchStatus {
        /// It goes on, or nobody has decided.
        Open = "open",
        /// What it learned was merged.
        Won = "won",
        /// Another one won. What it learned is seen in it alone.
        Lost = "lost",
    }
}

record! {
    /// An attempt within an episode.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct Branch {
        /// Its name within the episode.
        pub branch_id: String,
        /// What became of it.
        pub status: BranchStatus,
        /// Steps that were committed to it.
        pub turn_count: u64,
        /// The greatest number of its steps.
        pub last_turn_no: u32,
        /// Where what it learned was merged to: scopes, in order; empty when nowhere.
        pub merged_into: Vec<String>,
    }
}

record! {
    /// Where a memory was said.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct TurnSource {
        pub turn_id: String,
        pub session_id: String,
        /// Its attempt within the episode.
        pub branch_id: String,
        /// Its place in the branch.
        pub turn_no: u32,
        /// Which sentence of its text, from 1; 0: a field of its data, or the step as a whole.
        pub sentence_number: u32,
        /// A JSON pointer into its data; empty when it was a sentence.
        pub pointer: String,
        /// The words of that sentence; empty when it was a field, or when they were deleted.
        pub sentence: String,
    }
}
