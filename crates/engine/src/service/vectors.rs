//! Vectors of rows that have none of the model in use.

use crate::db::Vector;
use crate::db::WriteTx;
use crate::{Engine, Result};
use robot_memory_index::{Bitset, Change, Derived};

/// Rows that get a vector in one go; between goes callers get their turn to write.
pub(super) const EMBED_BATCH: usize = 32;

/// The vector of a row, and of which words it is.
pub(super) struct MadeVector {
    id: i64,
    content: String,
    vector: Vector,
}

impl Engine {
    /// Makes the vectors of rows, as far as the embedder does.
    pub(super) fn make_vectors(&self, ids: &[i64]) -> Result<Vec<MadeVector>> {
        let mut made = Vec::with_capacity(ids.len());
        for &id in ids {
            if let Some(content) = self.store.read(|tx| tx.content(id))?
                && let Some(vector) = self.embed(&content)
            {
                made.push(MadeVector { id, content, vector });
            }
        }
        Ok(made)
    }

    /// Stores vectors that were made, but for those of rows that changed or went meanwhile; answers how
    /// many were stored.
    pub(super) fn put_vectors(&self, tx: &WriteTx<'_>, made: Vec<MadeVector>) -> Result<Vec<i64>> {
        let mut put = Vec::with_capacity(made.len());
        for MadeVector { id, content, vector } in made {
            let same = tx.content(id)?.is_some_and(|now| now == content);
            if same && self.derived().rows.slot(id).is_some() && self.is_in_use(&vector) {
                tx.put_vector(id, &vector.model, &vector.components)?;
                tx.index(Change::Vector { id, vector: vector.components });
                put.push(id);
            }
        }
        Ok(put)
    }

    /// How many active rows after this one have no vector of the present model; 0 when that is not known
    /// because there is no index of vectors.
    pub(super) fn missing_count(&self, after: i64) -> u64 {
        let derived = self.derived();
        let Some(without) = without_vector(&derived) else { return 0 };
        let ids = without.iter().filter_map(|slot| derived.rows.id(slot));
        ids.filter(|id| *id > after).count() as u64
    }

    /// The first active rows after this one, in order of id, that have no vector of the model.
    pub(super) fn missing_vectors(&self, model: &str, after: i64) -> Result<Vec<i64>> {
        let derived = self.derived();
        let Some(without) = without_vector(&derived) else {
            drop(derived);
            // The store has to look at every row to find them.
            let missing =
                self.store.read(|tx| tx.missing_vectors(model, after, EMBED_BATCH as u32))?;
            return Ok(missing.into_iter().map(|(id, _)| id).collect());
        };
        let ids = without.iter().filter_map(|slot| derived.rows.id(slot));
        Ok(ids.skip_while(|id| *id <= after).take(EMBED_BATCH).collect())
    }
}

/// The active rows that have no vector; `None` when there is no index of vectors.
fn without_vector(derived: &Derived) -> Option<Bitset> {
    let vectors = derived.vectors.as_ref()?;
    let mut without = derived.rows.live().clone();
    without.subtract(vectors.present());
    Some(without)
}
