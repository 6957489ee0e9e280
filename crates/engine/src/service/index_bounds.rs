//! The indexes of words, vectors and pictures in memory: built where there is room, given up when they take too much.

use crate::db::Embedding;
use crate::{Engine, Result};
use robot_memory_core::api::ApiError;
use robot_memory_db::{Locked, RwLocked};
use robot_memory_embedding::Embedder;
use robot_memory_index::{PictureColumn, VectorIndex, WordIndex};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What one occurrence of a word takes in the word index, about.
const WORD_OCCURRENCE_BYTES: u64 = 5;
/// Bytes that an index took when it was given up, for each row or occurrence of a word: it is not built
/// again until there is room for as much. 0 when it never was.
#[derive(Debug, Default)]
struct Evicted {
    word_occurrence_bytes: u64,
    vector_row_bytes: u64,
}

/// What the indexes of words, vectors and pictures take.
#[derive(Debug, Default)]
pub(super) struct IndexBounds {
    /// Bytes when upkeep looked last.
    bytes: AtomicU64,
    /// What they take, by what they took when they were given up.
    evicted: Mutex<Evicted>,
    /// Whether it was told that an index is not built for lack of room.
    index_over_budget_logged: AtomicBool,
}

impl IndexBounds {
    /// Begins anew with the rows of another store.
    pub fn forget_evicted(&self) {
        *self.evicted.locked() = Evicted::default();
    }

    /// Bytes when upkeep looked last.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Engine {
    /// Tells how texts become vectors from now on: by this embedder, not at all (`None`), or not
    /// because of a fault, which is then shown in [`Engine::health`].
    ///
    /// Vectors that the store holds of the same model serve at once: from disk, until this call has
    /// built their index and returns. Others are made again by [`Engine::upkeep`].
    pub fn set_embedder(
        &self,
        embedder: Result<Option<Arc<dyn Embedder>>, String>,
    ) -> Result<(), ApiError> {
        let embedding = Embedding::of(embedder);
        let model = embedding
            .ready()
            .map(|embedder| (embedder.model_id().to_owned(), embedder.dimension()));
        {
            // A write that is going on ends with the model that it began with.
            let _writer = self.store.writer();
            self.change_indexes(|derived| derived.vectors = None);
            self.index_bounds.evicted.locked().vector_row_bytes = 0;
            *self.embedding.write_locked() = embedding;
        }
        if let Some((model, dimension)) = model
            && !self.store.is_reading_only()
        {
            self.build_vectors_in_bounds(&model, dimension)?;
        }
        Ok(())
    }

    /// Length of the vectors in use; 0 when there are none.
    pub(super) fn dimension(&self) -> usize {
        self.embedding.read_locked().ready().map_or(0, |embedder| embedder.dimension())
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
        self.build_pictures_in_bounds()?;
        self.hold_bounds();
        Ok(())
    }

    /// Builds the vector index when there is room for it.
    fn build_vectors_in_bounds(&self, model: &str, dimension: usize) -> Result<()> {
        let rows = self.derived().rows.live().count();
        let row_bytes = self.index_bounds.evicted.locked().vector_row_bytes;
        let row_bytes = row_bytes.max(VectorIndex::row_bytes(dimension) as u64);
        if self.has_room_for(rows.saturating_mul(row_bytes)) {
            self.build_vectors(model, dimension)?;
        }
        Ok(())
    }

    /// Builds the index of pictures when it is not there, is wanted, and there is room for it.
    pub(super) fn build_pictures_in_bounds(&self) -> Result<()> {
        let Some(embedder) = self.picture_embedder() else { return Ok(()) };
        if self.derived().pictures.is_some() {
            return Ok(());
        }
        let (model, dimension) = (embedder.model_id(), embedder.dimension());
        let totals = self.store.read(|tx| tx.picture_totals(model))?;
        let count = usize::try_from(totals.tried).unwrap_or(usize::MAX);
        if self.has_room_for(PictureColumn::bytes_of(count, dimension) as u64) {
            self.build_pictures(model, dimension)?;
        }
        Ok(())
    }

    /// Whether the word index may be built.
    pub(super) fn has_room_for_words(&self) -> bool {
        let occurrences = self.derived().rows.live_words();
        let bytes =
            self.index_bounds.evicted.locked().word_occurrence_bytes.max(WORD_OCCURRENCE_BYTES);
        self.has_room_for(occurrences.saturating_mul(bytes))
    }

    /// Whether the indexes may take so many bytes more.
    fn has_room_for(&self, bytes: u64) -> bool {
        let bytes_max = self.config.index_bytes_max;
        if bytes_max == 0 {
            return true;
        }
        let has_room = self.index_bytes().sum().saturating_add(bytes) <= bytes_max;
        if !has_room && !self.index_bounds.index_over_budget_logged.swap(true, Ordering::Relaxed) {
            log::warn!(
                "an index of about {bytes} bytes does not fit into {bytes_max} (index_bytes_max): \
                 searches read the disk, and are slower"
            );
        }
        has_room
    }

    /// Notes how many bytes the indexes take, and gives the greatest of them up when it is too much.
    fn hold_bounds(&self) {
        let bytes = self.index_bytes();
        self.index_bounds.bytes.store(bytes.sum(), Ordering::Relaxed);
        let bytes_max = self.config.index_bytes_max;
        if bytes_max == 0 || bytes.sum() <= bytes_max {
            return;
        }
        let IndexBytes { words, vectors, pictures } = bytes;
        let greatest = words.max(vectors).max(pictures);
        let dropped = self.change_indexes(|derived| {
            let mut evicted = self.index_bounds.evicted.locked();
            if pictures == greatest {
                // What it would take again is known.
                return (None, None, derived.pictures.take());
            }
            if vectors == greatest {
                let rows = derived.rows.live().count();
                evicted.vector_row_bytes = vectors.div_ceil(rows.max(1));
                return (None, derived.vectors.take(), None);
            }
            let occurrences = derived.rows.live_words();
            evicted.word_occurrence_bytes = words.div_ceil(occurrences.max(1));
            (derived.words.take(), None, None)
        });
        log::warn!(
            "the indexes took {} bytes, more than {bytes_max} (index_bytes_max): the greatest one is \
             given up, and searches that need it read the disk",
            bytes.sum()
        );
        drop(dropped);
        self.index_bounds.bytes.store(bytes.sum() - greatest, Ordering::Relaxed);
    }

    /// Bytes of each index in memory, by its name.
    pub fn index_sizes(&self) -> [(&'static str, u64); 3] {
        let IndexBytes { words, vectors, pictures } = self.index_bytes();
        [("words", words), ("vectors", vectors), ("pictures", pictures)]
    }

    fn index_bytes(&self) -> IndexBytes {
        let derived = self.derived();
        IndexBytes {
            words: derived.words.as_ref().map_or(0, WordIndex::bytes) as u64,
            vectors: derived.vectors.as_ref().map_or(0, VectorIndex::bytes) as u64,
            pictures: derived.pictures.as_ref().map_or(0, PictureColumn::bytes) as u64,
        }
    }
}

/// Bytes of each index.
#[derive(Debug, Clone, Copy)]
struct IndexBytes {
    words: u64,
    vectors: u64,
    pictures: u64,
}

impl IndexBytes {
    fn sum(self) -> u64 {
        self.words + self.vectors + self.pictures
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
