use super::operation;
use crate::model::{Level, Status};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Take an archived memory back.
    RestoreMemory, "restore_memory", RestoreMemoryRequest => RestoreMemoryResponse
);

request! {
    /// Which memory.
    pub struct RestoreMemoryRequest {
        /// Greater than 0.
        pub memory_id: i64,
        /// Kept in its ledger; empty: none.
        pub reason: String as text,
        /// Only a memory that a search of this scope would see; empty: any that the agent may read.
        pub scope: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// The memory as it is recalled again.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct RestoreMemoryResponse {
        pub memory_id: i64,
        /// Active.
        pub status: Status,
        /// A working memory of an episode that has ended becomes knowledge.
        pub level: Level,
        /// Whether it has a vector already; else it is filled in later.
        pub has_embedding: bool,
    }
}
