//! The table `branch`.

use super::{Error, ReadTx, Result, WriteTx};
use robot_memory_core::model::{Branch, BranchStatus, Scope};
use rusqlite::{OptionalExtension, params};

impl ReadTx<'_> {
    /// What became of an attempt; `None` when the session has none of this name.
    pub fn branch_status(&self, session_id: &str, branch_id: &str) -> Result<Option<BranchStatus>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT status FROM branch WHERE session_id = ?1 AND branch_id = ?2")?;
        let status: Option<String> =
            statement.query_row([session_id, branch_id], |row| row.get(0)).optional()?;
        status.map(|status| branch_status(&status)).transpose()
    }

    /// The attempts of a session, in order of name.
    pub fn branches(&self, session_id: &str) -> Result<Vec<Branch>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT b.branch_id, b.status, b.merged_into, count(t.id), \
             coalesce(max(t.turn_no), 0) \
             FROM branch b LEFT JOIN turn t \
             ON t.session_id = b.session_id AND t.branch_id = b.branch_id \
             WHERE b.session_id = ?1 GROUP BY b.branch_id ORDER BY b.branch_id",
        )?;
        let mut rows = statement.query([session_id])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(Branch {
                branch_id: row.get(0)?,
                status: branch_status(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?,
                turn_count: row.get::<_, i64>(3)?.unsigned_abs(),
                last_turn_no: row.get(4)?,
                merged_into: scopes(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)?,
            });
        }
        Ok(found)
    }
}

impl WriteTx<'_> {
    /// Makes an attempt of a session known, as open, unless it is known already or there is no such
    /// session.
    pub fn open_branch(&self, session_id: &str, branch_id: &str) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT OR IGNORE INTO branch (session_id, branch_id, status) \
                 SELECT session_id, ?2, 'open' FROM session WHERE session_id = ?1",
            )?
            .execute([session_id, branch_id])?;
        Ok(())
    }

    /// Lets an attempt have won, merged into a scope, and all others of its session that are open have
    /// lost.
    pub fn win_branch(&self, session_id: &str, branch_id: &str, into: &Scope) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE branch SET status = 'won', merged_into = \
                 CASE WHEN ?3 IN (SELECT value FROM json_each(merged_into)) THEN merged_into \
                 ELSE json_insert(merged_into, '$[#]', ?3) END \
                 WHERE session_id = ?1 AND branch_id = ?2",
            )?
            .execute(params![session_id, branch_id, into.to_string()])?;
        self.connection
            .prepare_cached(
                "UPDATE branch SET status = 'lost' \
                 WHERE session_id = ?1 AND branch_id <> ?2 AND status = 'open'",
            )?
            .execute([session_id, branch_id])?;
        Ok(())
    }

    /// Lets a row be of another scope; all else stays as it is.
    pub fn set_scope(&self, id: i64, scope: &Scope) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE memory SET scope = ?2 WHERE id = ?1")?
            .execute(params![id, scope.to_string()])?;
        Ok(())
    }

    /// Lets a row be said wherever another one was said, too.
    pub fn copy_turn_sources(&self, from: i64, to: i64) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO turn_memory (turn_id, memory_id, sentence_number, sentence_start, \
                 sentence_end, pointer) \
                 SELECT turn_id, ?2, sentence_number, sentence_start, sentence_end, pointer \
                 FROM turn_memory WHERE memory_id = ?1 ORDER BY id",
            )?
            .execute([from, to])?;
        Ok(())
    }

    /// Makes the attempt known that a row belongs to, when its scope is one.
    pub(super) fn open_branch_of(&self, scope: &Scope) -> Result<()> {
        match scope {
            Scope::Branch { session, branch } => self.open_branch(session, branch),
            _ => Ok(()),
        }
    }
}

fn branch_status(spelling: &str) -> Result<BranchStatus> {
    BranchStatus::parse(spelling).ok_or(Error::Row { id: 0, column: "branch.status" })
}

/// A JSON array of scopes.
fn scopes(json: &str) -> Result<Vec<String>> {
    serde_json::from_str(json).map_err(|_| Error::Row { id: 0, column: "branch.merged_into" })
}
