//! The table `memory_outdated`: what a backup says and no longer holds.

use super::{ReadTx, Result, WriteTx};
use crate::statement::{statements, whole};

impl WriteTx<'_> {
    /// Forgets what was outdated before this revision, when no backup is left that does not know it;
    /// answers how much that was.
    pub fn forget_outdated(&self, revision: i64) -> Result<usize> {
        let sql = "DELETE FROM memory_outdated WHERE memory_id <> 0 AND revision < ?1";
        self.change(sql, [revision])
    }
}

impl ReadTx<'_> {
    statements! {
        /// Which store it is.
        pub fn store_id() -> one<String> = "SELECT store_id FROM store_state WHERE id = 1";

        /// How many memories there are, of any status.
        pub fn memory_count() -> count = "SELECT count(*) FROM memory";
    }

    /// Of which rows a backup says what no longer holds, and since which revision, in order; `None`: of more
    /// than `max`.
    pub fn outdated(&self, max: usize) -> Result<Option<Vec<(i64, i64)>>> {
        let sql = "SELECT memory_id, revision FROM memory_outdated ORDER BY memory_id LIMIT ?1";
        let limit = whole(max).saturating_add(1);
        let rows = self.rows(sql, [limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok((rows.len() <= max).then_some(rows))
    }
}
