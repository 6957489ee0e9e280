//! The table `memory_audit`.

use super::column::Cells;
use super::{ReadTx, Result, WriteTx};
use robot_memory_core::model::Stamp;
use rusqlite::params;

/// What was done to a row, and what it said before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub operation: String,
    pub agent: String,
    pub changed_at: Stamp,
    pub content: String,
    pub context: String,
}

impl ReadTx<'_> {
    /// All that was done to a row, the oldest first.
    pub fn audit(&self, memory_id: i64) -> Result<Vec<AuditEntry>> {
        let sql = "SELECT operation, agent, changed_at, content, context FROM memory_audit \
                   WHERE memory_id = ?1 ORDER BY id";
        self.rows(sql, [memory_id], |row| {
            Ok(AuditEntry {
                operation: row.get(0)?,
                agent: row.get(1)?,
                changed_at: row.stamp(2)?,
                content: row.get(3)?,
                context: row.get(4)?,
            })
        })
    }
}

impl WriteTx<'_> {
    /// Keeps what a row said before an operation changed it.
    pub fn insert_audit(
        &self,
        memory_id: i64,
        operation: &str,
        agent: &str,
        content: &str,
        context: &str,
        at: Stamp,
    ) -> Result<()> {
        self.execute(
            "INSERT INTO memory_audit (memory_id, operation, agent, content, context, \
             changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![memory_id, operation, agent, content, context, at.0],
        )
    }
}
