//! The time at which something was stored last, kept in `store_state`.

use super::{ReadTx, Result, WriteTx};
use robot_memory_core::model::Stamp;

impl ReadTx<'_> {
    /// When something was stored last, to the minute; `None` when that is not known.
    pub fn last_now(&self) -> Result<Option<Stamp>> {
        let last: Option<i64> = self.one("SELECT last_now FROM store_state WHERE id = 1", [])?;
        Ok(last.map(Stamp))
    }
}

impl WriteTx<'_> {
    /// Keeps when something was stored last.
    pub fn put_last_now(&self, now: Stamp) -> Result<()> {
        self.execute("UPDATE store_state SET last_now = ?1 WHERE id = 1", [now.0])
    }
}
