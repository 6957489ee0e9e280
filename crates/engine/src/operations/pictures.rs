//! How well the pictures of rows show what a query asks for.

use super::lists::Query;
use crate::db::PictureQuery;
use crate::{Operations, Result};
use robot_memory_db::ReadTx;
use robot_memory_index::ranking::VectorHit;
use robot_memory_index::{Bitset, Derived, PictureColumn, Slot, cosine_le_bytes};

/// The similarity of rows' pictures with a query. Without an index of the query's model in memory, vectors
/// are read from the store.
pub struct PictureSimilarities<'t> {
    tx: &'t ReadTx<'t>,
    derived: &'t Derived,
    query: Option<&'t PictureQuery>,
}

impl Operations {
    /// How well pictures show what a query asks for; its vector may be of a model that was exchanged since.
    pub(super) fn picture_similarities<'t>(
        &self,
        tx: &'t ReadTx<'t>,
        derived: &'t Derived,
        query: Option<&'t Query>,
    ) -> PictureSimilarities<'t> {
        let query = query.and_then(|query| query.picture.as_ref());
        let query = query.filter(|query| self.picture_model().as_ref() == Some(&query.model));
        PictureSimilarities::new(tx, derived, query)
    }
}

impl<'t> PictureSimilarities<'t> {
    /// For a query's vector, which must be of the model in use; `None`: no picture is looked for.
    pub fn new(tx: &'t ReadTx<'t>, derived: &'t Derived, query: Option<&'t PictureQuery>) -> Self {
        Self { tx, derived, query }
    }

    /// The allowed rows whose pictures show best what is asked for, of those that may show it at all: the
    /// best first, equals in order of id.
    pub fn best(&self, allowed: &Bitset, count: usize) -> Result<Vec<VectorHit>> {
        let Some(query) = self.query else { return Ok(Vec::new()) };
        let (components, from) = (&query.components, query.range.from);
        let hits = match self.column(query) {
            Some(column) => column.best(components, allowed, count, from),
            None => {
                let mut hits: Vec<(Slot, f32)> = Vec::new();
                self.tx.each_picture(&query.model, |id, bytes| {
                    let slot = self.derived.rows.slot(id).filter(|slot| allowed.contains(*slot));
                    let similarity = cosine_le_bytes(bytes, components);
                    hits.extend(slot.zip(similarity.filter(|it| *it >= from)));
                })?;
                hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                hits.truncate(count);
                hits
            }
        };
        Ok(hits.into_iter().map(VectorHit::from).collect())
    }

    /// The cosine of a row's picture and the query, when both have a vector.
    pub fn of(&self, slot: Slot) -> Result<Option<f32>> {
        let Some(query) = self.query else { return Ok(None) };
        if let Some(column) = self.column(query) {
            return Ok(column.similarity(slot, &query.components));
        }
        let Some(id) = self.derived.rows.id(slot) else { return Ok(None) };
        let similarity =
            self.tx.picture(id, &query.model, |bytes| cosine_le_bytes(bytes, &query.components))?;
        Ok(similarity.flatten())
    }

    /// How sure it is that a row's picture shows what is asked for: 0 to 1.
    pub fn share(&self, slot: Slot) -> Result<f64> {
        let Some(query) = self.query else { return Ok(0.0) };
        Ok(self.of(slot)?.map_or(0.0, |similarity| query.range.share(similarity)))
    }

    fn column(&self, query: &PictureQuery) -> Option<&'t PictureColumn> {
        let column = self.derived.pictures.as_ref();
        column.filter(|column| column.dimension() == query.components.len())
    }
}
