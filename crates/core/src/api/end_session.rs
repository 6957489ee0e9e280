use super::{Hit, KeyCount, operation};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// End an episode: consolidate, decay, recall what is related.
    EndSession, "end_session", EndSessionRequest => EndSessionResponse
);

request! {
    /// Which episode, and how it went.
    pub struct EndSessionRequest {
        /// UUID.
        pub session_id: String as text,
        /// 0 = failed, 1 = succeeded.
        pub outcome_score: Option<f64> as flagged has_outcome_score,
        /// Who ends it; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// What ending it did.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct EndSessionResponse {
        /// Always `ended`.
        pub status: String,
        /// UUID.
        pub session_id: String,
        /// Active memories of the session, before merging.
        pub memory_count: u64,
        /// They by type.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub by_type: Vec<KeyCount>,
        /// Facts among them by category.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub by_category: Vec<KeyCount>,
        /// Memories of the collection whose confidence faded.
        pub decayed_count: u64,
        /// Groups of memories that said the same.
        pub merged_groups: u64,
        /// Memories that another one of their group now stands for.
        pub superseded_count: u64,
        /// `superseded_count / memory_count`.
        pub compression_ratio: f64,
        /// Mean Jaccard similarity of the pairs in merged groups.
        pub avg_similarity: f64,
        /// Working memories of the session that became knowledge.
        pub promoted_count: u64,
        /// Working memories of the session that were archived.
        pub archived_count: u64,
        /// Of other sessions of the collection, best first.
        pub related_memories: Vec<Hit>,
    }
}
