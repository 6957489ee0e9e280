//! The table `session`.

use super::column::{Cells, Column};
use super::statement::insert;
use super::{ReadTx, Result, WriteTx};
use robot_memory_core::model::{MemType, Scope, Session, SessionStatus, Stamp};
use rusqlite::{Row, named_params, params};

/// A session that is not stored yet.
pub struct SessionDraft<'a> {
    pub session_id: &'a str,
    pub collection: &'a str,
    pub agent: &'a str,
    pub context: &'a str,
    pub started_at: Stamp,
}

/// What [`session`] reads, in this order.
const COLUMNS: &str = "s.session_id, s.collection, s.status, s.agent, s.context, \
    s.outcome_score, s.started_at, s.ended_at, \
    s.status = 'open' AND s.run < (SELECT run FROM store_state WHERE id = 1), \
    (SELECT count(*) FROM memory m WHERE m.session_id = s.session_id AND m.status = 'active')";

const MATCHES: &str = "(:collection = '' OR s.collection = :collection) \
    AND (:status = '' OR s.status = :status) AND (:agent IS NULL OR s.agent = :agent)";

impl ReadTx<'_> {
    /// The session of this id.
    pub fn session(&self, session_id: &str) -> Result<Option<Session>> {
        let sql = format!("SELECT {COLUMNS} FROM session s WHERE s.session_id = ?1");
        self.row(&sql, [session_id], session)
    }

    /// The context of a session, JSON or empty; `None` of one that is not there, or that an import began.
    pub fn session_context(&self, session_id: &str) -> Result<Option<String>> {
        self.value(
            "SELECT context FROM session WHERE session_id = ?1 AND run <> 0 AND context <> ''",
            [session_id],
        )
    }

    /// Who began a session.
    pub fn session_agent(&self, session_id: &str) -> Result<Option<String>> {
        self.value("SELECT agent FROM session WHERE session_id = ?1", [session_id])
    }

    /// The session of this run that was begun last in a collection, is still open, and was by `at`.
    pub fn open_session(&self, collection: &str, at: Stamp) -> Result<Option<String>> {
        self.value(
            "SELECT session_id FROM session WHERE collection = ?1 AND status = 'open' \
             AND started_at <= ?2 AND run = (SELECT run FROM store_state WHERE id = 1) \
             ORDER BY started_at DESC, session_id LIMIT 1",
            params![collection, at.0],
        )
    }

    /// How many active memories a session has of each scope and life cycle class.
    pub fn session_totals(&self, session_id: &str) -> Result<Vec<(Scope, MemType, u64)>> {
        let sql = "SELECT scope, mem_type, count(*), min(id) FROM memory \
                   WHERE session_id = ?1 AND status = 'active' GROUP BY scope, mem_type";
        self.rows(sql, [session_id], |row| {
            let column = Column { row, id: row.get(3)? };
            Ok((column.scope(0)?, column.text(1, "mem_type", MemType::parse)?, row.count(2)?))
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
        let total =
            self.count(&format!("SELECT count(*) FROM session s WHERE {MATCHES}"), filter)?;
        let sql = format!(
            "SELECT {COLUMNS} FROM session s WHERE {MATCHES} \
             ORDER BY s.started_at DESC, s.session_id LIMIT :limit OFFSET :offset"
        );
        let page = named_params! {
            ":collection": collection, ":status": status, ":agent": agent, ":limit": limit,
            ":offset": offset,
        };
        Ok((self.rows(&sql, page, session)?, total))
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

fn session(row: &Row<'_>) -> Result<Session> {
    Ok(Session {
        session_id: row.get(0)?,
        collection: row.get(1)?,
        status: Column { row, id: 0 }.text(2, "session.status", SessionStatus::parse)?,
        interrupted: row.get(8)?,
        agent: row.get(3)?,
        context: row.get(4)?,
        outcome_score: row.get(5)?,
        memory_count: row.count(9)?,
        started_at: row.stamp(6)?,
        ended_at: row.optional_stamp(7)?,
    })
}
