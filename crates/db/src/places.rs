//! Rows in the order in which they were stored.

use super::column::Cells;
use super::{ReadTx, Result};
use robot_memory_core::model::{MemType, Scope};
use rusqlite::params;

/// Where a row is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRow {
    pub id: i64,
    pub scope: Scope,
    pub mem_type: MemType,
    pub is_active: bool,
}

impl ReadTx<'_> {
    /// The greatest id of any row; 0 when there is none.
    pub fn newest_id(&self) -> Result<i64> {
        self.one("SELECT coalesce(max(id), 0) FROM memory", [])
    }

    /// The greatest id that was ever given to a row, whether or not that is still there; 0 when none was.
    pub fn last_given_id(&self) -> Result<i64> {
        self.one("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'memory'", [])
    }

    /// The rows after this one, of any status, in order of id; at most `limit`.
    pub fn rows_after(&self, after: i64, limit: u32) -> Result<Vec<StoredRow>> {
        let sql = "SELECT id, scope, mem_type, status = 'active' FROM memory WHERE id > ?1 \
                   ORDER BY id LIMIT ?2";
        self.rows(sql, params![after, limit], |row| {
            Ok(StoredRow {
                id: row.get(0)?,
                scope: row.cell(1, "scope")?,
                mem_type: row.cell(2, "mem_type")?,
                is_active: row.get(3)?,
            })
        })
    }

    /// Calls `f` with the context of each row before this one, the newest first, empty for rows that
    /// are not active. Looks at no more than `limit` rows; answers the last of them, `None` when
    /// there are no more.
    pub fn each_context_before(
        &self,
        before: i64,
        limit: u32,
        mut f: impl FnMut(i64, &str),
    ) -> Result<Option<i64>> {
        let sql = "SELECT id, iif(status = 'active', context, '') FROM memory WHERE id < ?1 \
                   ORDER BY id DESC LIMIT ?2";
        let (mut count, mut last) = (0, before);
        self.each(sql, params![before, limit], |row| {
            last = row.get(0)?;
            count += 1;
            f(last, row.str(1)?);
            Ok(())
        })?;
        Ok((count == limit).then_some(last))
    }
}
