use super::{KeyCount, operation};
use crate::model::{Branch, Session};
use serde::{Deserialize, Serialize};

operation!(
    /// List episodes, newest first.
    ListSessions, "list_sessions", ListSessionsRequest => ListSessionsResponse
);

/// Which page of which episodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListSessionsRequest {
    /// Empty: all.
    pub collection: String,
    /// Spelling of a [`SessionStatus`](crate::model::SessionStatus); empty: all.
    pub status: String,
    /// 1 to 100.
    pub limit: u32,
    /// Rows to skip.
    pub offset: u32,
    /// Who asks; empty for the operator.
    pub agent: String,
}

impl Default for ListSessionsRequest {
    fn default() -> Self {
        Self {
            collection: String::new(),
            status: String::new(),
            limit: 50,
            offset: 0,
            agent: String::new(),
        }
    }
}

/// A page of episodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListSessionsResponse {
    /// Newest first.
    pub sessions: Vec<Session>,
    /// All that match.
    pub total: u64,
    /// Whether there are more after this page.
    pub has_more: bool,
}

operation!(
    /// Show one episode.
    GetSession, "get_session", GetSessionRequest => GetSessionResponse
);

/// Which episode.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GetSessionRequest {
    /// UUID.
    pub session_id: String,
    /// Who asks; empty for the operator.
    pub agent: String,
}

/// The episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GetSessionResponse {
    /// The episode.
    pub session: Session,
    /// Its active memories by type.
    pub by_type: Vec<KeyCount>,
    /// Its active facts by category.
    pub by_category: Vec<KeyCount>,
    /// Its attempts, by name.
    pub branches: Vec<Branch>,
}
