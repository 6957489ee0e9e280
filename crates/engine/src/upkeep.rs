//! The work that no caller waits for, and the engine's beginning and end.

use super::db::Outcome;
use super::vectors::EMBED_BATCH;
use super::{EmbedderState, Embedding, Engine, Error, Health, PoisonError, Result, StoreState};
use robot_memory_core::api::ApiError;
use robot_memory_core::model::Path;
use robot_memory_embedding::Embedder;
use robot_memory_index::{SpatialIndex, VectorIndex, WordIndex};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

/// What one occurrence of a word takes in the word index, about.
const WORD_OCCURRENCE_BYTES: u64 = 5;
/// Bytes that an index took when it was given up, for each row or occurrence of a word: it is not built
/// again until there is room for as much. 0 when it never was.
#[derive(Debug, Default)]
pub(super) struct GivenUp {
    word_occurrence_bytes: u64,
    vector_row_bytes: u64,
}

impl Engine {
    /// Tells how texts become vectors from now on: by this embedder, not at all (`None`), or not
    /// because of a fault, which is then shown in [`Engine::health`].
    ///
    /// Vectors that the store holds of the same model serve at once: from disk, until this call has
    /// built their index and returns. Others are made again by [`Engine::upkeep`].
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
        {
            // A write that is going on ends with the model that it began with.
            let _writer = self.store.writer();
            self.change_indexes(|derived| derived.vectors = None);
            self.given_up().vector_row_bytes = 0;
            *self.embedding.write().unwrap_or_else(PoisonError::into_inner) = embedding;
        }
        if let Some((model, dimension)) = model
            && !self.store.is_reading_only()
        {
            self.build_vectors_in_bounds(&model, dimension)?;
        }
        Ok(())
    }

    /// Does a little of the work that no caller waits for: mends a damaged store, stores what waits in
    /// the write queue, builds an index that is not there yet, writes the access counts of recalled rows,
    /// fills in missing vectors, deletes events beyond their bounds, moves the log into the file. Answers
    /// whether there is more to do at once.
    pub fn upkeep(&self) -> std::result::Result<bool, ApiError> {
        self.mend_when_due()?;
        self.upkeep_round().map_err(|error| {
            if let Error::Store(fault) = &error {
                self.follow_fault(fault);
            }
            error.into()
        })
    }

    fn upkeep_round(&self) -> Result<bool> {
        self.store.sync_acknowledged();
        // A log that was removed is met by the next write, too, but what is in it must not wait for one.
        if !self.store.is_reading_only()
            && let Err(error) = self.store.check_in_place()
        {
            log::debug!("{error}");
        }
        self.keep_queue_in_place();
        let has_waiting = self.recover()?;
        self.build_missing()?;
        self.renew_spatial();
        let state = self.store_state();
        if matches!(state, StoreState::Locked | StoreState::ReadOnly) {
            return Ok(false);
        }
        let mut has_more = has_waiting;
        if state == StoreState::Writable {
            self.write_accesses()?;
            has_more |= self.remake_signatures()? | self.embed_missing()?;
        }
        self.store.checkpoint_passive()?;
        self.store.erase_log_if_due()?;
        // On a full disk this makes room.
        has_more |= self.hold_event_bounds()?;
        if let Err(error) = self.store.check_when_due() {
            log::error!("the store's file was checked: {error}");
        }
        if let Err(error) = self.look_over_when_due() {
            log::error!("the store was looked over: {error}");
        }
        self.note_beside(false);
        Ok(has_more)
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
        let derived = self.derived();
        let live = derived.rows.live();
        let active_count = live.count();
        let missing_vectors = derived
            .vectors
            .as_ref()
            .map_or(0, |vectors| active_count - vectors.present().intersection_count(live));
        let words_ready = derived.words.is_some();
        let vectors_ready = derived.vectors.is_some() || self.model().is_none();
        drop(derived);
        Ok(Health {
            missing_vectors,
            indexes_ready: words_ready && vectors_ready,
            index_bytes: self.index_bytes.load(Ordering::Relaxed),
            embedder,
            active_count,
            store_bytes: self.store.bytes(),
            store: self.store_state(),
            missing_commits: self.store.missing_commits(),
            write_queue: self.queue_health(),
            writes_blocked: self.blocked.read().unwrap_or_else(PoisonError::into_inner).clone(),
            dropped_accesses: self.pending_accesses().dropped(),
            untold_memories: self.listeners.dropped(),
            events: self.events_health(),
            jobs: self.jobs_health(),
        })
    }

    /// Writes what waits and closes the store. Calls after it are refused with `unavailable`.
    pub fn close(&self) -> std::result::Result<(), ApiError> {
        self.closing.store(true, Ordering::Relaxed);
        if let Err(error) = self.write_accesses() {
            log::warn!("access counts were not written: {error}");
        }
        self.note_beside(true);
        self.store.close().map_err(|error| super::Error::from(error).into())
    }

    /// Length of the vectors in use; 0 when there are none.
    pub(super) fn dimension(&self) -> usize {
        match &*self.embedding.read().unwrap_or_else(PoisonError::into_inner) {
            Embedding::Ready(embedder) => embedder.dimension(),
            Embedding::Loading | Embedding::Off | Embedding::Failed(_) => 0,
        }
    }

    pub(super) fn write_accesses(&self) -> Result<()> {
        if self.pending_accesses().is_empty() {
            return Ok(());
        }
        self.with_accesses(|write_accesses| {
            self.write(|tx, changes| {
                write_accesses(tx, changes)?;
                Ok(Outcome::Changed(()))
            })
        })
    }

    /// Gives vectors to some rows that have none of the present model. Answers whether more rows
    /// wait and it pays to go on. A row whose text cannot be embedded does not hold up the others:
    /// it is tried again once all have had their turn. Many rows are left to a job, where there are
    /// workers and the embedder is well.
    fn embed_missing(&self) -> Result<bool> {
        let Some(model) = self.model() else {
            return Ok(false);
        };
        let after = self.embed_after.load(Ordering::Relaxed);
        let missing = self.missing_vectors(&model, after)?;
        let is_full = missing.len() >= EMBED_BATCH;
        if is_full && self.config.jobs.has_workers && !self.has_embed_fault() {
            match self.queue_embedding() {
                Ok(_) => return Ok(false),
                // The queue is full: what it is full of goes on, and so does this.
                Err(Error::Api(error)) => log::debug!("no job fills in vectors: {error}"),
                Err(error) => return Err(error),
            }
        }
        let last = missing.last().filter(|_| is_full).copied().unwrap_or(0);
        self.embed_after.store(last, Ordering::Relaxed);
        let made = self.make_vectors(&missing)?;
        if made.is_empty() {
            return Ok(false);
        }
        self.write(|tx, changes| {
            let count = self.put_vectors(tx, changes, made)?;
            Ok(if count == 0 { Outcome::Unchanged(()) } else { Outcome::Changed(()) })
        })?;
        Ok(is_full)
    }

    /// Whether the embedder failed when it was asked last.
    fn has_embed_fault(&self) -> bool {
        self.embed_fault.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Builds the indexes that should be there and are not.
    pub(super) fn build_missing(&self) -> Result<()> {
        let (words, vectors) = {
            let derived = self.derived();
            (derived.words.is_none(), derived.vectors.is_none())
        };
        if words && self.has_room_for_words() {
            self.build_words()?;
        }
        if vectors && let Some(model) = self.model() {
            self.build_vectors_in_bounds(&model, self.dimension())?;
        }
        self.hold_bounds();
        Ok(())
    }

    /// Builds the vector index when there is room for it.
    fn build_vectors_in_bounds(&self, model: &str, dimension: usize) -> Result<()> {
        let rows = self.derived().rows.live().count();
        let row_bytes = self.given_up().vector_row_bytes;
        let row_bytes = row_bytes.max(VectorIndex::row_bytes(dimension) as u64);
        if self.has_room_for(rows.saturating_mul(row_bytes)) {
            self.build_vectors(model, dimension)?;
        }
        Ok(())
    }

    /// Whether the word index may be built.
    pub(super) fn has_room_for_words(&self) -> bool {
        let occurrences = self.derived().rows.live_words();
        let bytes = self.given_up().word_occurrence_bytes.max(WORD_OCCURRENCE_BYTES);
        self.has_room_for(occurrences.saturating_mul(bytes))
    }

    /// Whether the indexes may take so many bytes more.
    fn has_room_for(&self, bytes: u64) -> bool {
        let bytes_max = self.config.index_bytes_max;
        if bytes_max == 0 {
            return true;
        }
        let (words, vectors) = self.index_bytes();
        let has_room = (words + vectors).saturating_add(bytes) <= bytes_max;
        if !has_room && !self.told_no_room.swap(true, Ordering::Relaxed) {
            log::warn!(
                "an index of about {bytes} bytes does not fit into {bytes_max} (index_bytes_max): \
                 searches read the disk, and are slower"
            );
        }
        has_room
    }

    /// Notes how many bytes the indexes take, and gives the greatest of them up when it is too much.
    fn hold_bounds(&self) {
        let (words, vectors) = self.index_bytes();
        self.index_bytes.store(words + vectors, Ordering::Relaxed);
        let bytes_max = self.config.index_bytes_max;
        if bytes_max != 0 && words + vectors > bytes_max {
            let given_up = self.change_indexes(|derived| {
                let mut given_up = self.given_up();
                if vectors > words {
                    let rows = derived.rows.live().count();
                    given_up.vector_row_bytes = vectors.div_ceil(rows.max(1));
                    (None, derived.vectors.take())
                } else {
                    let occurrences = derived.rows.live_words();
                    given_up.word_occurrence_bytes = words.div_ceil(occurrences.max(1));
                    (derived.words.take(), None)
                }
            });
            log::warn!(
                "the indexes took {} bytes, more than {bytes_max} (index_bytes_max): the greater one \
                 is given up, and searches that need it read the disk",
                words + vectors
            );
            drop(given_up);
            self.index_bytes.store(words.min(vectors), Ordering::Relaxed);
        }
    }

    /// Bytes of the indexes of words and of vectors.
    fn index_bytes(&self) -> (u64, u64) {
        let derived = self.derived();
        let words = derived.words.as_ref().map_or(0, WordIndex::bytes);
        (words as u64, derived.vectors.as_ref().map_or(0, VectorIndex::bytes) as u64)
    }

    fn given_up(&self) -> MutexGuard<'_, GivenUp> {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the points that lately came into the trees, beside the work.
    fn renew_spatial(&self) {
        let due: Vec<Path> = {
            let derived = self.derived();
            let fields = derived.spatial_fields().cloned();
            fields
                .filter(|field| derived.spatial(field).is_some_and(|index| index.is_due()))
                .collect()
        };
        for field in due {
            let plan = self.derived().spatial(&field).and_then(SpatialIndex::plan);
            let Some(plan) = plan else { continue };
            let built = plan.run();
            let replaced = self.change_indexes(|derived| {
                derived.spatial_mut(&field).map(|index| index.install(built))
            });
            // What was replaced takes a while to be freed; the indexes are not held meanwhile.
            drop(replaced);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::db::engine;
    use robot_memory_core::api::{SavePerception, SavePerceptionRequest};
    use robot_memory_embedding::HashedEmbedder;
    use std::sync::Arc;

    #[test]
    fn an_index_that_was_given_up_for_lack_of_room_is_not_built_again_and_again() {
        // Less than what a block of vectors takes, and more than its few rows seem to need.
        let (_folder, engine) = engine(200_000);
        let embedder = HashedEmbedder::new(64);
        engine.set_embedder(Ok(Some(Arc::new(embedder)))).expect("taken");
        for number in 0..40 {
            let request = SavePerceptionRequest {
                description: format!("The cup on the tray weighed {number} g"),
                ..Default::default()
            };
            engine.call::<SavePerception>(request).expect("it is stored");
        }
        engine.upkeep().expect("upkeep");
        assert!(engine.derived().words.is_some() && engine.derived().vectors.is_none());
        engine.build_vectors_in_bounds("hashed-64", 64).expect("there is no room");
        assert!(engine.derived().vectors.is_none());
    }
}
