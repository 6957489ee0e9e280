//! The table `branch`.

use super::column::{Cells, json};
use super::{ReadTx, Result, WriteTx};
use crate::statement::statements;
use robot_memory_core::model::{Branch, BranchStatus, Scope};
use rusqlite::params;

impl ReadTx<'_> {
    /// What became of an attempt; `None` when the session has none of this name.
    pub fn branch_status(&self, session_id: &str, branch_id: &str) -> Result<Option<BranchStatus>> {
        let sql = "SELECT status FROM branch WHERE session_id = ?1 AND branch_id = ?2";
        self.row(sql, [session_id, branch_id], |row| row.cell(0, "branch.status"))
    }

    /// The attempts of a session, in order of name.
    pub fn branches(&self, session_id: &str) -> Result<Vec<Branch>> {
        let sql = "SELECT b.branch_id, b.status, b.merged_into, count(t.id), \
                   coalesce(max(t.turn_no), 0) \
                   FROM branch b LEFT JOIN turn t \
                   ON t.session_id = b.session_id AND t.branch_id = b.branch_id \
                   WHERE b.session_id = ?1 GROUP BY b.branch_id ORDER BY b.branch_id";
        self.rows(sql, [session_id], |row| {
            Ok(Branch {
                branch_id: row.get(0)?,
                status: row.cell(1, "branch.status")?,
                turn_count: row.count(3)?,
                last_turn_no: row.get(4)?,
                merged_into: json(row, 2, "branch.merged_into")?,
            })
        })
    }
}

impl WriteTx<'_> {
    statements! {
        /// Makes an attempt of a session known, as open, unless it is known already or there is no such
        /// session.
        pub fn open_branch(session_id: &str, branch_id: &str) -> execute =
            "INSERT OR IGNORE INTO branch (session_id, branch_id, status) \
             SELECT session_id, ?2, 'open' FROM session WHERE session_id = ?1";

        /// Lets a row be of another scope; all else stays as it is.
        pub fn set_scope(id: i64, scope: &Scope) [id, scope.to_string()] -> execute =
            "UPDATE memory SET scope = ?2 WHERE id = ?1";

        /// Lets a row be said wherever another one was said, too.
        pub fn copy_turn_sources(from: i64, to: i64) -> execute =
            "INSERT INTO turn_memory (turn_id, memory_id, sentence_number, sentence_start, \
             sentence_end, pointer) \
             SELECT turn_id, ?2, sentence_number, sentence_start, sentence_end, pointer \
             FROM turn_memory WHERE memory_id = ?1 ORDER BY id";
    }

    /// Lets an attempt have won, merged into a scope, and all others of its session that are open have
    /// lost.
    pub fn win_branch(&self, session_id: &str, branch_id: &str, into: &Scope) -> Result<()> {
        self.execute(
            "UPDATE branch SET status = 'won', merged_into = \
             CASE WHEN ?3 IN (SELECT value FROM json_each(merged_into)) THEN merged_into \
             ELSE json_insert(merged_into, '$[#]', ?3) END \
             WHERE session_id = ?1 AND branch_id = ?2",
            params![session_id, branch_id, into.to_string()],
        )?;
        self.execute(
            "UPDATE branch SET status = 'lost' \
             WHERE session_id = ?1 AND branch_id <> ?2 AND status = 'open'",
            [session_id, branch_id],
        )
    }

    /// Makes the attempt known that a row belongs to, when its scope is one.
    pub(super) fn open_branch_of(&self, scope: &Scope) -> Result<()> {
        match scope {
            Scope::Branch { session, branch } => self.open_branch(session, branch),
            _ => Ok(()),
        }
    }
}
