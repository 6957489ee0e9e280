//! The table `open_attempt`: attempts that were begun and have not ended.

use super::column::record;
use super::{ReadTx, Result, WriteTx};
use crate::statement::{insert, statements};
use robot_memory_core::model::Stamp;

record! {
    /// An attempt that has not ended.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OpenAttempt, select_open_attempt {
        /// Who began it.
        pub agent: String = "agent",
        /// When.
        pub began_at: Stamp = "began_at",
    }
}

impl ReadTx<'_> {
    statements! {
        /// The attempt that a memory is, when it has not ended.
        pub fn open_attempt(memory_id: i64) -> row<OpenAttempt> =
            select_open_attempt!("FROM open_attempt WHERE memory_id = ?1");

        /// Attempts that an earlier run left open and whose memories do not say so yet, at most `limit`, in order.
        pub fn interrupted_attempts(limit: u32) -> values<i64> =
            "SELECT memory_id FROM open_attempt WHERE is_marked = 0 \
             AND run < (SELECT run FROM store_state WHERE id = 1) ORDER BY memory_id LIMIT ?1";

        /// Active events that were stored after a memory and began in a span, in order, at most `limit`.
        pub fn events_after(memory_id: i64, since: Stamp, until: Stamp, limit: u32)
            [memory_id, since.0, until.0, limit] -> values<i64> =
            "SELECT e.memory_id FROM event e JOIN memory m ON m.id = e.memory_id \
             WHERE e.memory_id > ?1 AND e.began_at BETWEEN ?2 AND ?3 AND m.status = 'active' \
             ORDER BY e.memory_id LIMIT ?4";
    }
}

impl WriteTx<'_> {
    statements! {
        /// Notes that the memory says that the attempt was interrupted.
        pub fn mark_open_attempt(memory_id: i64) -> execute =
            "UPDATE open_attempt SET is_marked = 1 WHERE memory_id = ?1";

        /// Notes that an attempt has ended.
        pub fn delete_open_attempt(memory_id: i64) -> execute =
            "DELETE FROM open_attempt WHERE memory_id = ?1";
    }

    /// Notes that an attempt has begun in this run.
    pub fn insert_open_attempt(&self, memory_id: i64, agent: &str, began_at: Stamp) -> Result<()> {
        let run: i64 = self.one("SELECT run FROM store_state WHERE id = 1", [])?;
        insert!(
            self,
            "open_attempt",
            memory_id = memory_id,
            agent = agent,
            began_at = began_at.0,
            run = run,
        )
    }
}
