use super::{KeyCount, operation};
use crate::model::Level;
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Say which levels there are, and what each holds.
    ListLevels, "list_levels", ListLevelsRequest => ListLevelsResponse
);

request! {
    /// Of which memories.
    pub struct ListLevelsRequest {
        /// Empty: all collections.
        pub collection: String as lookup,
        /// Only memories that a search of this scope would see; empty: all that the agent may read.
        pub scope: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

record! {
    /// The levels.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct ListLevelsResponse {
        /// Core, knowledge, working.
        pub levels: Vec<LevelContent>,
    }
}

record! {
    /// What a level holds.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct LevelContent {
        pub level: Level,
        /// What it is for.
        pub description: String,
        pub memory_count: u64,
        /// Collections with an active memory of it.
        pub collection_count: u64,
    }
}

operation!(
    /// Say which collections there are.
    ListCollections, "list_collections", ListCollectionsRequest => ListCollectionsResponse
);

request! {
    /// Of which memories.
    pub struct ListCollectionsRequest {
        /// Spelling of a [`Level`]; empty: all levels.
        pub level: String as lookup,
        /// Only memories that a search of this scope would see; empty: all that the agent may read.
        pub scope: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

record! {
    /// The collections.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct ListCollectionsResponse {
        /// Collections with an active memory, by name, and how many.
        pub collections: Vec<KeyCount>,
        /// Active memories in all of them.
        pub memory_count: u64,
    }
}
