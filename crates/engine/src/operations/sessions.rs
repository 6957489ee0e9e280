//! ListSessions and GetSession: what episodes there are.

use super::check;
use crate::{Error, Operations, Result, Run};
use robot_memory_core::access::{SessionsAccess, Visibility};
use robot_memory_core::api::{
    GetSession, GetSessionRequest, GetSessionResponse, KeyCount, ListSessions, ListSessionsRequest,
    ListSessionsResponse,
};
use robot_memory_core::model::{Category, Kind, Session, SessionStatus};
use robot_memory_db::{ReadTx, SessionRow};
use std::collections::BTreeMap;

impl Run<ListSessions> for Operations {
    fn run(&self, request: ListSessionsRequest) -> Result<ListSessionsResponse> {
        let ListSessionsRequest { collection, status, limit, offset, agent } = request;
        self.check_agent(&agent)?;
        check::collection_name(&collection)?;
        check::parse_enum("status", &status, SessionStatus::parse, SessionStatus::spellings)?;
        check::page_limit(limit)?;
        let of_agent = match self.access.policy.sessions(&agent) {
            SessionsAccess::All => None,
            SessionsAccess::Own | SessionsAccess::Passed => Some(agent.as_str()),
            SessionsAccess::None => {
                let sessions = Vec::new();
                return Ok(ListSessionsResponse { sessions, total: 0, has_more: false });
            }
        };
        let visibility = self.full_visibility(&agent);
        let (sessions, total) = self.store.read(|tx| {
            let (mut sessions, total) =
                tx.sessions(&collection, &status, of_agent, limit, offset)?;
            for session in &mut sessions {
                count_seen(tx, session, &visibility)?;
            }
            Ok::<_, Error>((sessions, total))
        })?;
        let shown = u64::from(offset) + sessions.len() as u64;
        Ok(ListSessionsResponse { has_more: shown < total, sessions, total })
    }
}

impl Run<GetSession> for Operations {
    fn run(&self, request: GetSessionRequest) -> Result<GetSessionResponse> {
        let GetSessionRequest { session_id, agent } = request;
        self.check_agent(&agent)?;
        given_session_id(&session_id)?;
        let visibility = self.full_visibility(&agent);
        self.store.read(|tx| {
            let mut session = self.seen_session(tx, &session_id, &agent)?;
            let mut rows = tx.session_rows(&session_id)?;
            rows.retain(|row| visibility.sees(&row.scope, row.mem_type));
            session.memory_count = rows.len() as u64;
            let (by_type, by_category) = counts(&rows);
            let branches = tx.branches(&session_id)?;
            Ok(GetSessionResponse { session, by_type, by_category, branches })
        })
    }
}

impl Operations {
    /// The session, unless the caller may not see it: then there is none.
    pub(super) fn seen_session(
        &self,
        tx: &ReadTx<'_>,
        session_id: &str,
        agent: &str,
    ) -> Result<Session> {
        tx.session(session_id)?
            .filter(|session| self.may_see_session(session, agent))
            .ok_or_else(|| unknown_session(session_id))
    }
}

/// Counts the memories of a session that the caller may see.
fn count_seen(tx: &ReadTx<'_>, session: &mut Session, visibility: &Visibility) -> Result<()> {
    if matches!(visibility, Visibility::Everything) {
        return Ok(());
    }
    let totals = tx.session_totals(&session.session_id)?;
    let seen = totals.iter().filter(|(scope, mem_type, _)| visibility.sees(scope, *mem_type));
    session.memory_count = seen.map(|(_, _, count)| count).sum();
    Ok(())
}

/// Refuses an empty session id.
pub(super) fn given_session_id(session_id: &str) -> Result<()> {
    check::name("session_id", session_id)?;
    if session_id.is_empty() {
        return Err(check::invalid("session_id: must be given"));
    }
    Ok(())
}

/// There is no such session.
pub(super) fn unknown_session(session_id: &str) -> crate::Error {
    Error::not_found(format!("session_id: there is no session {session_id}"))
}

/// Rows by type, and facts by category, in order of the key.
pub(super) fn counts(rows: &[SessionRow]) -> (Vec<KeyCount>, Vec<KeyCount>) {
    (
        count(rows.iter().map(|row| row.kind).map(Kind::as_str)),
        count(rows.iter().filter_map(|row| row.category).map(Category::as_str)),
    )
}

fn count<'a>(keys: impl Iterator<Item = &'a str>) -> Vec<KeyCount> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
    counts.into_iter().map(|(key, count)| KeyCount { key: key.to_owned(), count }).collect()
}
