//! The table `session`.

use super::column::Column;
use super::{Error, ReadTx, Result, WriteTx};
use robot_memory_core::model::{MemType, Scope, Session, SessionStatus, Stamp};
use rusqlite::{OptionalExtension, Row, named_params, params};

/// A session that is not stored yet.
pub struct SessionDraft<'a> {
    pub session_id: &'a str,
    pub collection: &'a str,
    pub agent: &'a str,
    pub context: &'a str,
    pub started_at: Stamp,
}

const COLUMNS: &str = "s.session_id, s.collection, s.status, s.agent, s.context, \
    s.outcome_score, s.started_at, s.ended_at, \
    s.status = 'open' AND s.run < (SELECT run FROM store_state WHERE id = 1) AS interrupted, \
    (SELECT count(*) FROM memory m WHERE m.session_id = s.session_id AND m.status = 'active') \
    AS memory_count";

const MATCHES: &str = "(:collection = '' OR s.collection = :collection) \
    AND (:status = '' OR s.status = :status) AND (:agent IS NULL OR s.agent = :agent)";

impl ReadTx<'_> {
    /// The session of this id.
    pub fn session(&self, session_id: &str) -> Result<Option<Session>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("SELECT {COLUMNS} FROM session s WHERE s.session_id = ?1"))?;
        statement.query_row([session_id], |row| Ok(session(row))).optional()?.transpose()
    }

    /// The context of a session, JSON or empty; `None` of one that is not there, or that an import began.
    pub fn session_context(&self, session_id: &str) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT context FROM session WHERE session_id = ?1 AND run <> 0 AND context <> ''",
        )?;
        Ok(statement.query_row([session_id], |row| row.get(0)).optional()?)
    }

    /// Who began a session.
    pub fn session_agent(&self, session_id: &str) -> Result<Option<String>> {
        let mut statement =
            self.connection.prepare_cached("SELECT agent FROM session WHERE session_id = ?1")?;
        Ok(statement.query_row([session_id], |row| row.get(0)).optional()?)
    }

    /// The session of this run that was begun last in a collection, is still open, and was by `at`.
    pub fn open_session(&self, collection: &str, at: Stamp) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT session_id FROM session WHERE collection = ?1 AND status = 'open' \
             AND started_at <= ?2 AND run = (SELECT run FROM store_state WHERE id = 1) \
             ORDER BY started_at DESC, session_id LIMIT 1",
        )?;
        Ok(statement.query_row(params![collection, at.0], |row| row.get(0)).optional()?)
    }

    /// How many active memories a session has of each scope and life cycle class.
    pub fn session_totals(&self, session_id: &str) -> Result<Vec<(Scope, MemType, u64)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT scope, mem_type, count(*), min(id) FROM memory \
             WHERE session_id = ?1 AND status = 'active' GROUP BY scope, mem_type",
        )?;
        let mut rows = statement.query([session_id])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let column = Column { row, id: row.get(3)? };
            found.push((
                column.scope(0)?,
                column.text(1, "mem_type", MemType::parse)?,
                row.get::<_, i64>(2)?.unsigned_abs(),
            ));
        }
        Ok(found)
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
        let total: i64 = self
            .connection
            .prepare_cached(&format!("SELECT count(*) FROM session s WHERE {MATCHES}"))?
            .query_row(filter, |row| row.get(0))?;
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM session s WHERE {MATCHES} \
             ORDER BY s.started_at DESC, s.session_id LIMIT :limit OFFSET :offset"
        ))?;
        let mut rows = statement.query(named_params! {
            ":collection": collection, ":status": status, ":agent": agent, ":limit": limit,
            ":offset": offset,
        })?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(session(row)?);
        }
        Ok((found, total.unsigned_abs()))
    }
}

impl WriteTx<'_> {
    /// Stores an open session of this run.
    pub fn insert_session(&self, draft: &SessionDraft<'_>) -> Result<()> {
        let run = self
            .connection
            .prepare_cached("SELECT run FROM store_state WHERE id = 1")?
            .query_row([], |row| row.get(0))?;
        self.insert_session_of(draft, run)
    }

    /// Stores an open session of no run: it is nowhere the one that is open.
    pub fn insert_recorded_session(&self, draft: &SessionDraft<'_>) -> Result<()> {
        self.insert_session_of(draft, 0)
    }

    fn insert_session_of(&self, draft: &SessionDraft<'_>, run: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO session (session_id, collection, status, agent, context, run, \
                 started_at) VALUES (?1, ?2, 'open', ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                draft.session_id,
                draft.collection,
                draft.agent,
                draft.context,
                run,
                draft.started_at.0
            ])?;
        Ok(())
    }

    /// Marks a session as ended.
    pub fn end_session(&self, session_id: &str, score: Option<f64>, at: Stamp) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE session SET status = 'ended', outcome_score = ?2, ended_at = ?3 \
                 WHERE session_id = ?1",
            )?
            .execute(params![session_id, score, at.0])?;
        Ok(())
    }
}

fn session(row: &Row<'_>) -> Result<Session> {
    let status: String = row.get("status")?;
    Ok(Session {
        session_id: row.get("session_id")?,
        collection: row.get("collection")?,
        status: SessionStatus::parse(&status)
            .ok_or(Error::Row { id: 0, column: "session.status" })?,
        interrupted: row.get("interrupted")?,
        agent: row.get("agent")?,
        context: row.get("context")?,
        outcome_score: row.get("outcome_score")?,
        memory_count: row.get::<_, i64>("memory_count")?.unsigned_abs(),
        started_at: Stamp(row.get("started_at")?),
        ended_at: row.get::<_, Option<i64>>("ended_at")?.map(Stamp),
    })
}
