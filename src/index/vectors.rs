use super::least::Least;
use super::{Bitset, Slot};

/// Vectors of unit length, compared by their cosine: every allowed one, in full precision.
///
/// They lie in one block of memory, four bytes a component, at the place that their slot says.
#[derive(Debug, Clone)]
pub struct VectorIndex {
    dimension: usize,
    components: Vec<f32>,
    present: Bitset,
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
        Self { dimension, components: Vec::new(), present: Bitset::default() }
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
        let start = slot as usize * self.dimension;
        let end = start + self.dimension;
        if self.components.len() < end {
            self.components.resize(end, 0.0);
        }
        self.components[start..end].copy_from_slice(vector);
        self.present.insert(slot);
        Ok(())
    }

    /// Forgets a slot's vector; its place stays empty.
    pub fn remove(&mut self, slot: Slot) {
        self.present.remove(slot);
    }

    /// Whether a slot has a vector.
    pub fn contains(&self, slot: Slot) -> bool {
        self.present.contains(slot)
    }

    /// A slot's vector.
    pub fn get(&self, slot: Slot) -> Option<&[f32]> {
        self.present.contains(slot).then(|| self.at(slot))
    }

    /// Cosine of a slot's vector and the query, -1 to 1; `None` when the slot has no vector or the
    /// query is of another dimension.
    pub fn similarity(&self, slot: Slot, query: &[f32]) -> Option<f32> {
        let vector = self.get(slot)?;
        (query.len() == self.dimension).then(|| cosine(vector, query))
    }

    /// The `k` allowed slots whose vectors are most similar to the query, at least
    /// `min_similarity`: best first, of equals the lower slot first, each with its cosine.
    ///
    /// The query is of unit length; one of another dimension, or with a component that is not
    /// finite, is similar to nothing. All allowed vectors are read.
    pub fn nearest(
        &self,
        query: &[f32],
        allowed: &Bitset,
        k: usize,
        min_similarity: f32,
    ) -> Vec<(Slot, f32)> {
        if query.len() != self.dimension || query.iter().any(|component| !component.is_finite()) {
            return Vec::new();
        }
        let mut least = Least::new(k);
        for slot in self.present.intersection(allowed) {
            let similarity = cosine(self.at(slot), query);
            if similarity >= min_similarity {
                // Adding zero turns the negative zero into the positive one.
                least.offer(0.0 - f64::from(similarity), slot);
            }
        }
        least.into_sorted().map(|(cost, slot)| (slot, (0.0 - cost) as f32)).collect()
    }

    /// The direction in which these slots' vectors lie together: their mean, scaled to unit length.
    /// `None` when none of them has a vector, or when the vectors cancel out.
    pub fn mean(&self, slots: impl IntoIterator<Item = Slot>) -> Option<Vec<f32>> {
        let mut sum = vec![0.0_f64; self.dimension];
        for vector in slots.into_iter().filter_map(|slot| self.get(slot)) {
            for (sum, &component) in sum.iter_mut().zip(vector) {
                *sum += f64::from(component);
            }
        }
        let norm = sum.iter().map(|component| component * component).sum::<f64>().sqrt();
        // Unit vectors that cancel out leave only what rounding left of them.
        (norm > 1e-6).then(|| sum.iter().map(|component| (component / norm) as f32).collect())
    }

    fn at(&self, slot: Slot) -> &[f32] {
        let start = slot as usize * self.dimension;
        &self.components[start..start + self.dimension]
    }
}

/// Cosine of two vectors of unit length and the same dimension, -1 to 1.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    dot(a, b).clamp(-1.0, 1.0)
}

/// Sixteen sums side by side: the compiler keeps them in vector registers, and their order is the
/// same on every machine.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit(components: &[f32]) -> Vec<f32> {
        let norm = components.iter().map(|c| c * c).sum::<f32>().sqrt();
        components.iter().map(|c| c / norm).collect()
    }

    fn index(vectors: &[&[f32]]) -> VectorIndex {
        let mut index = VectorIndex::new(vectors[0].len());
        for (slot, vector) in vectors.iter().enumerate() {
            index.put(slot as Slot, &unit(vector)).unwrap();
        }
        index
    }

    #[test]
    fn refuses_what_has_no_angle() {
        let mut index = VectorIndex::new(2);
        assert_eq!(index.put(0, &[1.0]), Err(VectorError::Dimension { expected: 2, given: 1 }));
        assert_eq!(index.put(0, &[0.0, f32::NAN]), Err(VectorError::NotFinite { index: 1 }));
        assert_eq!(index.put(0, &[f32::INFINITY, 0.0]), Err(VectorError::NotFinite { index: 0 }));
        assert!(!index.contains(0));
        index.put(3, &[1.0, 0.0]).unwrap();
        assert_eq!((index.get(3), index.get(2), index.get(9)), (Some(&[1.0, 0.0][..]), None, None));
        assert_eq!(index.similarity(3, &[1.0]), None);
        let all = Bitset::filled(9);
        assert_eq!(index.nearest(&[1.0, f32::NAN], &all, 5, -1.0), []);
        assert_eq!(index.nearest(&[1.0], &all, 5, -1.0), []);
    }

    #[test]
    fn equals_come_in_the_order_of_slots() {
        let index = index(&[&[0.0, 1.0], &[1.0, 0.0], &[0.0, -1.0], &[1.0, 0.0], &[-1.0, 0.0]]);
        let nearest = |allowed: &[Slot], k, min_similarity| -> Vec<Slot> {
            let allowed = allowed.iter().copied().collect();
            let hits = index.nearest(&[1.0, 0.0], &allowed, k, min_similarity);
            hits.into_iter().map(|(slot, _)| slot).collect()
        };
        assert_eq!(nearest(&[0, 1, 2, 3, 4, 7], 9, -1.0), [1, 3, 0, 2, 4]);
        assert_eq!(nearest(&[0, 1, 2, 3, 4], 3, -1.0), [1, 3, 0]);
        assert_eq!(nearest(&[0, 1, 2, 3, 4], 9, 0.0), [1, 3, 0, 2]);
        assert_eq!(nearest(&[4, 2], 1, -1.0), [2]);
        assert!(nearest(&[1], 0, -1.0).is_empty());
    }

    #[test]
    fn the_mean_is_a_direction() {
        let index = index(&[&[1.0, 0.0], &[0.0, 1.0], &[-1.0, 0.0]]);
        let mean = index.mean([0, 1, 8]).unwrap();
        assert!((mean[0] - 0.5_f32.sqrt()).abs() < 1e-6 && (mean[0] - mean[1]).abs() < 1e-6);
        assert_eq!(index.mean([0, 2]), None);
        assert_eq!(index.mean([8]), None);
    }

    proptest! {
        #[test]
        fn finds_what_a_sort_of_all_finds(
            rows in prop::collection::vec(prop::collection::vec(-4i8..=4, 19), 1..60),
            query in prop::collection::vec(-4i8..=4, 19),
            removed in prop::collection::vec(0u32..60, 0..20),
            allowed in prop::collection::btree_set(0u32..60, 0..60),
            k in 0usize..12,
        ) {
            let vector = |row: &[i8]| -> Vec<f32> {
                let row: Vec<f32> = row.iter().map(|&c| f32::from(c)).collect();
                if row.iter().all(|&c| c == 0.0) { row } else { unit(&row) }
            };
            let mut index = VectorIndex::new(19);
            for (slot, row) in rows.iter().enumerate() {
                index.put(slot as Slot, &vector(row)).unwrap();
            }
            for &slot in &removed {
                index.remove(slot);
            }
            let query = vector(&query);
            let mut expected: Vec<(Slot, f32)> = (0..rows.len() as Slot)
                .filter(|slot| allowed.contains(slot) && !removed.contains(slot))
                .map(|slot| {
                    let row = vector(&rows[slot as usize]);
                    let exact: f64 =
                        row.iter().zip(&query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                    let similarity = index.similarity(slot, &query).unwrap();
                    assert!((exact - f64::from(similarity)).abs() < 1e-6);
                    (slot, similarity)
                })
                .filter(|&(_, similarity)| similarity >= 0.1)
                .collect();
            expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            expected.truncate(k);
            let allowed = allowed.into_iter().collect();
            prop_assert_eq!(index.nearest(&query, &allowed, k, 0.1), expected);
        }
    }
}
