//! The table `memory_outdated`: what a backup says and no longer holds.

use super::{ReadTx, Result, WriteTx};

impl WriteTx<'_> {
    /// Forgets what was outdated before this revision, when no backup is left that does not know it;
    /// answers how much that was.
    pub fn forget_outdated(&self, revision: i64) -> Result<usize> {
        let sql = "DELETE FROM memory_outdated WHERE memory_id <> 0 AND revision < ?1";
        Ok(self.connection.prepare_cached(sql)?.execute([revision])?)
    }
}

impl ReadTx<'_> {
    /// How many memories there are, of any status.
    pub fn memory_count(&self) -> Result<u64> {
        let count: i64 =
            self.connection.query_row("SELECT count(*) FROM memory", [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }
}
