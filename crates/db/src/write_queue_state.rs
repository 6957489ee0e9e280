//! The table `write_queue_state`.

use super::{ReadTx, Result, WriteTx};
use crate::statement::whole;
use rusqlite::params;

impl ReadTx<'_> {
    /// Up to which number a queue of writes has been replayed; `None`: nothing of it yet.
    pub fn replayed_until(&self, queue_id: &str) -> Result<Option<u64>> {
        let sql = "SELECT replayed_until FROM write_queue_state WHERE queue_id = ?1";
        let until: Option<i64> = self.value(sql, [queue_id])?;
        Ok(until.map(|until| until.max(0).unsigned_abs()))
    }
}

impl WriteTx<'_> {
    /// Notes up to which number a queue has been replayed; of queues before it nothing is left.
    pub fn set_replayed_until(&self, queue_id: &str, number: u64) -> Result<()> {
        self.execute("DELETE FROM write_queue_state WHERE queue_id <> ?1", [queue_id])?;
        self.execute(
            "INSERT INTO write_queue_state (queue_id, replayed_until) VALUES (?1, ?2) \
             ON CONFLICT (queue_id) DO UPDATE SET replayed_until = ?2",
            params![queue_id, whole(number)],
        )
    }
}
