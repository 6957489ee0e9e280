use super::{KeyCount, operation};
use crate::model::{Branch, Session};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// List episodes, newest first.
    ListSessions, "list_sessions", ListSessionsRequest => ListSessionsResponse
);

request! {
    /// Which page of which episodes.
    pub struct ListSessionsRequest {
        /// Empty: all.
        pub collection: String as lookup,
        /// Spelling of a [`SessionStatus`](crate::model::SessionStatus); empty: all.
        pub status: String as lookup,
        /// 1 to 100.
        pub limit: u32 = 50,
        /// Rows to skip.
        pub offset: u32,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

record! {
    /// A page of episodes.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct ListSessionsResponse {
        /// Newest first.
        pub sessions: Vec<Session>,
        /// All that match.
        pub total: u64,
        /// Whether there are more after this page.
        pub has_more: bool,
    }
}

operation!(
    /// Show one episode.
    GetSession, "get_session", GetSessionRequest => GetSessionResponse
);

request! {
    /// Which episode.
    pub struct GetSessionRequest {
        /// UUID.
        pub session_id: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

record! {
    /// The episode.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct GetSessionResponse {
        pub session: Session,
        /// Its active memories by type.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub by_type: Vec<KeyCount>,
        /// Its active facts by category.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub by_category: Vec<KeyCount>,
        /// Its attempts, by name.
        pub branches: Vec<Branch>,
    }
}
