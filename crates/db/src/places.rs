//! Rows from the newest backward, for where they are placed.

use super::{ReadTx, Result};
use rusqlite::params;

impl ReadTx<'_> {
    /// The greatest id of any row; 0 when there is none.
    pub fn newest_id(&self) -> Result<i64> {
        let mut statement =
            self.connection.prepare_cached("SELECT coalesce(max(id), 0) FROM memory")?;
        Ok(statement.query_row([], |row| row.get(0))?)
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
        let mut statement = self.connection.prepare_cached(
            "SELECT id, iif(status = 'active', context, '') FROM memory WHERE id < ?1 \
             ORDER BY id DESC LIMIT ?2",
        )?;
        let mut rows = statement.query(params![before, limit])?;
        let (mut count, mut last) = (0, before);
        while let Some(row) = rows.next()? {
            last = row.get(0)?;
            count += 1;
            f(last, row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?);
        }
        Ok((count == limit).then_some(last))
    }
}
