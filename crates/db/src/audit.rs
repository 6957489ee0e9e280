//! The table `memory_audit`.

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
        let mut statement = self.connection.prepare_cached(
            "SELECT operation, agent, changed_at, content, context FROM memory_audit \
             WHERE memory_id = ?1 ORDER BY id",
        )?;
        let entries = statement.query_map([memory_id], |row| {
            Ok(AuditEntry {
                operation: row.get(0)?,
                agent: row.get(1)?,
                changed_at: Stamp(row.get(2)?),
                content: row.get(3)?,
                context: row.get(4)?,
            })
        })?;
        Ok(entries.collect::<rusqlite::Result<_>>()?)
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
        self.connection
            .prepare_cached(
                "INSERT INTO memory_audit (memory_id, operation, agent, content, context, \
                 changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![memory_id, operation, agent, content, context, at.0])?;
        Ok(())
    }
}
