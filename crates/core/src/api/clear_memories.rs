use super::operation;
use crate::model::Stamp;
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Delete every memory of a level and collection for good, or those of a time range.
    ClearMemories, "clear_memories", ClearMemoriesRequest => ClearMemoriesResponse
);

request! {
    /// Which memories. Both level and collection must be named.
    pub struct ClearMemoriesRequest {
        /// Spelling of a [`Level`](crate::model::Level).
        pub level: String as lookup,
        pub collection: String as lookup,
        /// Only memories created at or after.
        pub since: Option<Stamp>,
        /// Only memories created before.
        pub until: Option<Stamp>,
        /// Only memories that a search of this scope would see; empty: of every scope.
        pub scope: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// What was deleted.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct ClearMemoriesResponse {
        /// Rows of any status, and objects.
        pub deleted_count: u64,
        /// Clips that went with them.
        pub clips_deleted_count: u64,
        /// Until when backups may hold them; `None`: there is no backup.
        #[serde(serialize_with = "crate::json::time")]
        pub backups_until: Option<Stamp>,
    }
}
