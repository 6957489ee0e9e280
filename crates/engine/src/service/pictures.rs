//! Vectors of pictures: by which model, made in the background, and how that goes.

use super::health::EmbedderState;
use crate::db::{Embedding, Outcome};
use crate::{Engine, Result, StoreState};
use robot_memory_core::api::ApiError;
use robot_memory_core::picture;
use robot_memory_db::{Locked, PictureTotals, RwLocked};
use robot_memory_embedding::{EmbedError, PictureEmbedder};
use robot_memory_index::Change;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// How the vectors of pictures are doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PicturesHealth {
    /// How their model is doing.
    pub embedder: EmbedderState,
    /// Active memories whose picture has a vector of the model.
    pub made: u64,
    /// Those whose picture waits for one.
    pub missing: u64,
    /// Those of whose picture the model could make none.
    pub failed: u64,
}

impl Engine {
    /// Tells how pictures become vectors from now on: by this embedder, not at all (`None`), or not
    /// because of a fault, which is then shown in [`Engine::health`].
    ///
    /// Vectors that the store holds of the same model serve at once. Others are made by
    /// [`Engine::upkeep`]; pictures of which this model could make none are tried once more.
    pub fn set_picture_embedder(
        &self,
        embedder: Result<Option<Arc<dyn PictureEmbedder>>, String>,
    ) -> Result<(), ApiError> {
        let model = embedder.as_ref().ok().cloned().flatten();
        {
            // A write that is going on ends with the model that it began with.
            let _writer = self.store.writer();
            self.change_indexes(|derived| derived.pictures = None);
            *self.picture_embedding.write_locked() = Embedding::of(embedder);
            *self.picture_fault.locked() = None;
        }
        let Some(model) = model.filter(|_| !self.store.is_reading_only()) else { return Ok(()) };
        if self.store_state() == StoreState::Writable {
            let retried = self.write(|tx| {
                let count = tx.retry_pictures(model.model_id())?;
                Ok(Outcome::of(count > 0, ()))
            });
            if let Err(error) = retried {
                log::warn!("pictures that failed are not tried again: {error}");
            }
        }
        Ok(self.build_pictures_in_bounds()?)
    }

    /// Makes the vector of a picture that was not tried with the model: of one, since other upkeep, and the
    /// end of the node, wait for it. Answers whether more may be left. One of which none can be made is
    /// noted, and not tried again by this run.
    pub(super) fn make_picture(&self) -> Result<bool> {
        let Some(embedder) = self.picture_embedder() else { return Ok(false) };
        let model = embedder.model_id();
        let untried = self.store.read(|tx| {
            let Some(id) = tx.untried_picture(model)? else { return Ok(None) };
            Ok::<_, crate::Error>(Some((id, tx.perception_data(id)?.unwrap_or_default())))
        })?;
        let Some((id, data)) = untried else { return Ok(false) };
        let vector = match picture::jpeg_of(&data) {
            // Anybody may have sent it: a decoder that panics must not keep the others waiting.
            Some(jpeg) => catch_unwind(AssertUnwindSafe(|| embedder.embed_picture(&jpeg)))
                .unwrap_or_else(|_panic| Err(EmbedError("a fault while looking at it".into()))),
            None => Err(EmbedError("it is not base64".into())),
        };
        if let Err(error) = &vector {
            log::debug!("the picture of memory {id} gets no vector: {error}");
            self.note_picture_fault(&format!("a picture gets no vector: {error}"));
        }
        self.write(|tx| {
            // With another one by now, it is made by that; or the picture has gone.
            if self.picture_model().as_deref() != Some(model)
                || !tx.put_picture(id, model, vector.as_deref().ok())?
            {
                return Ok(Outcome::Unchanged(()));
            }
            if let Ok(vector) = vector {
                tx.index(Change::Picture { id, vector });
            }
            Ok(Outcome::Changed(()))
        })?;
        Ok(true)
    }

    /// How the vectors of pictures are doing.
    pub(super) fn pictures_health(&self) -> PicturesHealth {
        let (embedder, model) = match &*self.picture_embedding.read_locked() {
            Embedding::Loading => (EmbedderState::Loading, None),
            Embedding::Off => (EmbedderState::Off, None),
            Embedding::Failed(reason) => (EmbedderState::Failed(reason.clone()), None),
            Embedding::Ready(embedder) => {
                let model = embedder.model_id().to_owned();
                (EmbedderState::Ready(model.clone()), Some(model))
            }
        };
        let totals = match model {
            // A store that cannot be read tells so elsewhere.
            Some(model) => self.store.read(|tx| tx.picture_totals(&model)).unwrap_or_default(),
            None => PictureTotals::default(),
        };
        let PictureTotals { count, tried, failed } = totals;
        let (made, missing) = (tried.saturating_sub(failed), count.saturating_sub(tried));
        PicturesHealth { embedder, made, missing, failed }
    }
}
