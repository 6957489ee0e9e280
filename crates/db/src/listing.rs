//! Rows one by one, with what a search does not need of them.

use super::{ReadTx, Result};
use robot_memory_core::model::Stamp;
use rusqlite::{OptionalExtension, params};
use serde_json::Value;
use std::ops::ControlFlow;

impl ReadTx<'_> {
    /// Calls `f` with the id of each memory of these collections, none being all, in order, until it
    /// breaks or fails; only with the active ones unless all are asked for.
    pub fn each_id(
        &self,
        collections: &[String],
        all_statuses: bool,
        mut f: impl FnMut(i64) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM memory WHERE (?1 OR status = 'active') \
             AND (?2 OR collection IN (SELECT value FROM json_each(?3))) ORDER BY id",
        )?;
        let names = Value::from(collections).to_string();
        let mut rows = statement.query(params![all_statuses, collections.is_empty(), names])?;
        while let Some(row) = rows.next()? {
            if f(row.get(0)?)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Why and when a row was withdrawn; an empty text and nothing when it was not.
    pub fn invalidation(&self, id: i64) -> Result<(String, Option<Stamp>)> {
        let mut statement = self.connection.prepare_cached(
            "SELECT coalesce(invalidated_reason, ''), invalidated_at FROM memory WHERE id = ?1",
        )?;
        let found = statement
            .query_row([id], |row| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?.map(Stamp))));
        Ok(found.optional()?.unwrap_or_default())
    }

    /// The model of a row's vector, empty when there is none, and the vector when it is asked for.
    pub fn embedding(&self, id: i64, with_vector: bool) -> Result<(String, Vec<f32>)> {
        let mut statement = self.connection.prepare_cached(
            "SELECT m.name, iif(?2, v.embedding, x'') FROM memory_vector v \
             JOIN embedding_model m ON m.model = v.model WHERE v.memory_id = ?1",
        )?;
        let mut rows = statement.query(params![id, with_vector])?;
        let Some(row) = rows.next()? else { return Ok(Default::default()) };
        let (components, _) =
            row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?.as_chunks::<4>();
        Ok((row.get(0)?, components.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()))
    }
}
