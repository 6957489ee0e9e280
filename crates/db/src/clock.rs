//! The time at which something was stored last, kept in `store_state`.

use super::{ReadTx, Result, WriteTx};
use robot_memory_core::model::Stamp;

impl ReadTx<'_> {
    /// When something was stored last, to the minute; `None` when that is not known.
    pub fn last_now(&self) -> Result<Option<Stamp>> {
        let mut statement =
            self.connection.prepare_cached("SELECT last_now FROM store_state WHERE id = 1")?;
        Ok(statement.query_row([], |row| row.get::<_, Option<i64>>(0))?.map(Stamp))
    }
}

impl WriteTx<'_> {
    /// Keeps when something was stored last.
    pub fn put_last_now(&self, now: Stamp) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE store_state SET last_now = ?1 WHERE id = 1")?
            .execute([now.0])?;
        Ok(())
    }
}
