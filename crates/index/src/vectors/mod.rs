//! Vectors in a quarter of their size, compared by their cosine.
//!
//! In memory a vector of `D` components takes `D` bytes as whole numbers with a scale (its *codes*),
//! `D` bits that say on which side of a center each component lies, and 20 bytes more. The full
//! vector stays where it is and is read only for those few rows whose cosine is answered, or whose
//! order the codes do not settle.
//!
//! **Few allowed rows**, or such as are widely scattered, are all compared by their codes. For a row
//! `v` with codes `c` and a query `q` with codes `d`, both in their units, Cauchy and Schwarz bound
//! the error of the estimate: |⟨v, q⟩ − ⟨c, d⟩| ≤ |v − c| |q| + |c| |q − d|. The norm |v − c| is kept
//! for each row, so every row whose upper bound reaches the `k`-th best lower bound is read in full,
//! and the answer is exact.
//!
//! **Many** are first compared by their bits, each with four bits a component of the query, as in
//! RaBitQ (Gao and Long, SIGMOD 2024): with the signs s of v − m for a center m, ⟨v, q⟩ is about
//! ⟨m, q⟩ + f ⟨s, q⟩ with f = |v − m|² / ⟨s, v − m⟩. The best hundredth goes on to the codes, as far as
//! two and a half standard deviations of that estimate reach, and the best of these are read in full. The
//! answer is approximate.
//!
//! Vectors are rotated first, which spreads what a few components say over all of them. A block of
//! 4096 slots has its own center, the mean of its vectors, so that no mean of all need be known in
//! advance, and none changes under old rows; until it has enough vectors for a mean, a block is
//! compared by codes.

mod block;
mod coarse;
mod cosine;
mod fingerprint;
mod kernels;
#[cfg(target_arch = "x86_64")]
mod lookups;
mod query;
mod rotation;
mod search;
mod shortlist;
#[cfg(test)]
mod tests;

pub use cosine::{cosine, cosine_le_bytes};

use self::block::{Block, ROWS, WORDS};
use self::kernels::{Instructions, MASKED};
use self::query::Query;
use super::{Bitset, Slot};
use std::sync::Arc;

/// Allowed rows up to which all are compared by their codes, about 1.3 ms for 512 components.
const EXACT_MAX: u64 = 20_000;

/// Vectors of unit length, found by their cosine with a query. Clones share what neither of them changes.
#[derive(Debug, Clone)]
pub struct VectorIndex {
    dimension: usize,
    /// The dimension rounded up to whole words of bits.
    width: usize,
    signs: Arc<[f32]>,
    instructions: Instructions,
    exact_max: u64,
    /// One for each [`ROWS`] slots, where there is any vector.
    blocks: Vec<Option<Arc<Block>>>,
    /// Has room for all slots of all blocks.
    present: Bitset,
}

/// Where the full vectors are.
pub trait FullVectors {
    /// Why one cannot be read.
    type Error;

    /// Cosine of the slot's full vector and the query, as [`cosine`] computes it; `None` when it
    /// has none.
    ///
    /// # Errors
    /// When it cannot be read.
    fn cosine(&mut self, slot: Slot, query: &[f32]) -> Result<Option<f32>, Self::Error>;
}

/// What [`VectorIndex::nearest`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestVectors {
    /// Slots with the cosines of their full vectors: best first, of equals the lower slot first.
    pub hits: Vec<(Slot, f32)>,
    /// Whether a row that belongs among them may be missing.
    pub approximate: bool,
}

/// Why a vector is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    /// Vectors of two models do not mix.
    #[error("the vector has {given} components instead of {expected}")]
    Dimension {
        /// Components of this index's vectors.
        expected: usize,
        /// Components of the one that was given.
        given: usize,
    },
    /// NaN and infinity have no angle to anything.
    #[error("component {index} of the vector is not a finite number")]
    NotFinite {
        /// Which one, from 0.
        index: usize,
    },
}

impl VectorIndex {
    /// An index of vectors with this many components.
    pub fn new(dimension: usize) -> Self {
        let width = dimension.max(1).next_multiple_of(MASKED);
        Self {
            dimension,
            width,
            signs: rotation::signs(width).into(),
            instructions: Instructions::best(),
            exact_max: EXACT_MAX,
            blocks: Vec::new(),
            present: Bitset::default(),
        }
    }

    /// Bytes that a vector of this many components takes, about.
    pub fn row_bytes(dimension: usize) -> usize {
        dimension + dimension / 8 + 24
    }

    /// Components of each vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many vectors there are.
    pub fn count(&self) -> u64 {
        self.present.count()
    }

    /// The slots that have a vector.
    pub fn present(&self) -> &Bitset {
        &self.present
    }

    /// Whether a slot has a vector.
    pub fn contains(&self, slot: Slot) -> bool {
        self.present.contains(slot)
    }

    /// Bytes that it holds on the heap.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.signs)
            + size_of_val(self.present.words())
            + size_of_val(&*self.blocks)
            + self.blocks.iter().flatten().map(|block| block.bytes()).sum::<usize>()
    }

    /// Sets a slot's vector, which must be of unit length: cosines are computed as dot products.
    ///
    /// # Errors
    /// When the dimension is another or a component is not finite. Nothing is changed then.
    pub fn put(&mut self, slot: Slot, vector: &[f32]) -> Result<(), VectorError> {
        if vector.len() != self.dimension {
            return Err(VectorError::Dimension { expected: self.dimension, given: vector.len() });
        }
        if let Some(index) = vector.iter().position(|component| !component.is_finite()) {
            return Err(VectorError::NotFinite { index });
        }
        let rotated = self.rotated(vector);
        let (index, row) = (slot as usize / ROWS, slot as usize % ROWS);
        if self.blocks.len() <= index {
            self.blocks.resize(index + 1, None);
            self.present.grow((index + 1) * ROWS);
        }
        let is_added = !self.present.contains(slot);
        self.present.insert(slot);
        let present = &self.present.words()[index * WORDS..][..WORDS];
        let block = self.blocks[index]
            .get_or_insert_with(|| Arc::new(Block::new(self.width, (index * ROWS) as Slot)));
        let fingerprint = fingerprint::fingerprint(vector);
        Arc::make_mut(block).put(self.instructions, row, &rotated, fingerprint, present, is_added);
        Ok(())
    }

    /// Forgets a slot's vector. Its place stays empty until the whole block is.
    pub fn remove(&mut self, slot: Slot) {
        if self.present.remove(slot)
            && let Some(place) = self.blocks.get_mut(slot as usize / ROWS)
            && place.as_mut().is_some_and(|block| Arc::make_mut(block).remove())
        {
            *place = None;
        }
    }

    /// The query, when it can be compared with the vectors at all.
    fn query(&self, vector: &[f32]) -> Option<Query> {
        let is_comparable =
            vector.len() == self.dimension && vector.iter().all(|component| component.is_finite());
        is_comparable.then(|| Query::new(self.rotated(vector)))
    }

    fn rotated(&self, vector: &[f32]) -> Vec<f32> {
        let mut rotated = Vec::with_capacity(self.width);
        rotated.extend_from_slice(vector);
        rotated.resize(self.width, 0.0);
        kernels::rotate(self.instructions, &self.signs, &mut rotated);
        rotated
    }
}
