//! How many rows of a set have each value of the facts that have few values.

use super::{CATEGORY, KIND, LEVEL, MEM_TYPE, Rows};
use crate::Bitset;
use crate::planes::Bits;
use robot_memory_core::model::{Category, Kind, Level, MemType};
use std::collections::BTreeMap;

/// Counts of rows by value; a value that no row has is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassCounts {
    /// All of them.
    pub count: u64,
    /// By type.
    pub kinds: BTreeMap<Kind, u64>,
    /// By level.
    pub levels: BTreeMap<Level, u64>,
    /// By life cycle class.
    pub mem_types: BTreeMap<MemType, u64>,
    /// By category, of those that have one.
    pub categories: BTreeMap<Category, u64>,
}

impl Rows {
    /// Counts the active rows of a set, 64 at a time.
    pub fn count_by_class(&self, slots: &Bitset) -> ClassCounts {
        ClassCounts {
            count: slots.intersection_count(&self.live),
            kinds: self.count_by(slots, KIND, Kind::ALL, 0),
            levels: self.count_by(slots, LEVEL, Level::ALL, 0),
            mem_types: self.count_by(slots, MEM_TYPE, MemType::ALL, 0),
            categories: self.count_by(slots, CATEGORY, Category::ALL, 1),
        }
    }

    /// The active rows of a set by the number of their scope, in order of that number.
    pub fn count_by_scope(&self, slots: &Bitset) -> BTreeMap<u32, u64> {
        count_each(slots.intersection(&self.live).filter_map(|slot| self.scopes.get(slot)))
    }

    /// The first of the values is kept as `from`.
    fn count_by<T: Copy + Ord>(
        &self,
        slots: &Bitset,
        bits: Bits,
        values: &[T],
        from: usize,
    ) -> BTreeMap<T, u64> {
        let count = |value: usize| {
            let words = slots.words().iter().zip(self.live.words()).enumerate();
            let ones = |(index, (set, live)): (usize, (&u64, &u64))| {
                let both = set & live;
                if both == 0 {
                    return 0;
                }
                u64::from((both & self.classes.slots_with(index, bits, value)).count_ones())
            };
            words.map(ones).sum::<u64>()
        };
        let counted = values.iter().zip(from..).map(|(each, value)| (*each, count(value)));
        counted.filter(|(_, count)| *count > 0).collect()
    }
}

/// How often each number is among small ones, in order of the numbers.
pub(super) fn count_each(numbers: impl Iterator<Item = u32>) -> BTreeMap<u32, u64> {
    let mut counts: Vec<u64> = Vec::new();
    for number in numbers {
        let place = number as usize;
        if counts.len() <= place {
            counts.resize(place + 1, 0);
        }
        counts[place] += 1;
    }
    (0..).zip(counts).filter(|(_, count)| *count > 0).collect()
}
