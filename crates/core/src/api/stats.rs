use super::{KeyCount, operation};
use crate::model::Stamp;
use crate::record::request;
use serde::Serialize;

operation!(
    /// Count what the store holds.
    Stats, "stats", StatsRequest => StatsResponse
);

request! {
    /// Nothing but who asks.
    pub struct StatsRequest {
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

/// What the store holds. Counts by a key are in order of the key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StatsResponse {
    /// Memories of any status.
    pub memory_count: u64,
    /// Memories of any status, by status.
    #[serde(serialize_with = "super::hit::counts")]
    pub by_status: Vec<KeyCount>,
    /// Active memories by type.
    #[serde(serialize_with = "super::hit::counts")]
    pub by_type: Vec<KeyCount>,
    /// Active facts by category.
    #[serde(serialize_with = "super::hit::counts")]
    pub by_category: Vec<KeyCount>,
    /// Active memories by collection.
    #[serde(serialize_with = "super::hit::counts")]
    pub by_collection: Vec<KeyCount>,
    /// Active memories by level.
    #[serde(serialize_with = "super::hit::counts")]
    pub by_level: Vec<KeyCount>,
    /// When the oldest active memory was made.
    #[serde(serialize_with = "crate::json::time")]
    pub oldest_created_at: Option<Stamp>,
    /// When the newest active memory was made.
    #[serde(serialize_with = "crate::json::time")]
    pub newest_created_at: Option<Stamp>,
    /// Sessions that nobody ended.
    pub open_sessions: u64,
    /// Sessions that were ended.
    pub ended_sessions: u64,
    /// Active memories with a vector, by the model that made it.
    #[serde(serialize_with = "super::hit::counts")]
    pub vectors_by_model: Vec<KeyCount>,
    /// Active memories without a vector of any model.
    pub missing_vectors: u64,
    /// Bytes of the store's file and its log.
    pub store_bytes: u64,
    /// The version of the store's schema.
    pub schema_version: u32,
}
