//! Rows from the newest backward, for where they are placed.

use super::column::Cells;
use super::{ReadTx, Result};
use rusqlite::params;

impl ReadTx<'_> {
    /// The greatest id of any row; 0 when there is none.
    pub fn newest_id(&self) -> Result<i64> {
        self.one("SELECT coalesce(max(id), 0) FROM memory", [])
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
