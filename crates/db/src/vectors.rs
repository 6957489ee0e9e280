//! The tables `memory_vector` and `embedding_model`.

use super::column::Cells;
use super::{ReadTx, Result, WriteTx};
use rusqlite::params;
use std::ops::ControlFlow;

impl ReadTx<'_> {
    /// Calls `f` with each vector of a model, as little-endian f32, in order of id, until it
    /// breaks; answers what it broke with.
    pub fn each_vector<B>(
        &self,
        model: &str,
        mut f: impl FnMut(i64, &[u8]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        let Some(model) = self.model_number(model)? else {
            return Ok(ControlFlow::Continue(()));
        };
        self.each_until(
            "SELECT memory_id, embedding FROM memory_vector WHERE model = ?1 ORDER BY memory_id",
            [model],
            |row| Ok(f(row.get(0)?, row.blob(1)?)),
        )
    }

    /// Calls `f` with the vector of a row, of whatever model, as little-endian f32, and answers
    /// what it made of it; `None` when the row has no vector.
    pub fn vector<T>(&self, id: i64, f: impl FnOnce(&[u8]) -> T) -> Result<Option<T>> {
        let sql = "SELECT embedding FROM memory_vector WHERE memory_id = ?1";
        self.row(sql, [id], |row| Ok(f(row.blob(0)?)))
    }

    /// Calls `f` with the vector of a row, of this model, as little-endian f32, and answers what it made
    /// of it; `None` when the row has none.
    pub fn vector_of<T>(
        &self,
        id: i64,
        model: &str,
        f: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>> {
        self.row(
            "SELECT v.embedding FROM memory_vector v JOIN embedding_model m ON m.model = v.model \
             WHERE v.memory_id = ?1 AND m.name = ?2",
            params![id, model],
            |row| Ok(f(row.blob(0)?)),
        )
    }

    /// Calls `f` with the cosine of every stored vector of a model with `query`, in order of id,
    /// computed by sqlite-vec from what is on disk, until it breaks. Vectors of another length are
    /// passed over.
    pub fn each_similarity<B>(
        &self,
        model: &str,
        query: &[f32],
        mut f: impl FnMut(i64, f32) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        let Some(model) = self.model_number(model)? else {
            return Ok(ControlFlow::Continue(()));
        };
        self.each_until(
            "SELECT memory_id, 1.0 - vec_distance_cosine(embedding, ?2) FROM memory_vector \
             WHERE model = ?1 AND length(embedding) = length(?2) ORDER BY memory_id",
            params![model, to_bytes(query)],
            |row| Ok(f(row.get(0)?, row.get::<_, f64>(1)? as f32)),
        )
    }

    /// Active rows without a vector of this model and with a greater id than `after`, at most
    /// `limit`, in order of id, with their content.
    pub fn missing_vectors(
        &self,
        model: &str,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, String)>> {
        let model = self.model_number(model)?;
        self.rows(
            "SELECT m.id, m.content FROM memory m WHERE m.id > ?2 AND m.status = 'active' \
             AND NOT EXISTS \
             (SELECT 1 FROM memory_vector v WHERE v.memory_id = m.id AND v.model = ?1) \
             ORDER BY m.id LIMIT ?3",
            params![model, after, limit],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    /// The number of a model; `None` when no vector of it was ever stored.
    pub(super) fn model_number(&self, model: &str) -> Result<Option<i64>> {
        self.value("SELECT model FROM embedding_model WHERE name = ?1", [model])
    }
}

impl WriteTx<'_> {
    /// Stores a row's vector in place of any former one.
    pub fn put_vector(&self, id: i64, model: &str, vector: &[f32]) -> Result<()> {
        let model = self.number_of_model(model)?;
        self.execute(
            "INSERT OR REPLACE INTO memory_vector VALUES (?1, ?2, ?3)",
            params![id, model, to_bytes(vector)],
        )
    }

    /// The number of a model, which gets one when it has none.
    pub(super) fn number_of_model(&self, model: &str) -> Result<i64> {
        if let Some(number) = self.model_number(model)? {
            return Ok(number);
        }
        self.execute("INSERT INTO embedding_model (name) VALUES (?1)", [model])?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Takes a row's vector out.
    pub fn delete_vector(&self, id: i64) -> Result<()> {
        self.execute("DELETE FROM memory_vector WHERE memory_id = ?1", [id])
    }
}

pub(super) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|component| component.to_le_bytes()).collect()
}
