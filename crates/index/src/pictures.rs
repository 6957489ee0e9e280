use super::smallest_k::SmallestK;
use super::sparse::SparseColumn;
use super::vectors::cosine;
use super::{Bitset, Slot};

/// Pictures in one allocation: of 512 components it has a quarter of a megabyte, which is copied when one
/// of them changes that somebody reads.
const BLOCK_ROWS: usize = 128;

/// The vectors of pictures, which few rows have. All are compared: the answer is exact, whatever rows are
/// allowed.
///
/// Clones share what neither of them changes.
#[derive(Debug, Clone)]
pub struct PictureColumn(SparseColumn<f32, BLOCK_ROWS>);

impl PictureColumn {
    /// Of unit vectors with so many components.
    pub fn new(dimension: usize) -> Self {
        Self(SparseColumn::new(dimension))
    }

    /// How many rows have one.
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// Length of each vector.
    pub fn dimension(&self) -> usize {
        self.0.len()
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Bytes that so many vectors take, about.
    pub fn bytes_of(count: usize, dimension: usize) -> usize {
        SparseColumn::<f32, BLOCK_ROWS>::bytes_of(count, dimension)
    }

    /// Keeps the vector of a row's picture, in place of any former one. One of another length is none.
    pub fn put(&mut self, slot: Slot, vector: &[f32]) {
        self.0.put(slot, vector.iter().copied());
    }

    /// Takes out the vector of a row.
    pub fn remove(&mut self, slot: Slot) {
        self.0.remove(slot);
    }

    /// The cosine of a row's picture and a query of the same dimension; `None` when the row has none.
    pub fn similarity(&self, slot: Slot, query: &[f32]) -> Option<f32> {
        self.0.row(slot).map(|vector| cosine(vector, query))
    }

    /// The `count` allowed rows of the greatest cosine with a query of the same dimension, of those of at
    /// least `cosine_min`; the greatest first, equals in order of slots.
    pub fn best(
        &self,
        query: &[f32],
        allowed: &Bitset,
        count: usize,
        cosine_min: f32,
    ) -> Vec<(Slot, f32)> {
        let mut smallest = SmallestK::new(count);
        for (slot, vector) in self.0.rows() {
            if allowed.contains(slot) {
                let cosine = cosine(vector, query);
                if cosine >= cosine_min {
                    // Without a negative zero.
                    smallest.offer(0.0 - f64::from(cosine), slot);
                }
            }
        }
        smallest.into_sorted().map(|(cost, slot)| (slot, (0.0 - cost) as f32)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// A unit vector of two components by its angle, in hundredths of a turn.
    fn unit(hundredths: u32) -> Vec<f32> {
        let angle = f64::from(hundredths) * std::f64::consts::TAU / 100.0;
        vec![angle.cos() as f32, angle.sin() as f32]
    }

    proptest! {
        #[test]
        fn finds_what_comparing_all_finds(
            steps in prop::collection::vec((0_u32..300, prop::option::of(0_u32..100)), 0..600),
            query in 0_u32..100,
            allowed in prop::collection::btree_set(0_u32..300, 0..300),
            count in 0_usize..9,
            cosine_min in prop::sample::select(vec![-1.0_f32, 0.0, 0.5]),
        ) {
            let mut column = PictureColumn::new(2);
            let mut rows = BTreeMap::new();
            for (slot, angle) in steps {
                match angle {
                    Some(angle) => {
                        column.put(slot, &unit(angle));
                        rows.insert(slot, unit(angle));
                    }
                    None => {
                        column.remove(slot);
                        rows.remove(&slot);
                    }
                }
            }
            let query = unit(query);
            let mut expected: Vec<(Slot, f32)> = rows
                .iter()
                .filter(|(slot, _)| allowed.contains(slot))
                .map(|(slot, vector)| (*slot, cosine(vector, &query)))
                .filter(|(_, cosine)| *cosine >= cosine_min)
                .collect();
            expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            expected.truncate(count);
            let allowed: Bitset = allowed.into_iter().collect();
            prop_assert_eq!(column.best(&query, &allowed, count, cosine_min), expected);
            prop_assert_eq!(column.count(), rows.len());
            for (slot, vector) in &rows {
                prop_assert_eq!(column.similarity(*slot, &query), Some(cosine(vector, &query)));
            }
        }
    }

    #[test]
    fn a_vector_of_another_length_is_none_and_equals_come_in_order() {
        let mut column = PictureColumn::new(2);
        for slot in [9, 4, 7] {
            column.put(slot, &[1.0, 0.0]);
        }
        column.put(7, &[1.0]);
        assert_eq!(column.similarity(7, &[1.0, 0.0]), None);
        let all = Bitset::filled(10);
        assert_eq!(column.best(&[1.0, 0.0], &all, 9, 0.5), [(4, 1.0), (9, 1.0)]);
    }
}
