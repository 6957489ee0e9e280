//! The table `memory_audit`.

use super::column::{Record, reader};
use super::{ReadTx, Result, WriteTx};
use crate::statement::statements;
use robot_memory_core::api::MemoryChange;
use robot_memory_core::model::Stamp;

reader!(MemoryChange, select_change {
    operation = "operation",
    agent = "agent",
    changed_at = "changed_at",
    content = "content",
    context = "context",
});

impl ReadTx<'_> {
    /// All that was done to a row, the oldest first.
    pub fn audit(&self, memory_id: i64) -> Result<Vec<MemoryChange>> {
        let sql = select_change!("FROM memory_audit WHERE memory_id = ?1 ORDER BY id");
        self.rows(sql, [memory_id], Record::read)
    }
}

impl WriteTx<'_> {
    statements! {
        /// Keeps what a row said before an operation changed it.
        pub fn insert_audit(
            memory_id: i64, operation: &str, agent: &str, content: &str, context: &str, at: Stamp
        ) [memory_id, operation, agent, content, context, at.0] -> execute =
            "INSERT INTO memory_audit (memory_id, operation, agent, content, context, \
             changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    }
}
