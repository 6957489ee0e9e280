//! The table `memory_audit`.

use super::{Result, WriteTx};
use crate::model::Stamp;
use rusqlite::params;

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
