//! The table `session`.

use super::column::{Cells, Record, reader};
use super::{ReadTx, Result, WriteTx};
use crate::statement::{insert, statements};
use robot_memory_core::model::{MemType, Scope, Session, Stamp};
use rusqlite::{named_params, params};

/// A session that is not stored yet.
pub struct SessionDraft<'a> {
    pub session_id: &'a str,
    pub collection: &'a str,
    pub agent: &'a str,
    pub context: &'a str,
    pub started_at: Stamp,
}

reader!(Session, select_session {
    session_id = "session.session_id",
    collection = "session.collection",
    status = "session.status",
    interrupted = "session.status = 'open' AND session.run < \
                   (SELECT run FROM store_state WHERE id = 1)",
    agent = "session.agent",
    context = "session.context",
    outcome_score = "session.outcome_score",
    memory_count = "(SELECT count(*) FROM memory m \
                    WHERE m.session_id = session.session_id AND m.status = 'active')",
    started_at = "session.started_at",
    ended_at = "session.ended_at",
});

const MATCHES: &str = "(:collection = '' OR session.collection = :collection) \
    AND (:status = '' OR session.status = :status) AND (:agent IS NULL OR session.agent = :agent)";

impl ReadTx<'_> {
    statements! {
        /// The session of this id.
        pub fn session(session_id: &str) -> row<Session> =
            select_session!("FROM session WHERE session.session_id = ?1");

        /// The context of a session, JSON or empty; `None` of one that is not there, or that an import began.
        pub fn session_context(session_id: &str) -> value<String> =
            "SELECT context FROM session WHERE session_id = ?1 AND run <> 0 AND context <> ''";

        /// Who began a session.
        pub fn session_agent(session_id: &str) -> value<String> =
            "SELECT agent FROM session WHERE session_id = ?1";

        /// The session of this run that was begun last in a collection, is still open, and was by `at`.
        pub fn open_session(collection: &str, at: Stamp) [collection, at.0] -> value<String> =
            "SELECT session_id FROM session WHERE collection = ?1 AND status = 'open' \
             AND started_at <= ?2 AND run = (SELECT run FROM store_state WHERE id = 1) \
             ORDER BY started_at DESC, session_id LIMIT 1";
    }

    /// How many active memories a session has of each scope and life cycle class.
    pub fn session_totals(&self, session_id: &str) -> Result<Vec<(Scope, MemType, u64)>> {
        let sql = "SELECT min(id), scope, mem_type, count(*) FROM memory \
                   WHERE session_id = ?1 AND status = 'active' GROUP BY scope, mem_type";
        self.rows(sql, [session_id], |row| {
            Ok((row.cell(1, "scope")?, row.cell(2, "mem_type")?, row.count(3)?))
        })
    }

    /// A page of sessions, newest first, and how many match in all. Empty texts match all; so does no
    /// agent, of those who began them.
    pub fn sessions(
        &self,
        collection: &str,
        status: &str,
        agent: Option<&str>,
        limit: u32,
        offset: u32,
    ) -> Result<(Vec<Session>, u64)> {
        let filter = named_params! {
            ":collection": collection, ":status": status, ":agent": agent,
        };
        let total = self.count(&format!("SELECT count(*) FROM session WHERE {MATCHES}"), filter)?;
        let sql = format!(
            "{} WHERE {MATCHES} \
             ORDER BY session.started_at DESC, session.session_id LIMIT :limit OFFSET :offset",
            select_session!("FROM session")
        );
        let page = named_params! {
            ":collection": collection, ":status": status, ":agent": agent, ":limit": limit,
            ":offset": offset,
        };
        Ok((self.rows(&sql, page, Record::read)?, total))
    }
}

impl WriteTx<'_> {
    /// Stores an open session of this run.
    pub fn insert_session(&self, draft: &SessionDraft<'_>) -> Result<()> {
        let run = self.one("SELECT run FROM store_state WHERE id = 1", [])?;
        self.insert_session_of(draft, run)
    }

    /// Stores an open session of no run: it is nowhere the one that is open.
    pub fn insert_recorded_session(&self, draft: &SessionDraft<'_>) -> Result<()> {
        self.insert_session_of(draft, 0)
    }

    fn insert_session_of(&self, draft: &SessionDraft<'_>, run: i64) -> Result<()> {
        insert!(
            self,
            "session",
            session_id = draft.session_id,
            collection = draft.collection,
            status = "open",
            agent = draft.agent,
            context = draft.context,
            run = run,
            started_at = draft.started_at.0
        )
    }

    /// Marks a session as ended.
    pub fn end_session(&self, session_id: &str, score: Option<f64>, at: Stamp) -> Result<()> {
        self.execute(
            "UPDATE session SET status = 'ended', outcome_score = ?2, ended_at = ?3 \
             WHERE session_id = ?1",
            params![session_id, score, at.0],
        )
    }
}
