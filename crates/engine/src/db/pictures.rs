//! The model of pictures, and the index of their vectors.

use super::load::f32s;
use super::{Db, Result};
use robot_memory_db::{Locked, RwLocked};
use robot_memory_embedding::{MatchRange, PictureEmbedder};
use robot_memory_index::{PictureColumn, follow_pictures};
use std::sync::Arc;

/// What pictures are compared with, of which model, and which cosines mean something.
pub(crate) struct PictureQuery {
    pub model: String,
    pub components: Vec<f32>,
    pub range: MatchRange,
}

impl Db {
    pub(crate) fn picture_embedder(&self) -> Option<Arc<dyn PictureEmbedder>> {
        self.picture_embedding.read_locked().ready()
    }

    /// The model of pictures in use.
    pub(crate) fn picture_model(&self) -> Option<String> {
        self.picture_embedder().map(|embedder| embedder.model_id().to_owned())
    }

    /// The vector to look for pictures with; `None` when there is no model of pictures, or it failed.
    pub(crate) fn picture_query(&self, text: &str) -> Option<PictureQuery> {
        let embedder = self.picture_embedder()?;
        let components = match embedder.embed_query(text) {
            Ok(components) => components,
            Err(error) => {
                self.note_picture_fault(&format!("no picture is looked for: {error}"));
                return None;
            }
        };
        let (model, range) = (embedder.model_id().to_owned(), embedder.match_range());
        Some(PictureQuery { model, components, range })
    }

    /// Logs a fault of the model of pictures, unless it is the same as the last one.
    pub(crate) fn note_picture_fault(&self, fault: &str) {
        let mut last = self.picture_fault.locked();
        if last.as_deref() != Some(fault) {
            log::warn!("{fault}");
            *last = Some(fault.to_owned());
        }
    }

    /// Builds the index of pictures of a model beside the work.
    pub(crate) fn build_pictures(&self, model: &str, dimension: usize) -> Result<bool> {
        let is_in_use = || self.picture_model().as_deref() == Some(model);
        self.build_concurrently(
            &self.turns.pictures,
            |derived| derived.pictures.is_some() || !is_in_use(),
            |tx, slots| {
                let mut pictures = PictureColumn::new(dimension);
                let mut vector = Vec::with_capacity(dimension);
                tx.each_picture(model, |id, bytes| {
                    if let Some(slot) = slots.slot(id) {
                        vector.clear();
                        vector.extend(f32s(bytes));
                        pictures.put(slot, &vector);
                    }
                })?;
                Ok(Some(pictures))
            },
            follow_pictures,
            |derived, pictures| {
                if is_in_use() {
                    derived.pictures = Some(pictures);
                }
            },
        )
    }
}
