use super::smallest_k::SmallestK;
use super::sparse::SparseColumn;
use super::{Bitset, Slot};

/// Signatures in one allocation.
const BLOCK_ROWS: usize = 1024;

/// The signatures of one kind: points whose components are bytes, compared by the sum of absolute
/// differences. A row takes its components and eight bytes.
///
/// They are scanned, one after the other: the answer is exact, whatever rows are allowed.
///
/// Clones share what neither of them changes. Components have 128 added: differences of unsigned bytes are
/// what processors add up fastest.
#[derive(Debug, Clone)]
pub struct SignatureColumn(SparseColumn<u8, BLOCK_ROWS>);

/// The nearest signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestSignatures {
    /// Slots and distances in steps, nearest first, equals in order of slots.
    pub hits: Vec<(Slot, u32)>,
    /// How many of the allowed rows have a signature.
    pub total: u64,
}

impl SignatureColumn {
    /// Of signatures with so many components.
    pub fn new(len: usize) -> Self {
        Self(SparseColumn::new(len))
    }

    /// Keeps the signature of a row, in place of any former one. One of another length is none.
    pub fn put(&mut self, slot: Slot, steps: &[i8]) {
        self.0.put(slot, steps.iter().map(|step| byte(*step)));
    }

    /// Takes out the signature of a row.
    pub fn remove(&mut self, slot: Slot) {
        self.0.remove(slot);
    }

    /// The `count` nearest of the allowed rows.
    pub fn nearest(&self, steps: &[i8], allowed: &Bitset, count: usize) -> NearestSignatures {
        let query: Vec<u8> = steps.iter().map(|step| byte(*step)).collect();
        let mut smallest = SmallestK::new(count);
        let mut total = 0;
        for (slot, row) in self.0.rows() {
            if allowed.contains(slot) {
                total += 1;
                smallest.offer(f64::from(distance(&query, row)), slot);
            }
        }
        let hits = smallest.into_sorted().map(|(distance, slot)| (slot, distance as u32));
        NearestSignatures { hits: hits.collect(), total }
    }

    /// Those of the allowed rows that have a signature.
    pub fn present(&self, allowed: &Bitset) -> Bitset {
        self.0.present(allowed)
    }
}

/// The same order, without signs.
fn byte(step: i8) -> u8 {
    step.cast_unsigned() ^ 0x80
}

/// The sum of absolute differences. By parts of a length that the compiler knows: it has instructions for
/// those.
fn distance(one: &[u8], other: &[u8]) -> u32 {
    let (ones, rest) = one.as_chunks::<16>();
    let (others, other_rest) = other.as_chunks::<16>();
    let parts = ones.iter().zip(others).map(|(one, other)| apart(one, other));
    parts.sum::<u32>() + apart(rest, other_rest)
}

#[inline(always)]
fn apart(one: &[u8], other: &[u8]) -> u32 {
    one.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(Debug, Clone)]
    enum Step {
        Put(Slot, [i8; 3]),
        Remove(Slot),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let slot = 0_u32..40;
        let step = prop_oneof![
            3 => (slot.clone(), any::<[i8; 3]>()).prop_map(|(slot, row)| Step::Put(slot, row)),
            1 => slot.prop_map(Step::Remove),
        ];
        prop::collection::vec(step, 0..80)
    }

    proptest! {
        #[test]
        fn finds_what_comparing_all_finds(
            steps in steps(),
            query: [i8; 3],
            allowed in prop::collection::btree_set(0_u32..40, 0..40),
            count in 0_usize..9,
            // So that rows lie in several blocks of the column.
            stride in prop::sample::select(vec![1_u32, 999]),
            filled in prop::sample::select(vec![0_u32, 1_020]),
        ) {
            let mut column = SignatureColumn::new(3);
            let mut rows = BTreeMap::new();
            for slot in 0..filled {
                column.put(100_000 + slot, &[1, 2, 3]);
            }
            for step in steps {
                match step {
                    Step::Put(slot, row) => {
                        column.put(slot * stride, &row);
                        rows.insert(slot * stride, row);
                    }
                    Step::Remove(slot) => {
                        column.remove(slot * stride);
                        rows.remove(&(slot * stride));
                    }
                }
            }
            let allowed: Bitset = allowed.into_iter().map(|slot| slot * stride).collect();
            let mut expected: Vec<(Slot, u32)> = rows
                .iter()
                .filter(|(slot, _)| allowed.contains(**slot))
                .map(|(slot, row)| {
                    let parts = row.iter().zip(&query);
                    let parts = parts.map(|(a, b)| i32::from(*a).abs_diff(i32::from(*b)));
                    (*slot, parts.sum())
                })
                .collect();
            expected.sort_by_key(|(slot, distance)| (*distance, *slot));
            let total = expected.len() as u64;
            let present = expected.iter().map(|(slot, _)| *slot).collect::<Bitset>();
            expected.truncate(count);
            let found = column.nearest(&query, &allowed, count);
            prop_assert_eq!(found, NearestSignatures { hits: expected, total });
            prop_assert!(column.present(&allowed).iter().eq(present.iter()));
        }
    }

    #[test]
    fn a_signature_of_another_length_is_none() {
        let mut column = SignatureColumn::new(2);
        column.put(4, &[1, 2]);
        column.put(4, &[1, 2, 3]);
        assert_eq!(column.nearest(&[0, 0], &Bitset::filled(9), 9).total, 0);
    }
}
