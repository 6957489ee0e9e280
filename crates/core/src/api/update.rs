use super::operation;
use crate::model::{Category, Limit};
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Change what an active memory says.
    Update, "update", UpdateRequest => UpdateResponse
);

request! {
    /// The change.
    pub struct UpdateRequest {
        /// Greater than 0.
        pub memory_id: i64,
        /// 1 to 300 characters; longer text is cut between words.
        pub new_content: String as text,
        /// JSON object; empty: keep.
        pub context: String as json,
        /// Only a memory that a search of this scope would see; empty: any that the agent may read.
        pub scope: String as text,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// What became of it.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct UpdateResponse {
        /// Always `updated`.
        pub status: String,
        pub memory_id: i64,
        /// What it said before.
        pub old_content: String,
        /// What it says now.
        pub new_content: String,
        /// Whether the text was cut to its longest allowed length.
        pub truncated: bool,
        /// Inferred again; `None` for a perception.
        pub category: Option<Category>,
        /// Inferred again.
        pub confidence: f64,
        /// Inferred again.
        pub tags: Vec<String>,
        /// Inferred again.
        pub scope_files: Vec<String>,
        /// The bounds that a constraint sets now.
        pub limits: Vec<Limit>,
        /// The rows that it replaced, by the conflict rule of its class, in order.
        pub superseded_ids: Vec<i64>,
        /// Whether the row has a vector of the new content already.
        pub has_embedding: bool,
    }
}
