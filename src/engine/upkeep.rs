//! The work that no caller waits for, and the engine's beginning and end.

use super::transaction::Outcome;
use super::{EmbedderState, Embedding, Engine, Health, PoisonError, Result, Vector, load};
use crate::api::ApiError;
use crate::embedding::Embedder;
use crate::index::Change;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Rows that get a vector in one go; between goes callers get their turn to write.
const EMBED_BATCH: u32 = 32;

impl Engine {
    /// Tells how texts become vectors from now on: by this embedder, not at all (`None`), or not
    /// because of a fault, which is then shown in [`Engine::health`].
    ///
    /// Vectors that the store holds of the same model serve at once; others are made again by
    /// [`Engine::upkeep`].
    pub fn set_embedder(
        &self,
        embedder: std::result::Result<Option<Arc<dyn Embedder>>, String>,
    ) -> std::result::Result<(), ApiError> {
        let embedding = match embedder {
            Ok(Some(embedder)) => Embedding::Ready(embedder),
            Ok(None) => Embedding::Off,
            Err(reason) => Embedding::Failed(reason),
        };
        let model = match &embedding {
            Embedding::Ready(embedder) => {
                Some((embedder.model_id().to_owned(), embedder.dimension()))
            }
            Embedding::Loading | Embedding::Off | Embedding::Failed(_) => None,
        };
        let result = self.while_unchanged(
            |tx| match &model {
                Some((model, dimension)) => {
                    load::vectors(tx, &self.derived(), model, *dimension).map(Some)
                }
                None => Ok(None),
            },
            |derived, vectors| {
                derived.vectors = vectors;
                *self.embedding.write().unwrap_or_else(PoisonError::into_inner) = embedding;
            },
        );
        Ok(result?)
    }

    /// Does a little of the work that no caller waits for: writes the access counts of recalled
    /// rows, brings the store's log into its file, checks the file when that is still to be done,
    /// fills in missing vectors. Answers whether there is more to do at once.
    pub fn upkeep(&self) -> std::result::Result<bool, ApiError> {
        self.write_accesses()?;
        self.store.checkpoint_passive().map_err(super::Error::from)?;
        if let Err(error) = self.store.check_when_due() {
            log::error!("the store's file was checked: {error}");
        }
        Ok(self.embed_missing()?)
    }

    /// How it is doing.
    pub fn health(&self) -> std::result::Result<Health, ApiError> {
        let embedder = match &*self.embedding.read().unwrap_or_else(PoisonError::into_inner) {
            Embedding::Loading => EmbedderState::Loading,
            Embedding::Off => EmbedderState::Off,
            Embedding::Failed(reason) => EmbedderState::Failed(reason.clone()),
            Embedding::Ready(embedder) => {
                let fault = self.embed_fault.lock().unwrap_or_else(PoisonError::into_inner);
                match &*fault {
                    Some(fault) => EmbedderState::Failed(fault.clone()),
                    None => EmbedderState::Ready(embedder.model_id().to_owned()),
                }
            }
        };
        let active_count = self.derived().rows.live().count();
        Ok(Health {
            missing_vectors: if self.model().is_some() { self.missing_vectors() } else { 0 },
            embedder,
            active_count,
            store_bytes: self.store.bytes(),
            writes_blocked: self.blocked.read().unwrap_or_else(PoisonError::into_inner).clone(),
            dropped_accesses: self.pending_accesses().dropped(),
        })
    }

    /// Writes what waits and closes the store. Calls after it are refused with `unavailable`.
    pub fn close(&self) -> std::result::Result<(), ApiError> {
        if let Err(error) = self.write_accesses() {
            log::warn!("access counts were not written: {error}");
        }
        self.store.close().map_err(|error| super::Error::from(error).into())
    }

    /// Length of the vectors in use; 0 when there are none.
    pub(super) fn dimension(&self) -> usize {
        match &*self.embedding.read().unwrap_or_else(PoisonError::into_inner) {
            Embedding::Ready(embedder) => embedder.dimension(),
            Embedding::Loading | Embedding::Off | Embedding::Failed(_) => 0,
        }
    }

    /// Active rows without a vector in the index.
    fn missing_vectors(&self) -> u64 {
        let derived = self.derived();
        let live = derived.rows.live();
        let with_vector = derived
            .vectors
            .as_ref()
            .map_or(0, |vectors| vectors.present().intersection_count(live));
        live.count() - with_vector
    }

    fn write_accesses(&self) -> Result<()> {
        if self.pending_accesses().is_empty() {
            return Ok(());
        }
        self.with_accesses(|write_accesses| {
            self.write(|tx, _| {
                write_accesses(tx)?;
                Ok(Outcome::Changed(()))
            })
        })
    }

    /// Gives vectors to some rows that have none of the present model. Answers whether more rows
    /// wait and it pays to go on. A row whose text cannot be embedded does not hold up the others:
    /// it is tried again once all have had their turn.
    fn embed_missing(&self) -> Result<bool> {
        let Some(model) = self.model() else {
            return Ok(false);
        };
        // The store would look at every row to find that out.
        if self.missing_vectors() == 0 {
            return Ok(false);
        }
        let after = self.embed_after.load(Ordering::Relaxed);
        let missing = self.store.read(|tx| tx.missing_vectors(&model, after, EMBED_BATCH))?;
        let is_full = missing.len() >= EMBED_BATCH as usize;
        let last = missing.last().filter(|_| is_full).map_or(0, |(id, _)| *id);
        self.embed_after.store(last, Ordering::Relaxed);
        let made: Vec<(i64, String, Vector)> = missing
            .into_iter()
            .filter_map(|(id, content)| self.embed(&content).map(|vector| (id, content, vector)))
            .collect();
        if made.is_empty() {
            return Ok(false);
        }
        self.write(|tx, changes| {
            for (id, content, vector) in made {
                // The row may have changed or gone meanwhile.
                let same = tx.content(id)?.is_some_and(|now| now == content);
                if same && self.derived().rows.slot(id).is_some() && vector.model == model {
                    tx.put_vector(id, &vector.model, &vector.components)?;
                    changes.push(Change::Vector { id, vector: vector.components });
                }
            }
            Ok(Outcome::Changed(()))
        })?;
        Ok(is_full)
    }
}
