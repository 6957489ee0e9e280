//! The table `memory_vector`.

use super::{ReadTx, Result, WriteTx};
use rusqlite::params;

impl ReadTx<'_> {
    /// Calls `f` with each vector of a model, in order of id. A vector whose length is not a whole
    /// number of f32 is passed over.
    pub fn each_vector(&self, model: &str, mut f: impl FnMut(i64, &[f32])) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT memory_id, embedding FROM memory_vector WHERE model = ?1 ORDER BY memory_id",
        )?;
        let mut rows = statement.query([model])?;
        let mut vector = Vec::new();
        while let Some(row) = rows.next()? {
            let bytes = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            let (components, rest) = bytes.as_chunks::<4>();
            if rest.is_empty() {
                vector.clear();
                vector.extend(components.iter().map(|bytes| f32::from_le_bytes(*bytes)));
                f(row.get(0)?, &vector);
            }
        }
        Ok(())
    }

    /// The cosine of every stored vector of a model with `query`, in order of id, computed by
    /// sqlite-vec from what is on disk.
    pub fn similarities(&self, model: &str, query: &[f32]) -> Result<Vec<(i64, f32)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT memory_id, 1.0 - vec_distance_cosine(embedding, ?2) FROM memory_vector \
             WHERE model = ?1 AND length(embedding) = length(?2) ORDER BY memory_id",
        )?;
        let mut rows = statement.query(params![model, to_bytes(query)])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push((row.get(0)?, row.get::<_, f64>(1)? as f32));
        }
        Ok(found)
    }

    /// Active rows without a vector of this model and with a greater id than `after`, at most
    /// `limit`, in order of id, with their content.
    pub fn missing_vectors(
        &self,
        model: &str,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, String)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT m.id, m.content FROM memory m WHERE m.id > ?2 AND m.status = 'active' \
             AND NOT EXISTS \
             (SELECT 1 FROM memory_vector v WHERE v.memory_id = m.id AND v.model = ?1) \
             ORDER BY m.id LIMIT ?3",
        )?;
        let rows = statement
            .query_map(params![model, after, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl WriteTx<'_> {
    /// Stores a row's vector in place of any former one.
    pub fn put_vector(&self, id: i64, model: &str, vector: &[f32]) -> Result<()> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO memory_vector VALUES (?1, ?2, ?3)")?
            .execute(params![id, model, to_bytes(vector)])?;
        Ok(())
    }

    /// Takes a row's vector out.
    pub fn delete_vector(&self, id: i64) -> Result<()> {
        self.connection
            .prepare_cached("DELETE FROM memory_vector WHERE memory_id = ?1")?
            .execute([id])?;
        Ok(())
    }
}

fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|component| component.to_le_bytes()).collect()
}
