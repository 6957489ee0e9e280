//! The table `idempotency`.

use super::{ReadTx, Result, WriteTx};
use crate::statement::statements;
use robot_memory_core::limits::IDEMPOTENCY_KEYS_MAX;
use robot_memory_core::model::Stamp;
use rusqlite::params;

impl ReadTx<'_> {
    statements! {
        /// What an earlier call with this key asked (as a hash) and was answered (as JSON).
        pub fn cached_response(operation: &str, key: &str) -> row<(Vec<u8>, String)> =
            "SELECT request_hash, response FROM idempotency WHERE operation = ?1 AND key = ?2";
    }
}

impl WriteTx<'_> {
    /// Keeps an answer; the oldest ones go when there are too many.
    pub fn insert_answer(
        &self,
        operation: &str,
        key: &str,
        request_hash: &[u8; 32],
        response: &str,
        at: Stamp,
    ) -> Result<()> {
        self.execute(
            "INSERT INTO idempotency (operation, key, request_hash, response, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![operation, key, request_hash, response, at.0],
        )?;
        let newest = self.connection.last_insert_rowid();
        self.execute(
            "DELETE FROM idempotency WHERE id <= ?1",
            [newest - IDEMPOTENCY_KEYS_MAX as i64],
        )
    }
}
