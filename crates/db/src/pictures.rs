//! The table `memory_picture`.

use super::column::{Cells, Record, record};
use super::vectors::to_bytes;
use super::{ReadTx, Result, WriteTx};
use crate::statement::statements;
use rusqlite::params;

record! {
    /// How many active memories with a picture there are.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct PictureTotals, select_totals {
        /// In all.
        pub count: u64 = "(SELECT count(*) FROM memory_picture)",
        /// That have a vector of a model, or were tried with it.
        pub tried: u64 = "(SELECT count(*) FROM memory_picture WHERE model = ?1)",
        /// Of which the model could make none.
        pub failed: u64 =
            "(SELECT count(*) FROM memory_picture WHERE model = ?1 AND embedding IS NULL)",
    }
}

impl ReadTx<'_> {
    statements! {
        /// Whether a memory has a picture.
        pub fn has_picture(memory_id: i64) -> exists =
            "SELECT 1 FROM memory_picture WHERE memory_id = ?1";

        /// The data of a perception; `None` when it is none, or not there.
        pub fn perception_data(memory_id: i64) -> value<String> =
            "SELECT data FROM perception WHERE memory_id = ?1";
    }

    /// Of how many pictures there are vectors of a model.
    pub fn picture_totals(&self, model: &str) -> Result<PictureTotals> {
        let model = self.model_number(model)?;
        let totals = self.row(select_totals!(""), [model], Record::read)?;
        Ok(totals.unwrap_or_default())
    }

    /// A row whose picture was not tried with a model; `None` when all were.
    pub fn untried_picture(&self, model: &str) -> Result<Option<i64>> {
        // Numbers of models are above 0. Each part is a range of the index.
        let model = self.model_number(model)?.unwrap_or(0);
        self.value(
            "SELECT memory_id FROM memory_picture WHERE model IS NULL \
             UNION ALL SELECT memory_id FROM memory_picture WHERE model < ?1 \
             UNION ALL SELECT memory_id FROM memory_picture WHERE model > ?1 LIMIT 1",
            [model],
        )
    }

    /// Calls `f` with each vector of a model's, as little-endian f32, in order of id.
    pub fn each_picture(&self, model: &str, mut f: impl FnMut(i64, &[u8])) -> Result<()> {
        let Some(model) = self.model_number(model)? else { return Ok(()) };
        let sql = "SELECT memory_id, embedding FROM memory_picture \
                   WHERE model = ?1 AND embedding IS NOT NULL ORDER BY memory_id";
        self.each(sql, [model], |row| {
            f(row.get(0)?, row.blob(1)?);
            Ok(())
        })
    }

    /// Calls `f` with the vector of a row's picture, of a model, as little-endian f32, and answers what it
    /// made of it; `None` when there is none.
    pub fn picture<T>(
        &self,
        id: i64,
        model: &str,
        f: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>> {
        let Some(model) = self.model_number(model)? else { return Ok(None) };
        let sql = "SELECT embedding FROM memory_picture \
                   WHERE memory_id = ?1 AND model = ?2 AND embedding IS NOT NULL";
        self.row(sql, params![id, model], |row| Ok(f(row.blob(0)?)))
    }
}

impl WriteTx<'_> {
    statements! {
        /// Notes that a row has a picture, of which there is no vector yet.
        pub fn insert_picture(memory_id: i64) -> execute =
            "INSERT OR REPLACE INTO memory_picture (memory_id) VALUES (?1)";

        /// Takes out that a row has a picture.
        pub fn delete_picture(memory_id: i64) -> execute =
            "DELETE FROM memory_picture WHERE memory_id = ?1";
    }

    /// Stores what a model made of a row's picture: a vector, or none; answers whether the row still has
    /// a picture.
    pub fn put_picture(&self, id: i64, model: &str, vector: Option<&[f32]>) -> Result<bool> {
        let model = self.number_of_model(model)?;
        let changed = self.change(
            "UPDATE memory_picture SET model = ?2, embedding = ?3 WHERE memory_id = ?1",
            params![id, model, vector.map(to_bytes)],
        )?;
        Ok(changed > 0)
    }

    /// Lets pictures be tried again of which a model could make no vector.
    pub fn retry_pictures(&self, model: &str) -> Result<usize> {
        let Some(model) = self.model_number(model)? else { return Ok(0) };
        self.change(
            "UPDATE memory_picture SET model = NULL WHERE model = ?1 AND embedding IS NULL",
            [model],
        )
    }
}
