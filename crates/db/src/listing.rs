//! Rows one by one, with what a search does not need of them.

use super::column::Cells;
use super::{ReadTx, Result};
use robot_memory_core::model::Stamp;
use rusqlite::params;
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
        let sql = "SELECT id FROM memory WHERE (?1 OR status = 'active') \
                   AND (?2 OR collection IN (SELECT value FROM json_each(?3))) ORDER BY id";
        let names = Value::from(collections).to_string();
        let params = params![all_statuses, collections.is_empty(), names];
        self.each_until(sql, params, |row| f(row.get(0)?)).map(drop)
    }

    /// Why and when a row was withdrawn; an empty text and nothing when it was not.
    pub fn invalidation(&self, id: i64) -> Result<(String, Option<Stamp>)> {
        let found = self.row(
            "SELECT coalesce(invalidated_reason, ''), invalidated_at FROM memory WHERE id = ?1",
            [id],
            |row| Ok((row.get(0)?, row.optional_stamp(1)?)),
        )?;
        Ok(found.unwrap_or_default())
    }

    /// The model of a row's vector, empty when there is none, and the vector when it is asked for.
    pub fn embedding(&self, id: i64, with_vector: bool) -> Result<(String, Vec<f32>)> {
        let sql = "SELECT m.name, iif(?2, v.embedding, x'') FROM memory_vector v \
                   JOIN embedding_model m ON m.model = v.model WHERE v.memory_id = ?1";
        let found = self.row(sql, params![id, with_vector], |row| {
            let (components, _) = row.blob(1)?.as_chunks::<4>();
            Ok((row.get(0)?, components.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()))
        })?;
        Ok(found.unwrap_or_default())
    }
}
