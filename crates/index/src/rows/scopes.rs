//! The rows of each scope, so that those of a small one are found without a look at all others.

use super::name_list::NameList;
use crate::paged::Paged;
use crate::{Bitset, Slot};
use std::sync::Arc;

/// A scope that every 32nd row is in takes as much room as bits as it takes as slots.
const MANY_SHARE: usize = 32;
/// Below half of that share it goes back to slots: not sooner, lest it go to and fro.
const FEW_SHARE: usize = 64;
/// Of fewer rows bits gain nothing.
const MANY_MIN: usize = 1_024;

/// The active rows of each scope: at most 4 bytes each, and some 200 bytes a scope with its name.
/// Clones share what neither of them changes.
#[derive(Debug, Clone)]
pub(super) struct Scopes {
    /// By the number of the scope.
    slots: Paged<Slots, PAGE_SCOPES>,
    /// The scopes that have an active row.
    names: NameList,
}

/// Scopes in one page.
const PAGE_SCOPES: usize = 32;

impl Default for Scopes {
    fn default() -> Self {
        Self { slots: Paged::new(Slots::None), names: NameList::default() }
    }
}

#[derive(Debug, Clone)]
enum Slots {
    None,
    One(Slot),
    /// Ascending.
    Few(Arc<Vec<Slot>>),
    Many(Arc<Many>),
}

#[derive(Debug, Clone, Default)]
struct Many {
    set: Bitset,
    count: usize,
}

impl Scopes {
    /// Puts a row in that is in no scope yet, of so many rows in all.
    pub(super) fn insert(&mut self, number: u32, name: &Arc<str>, slot: Slot, row_count: usize) {
        let slots = self.slots.get_mut(number as usize);
        if slots.is_empty() {
            self.names.insert(name, number);
        }
        slots.insert(slot, row_count);
    }

    /// Takes a row out of its scope.
    pub(super) fn remove(&mut self, number: u32, name: &str, slot: Slot) {
        let slots = self.slots.get_mut(number as usize);
        slots.remove(slot);
        if slots.is_empty() {
            *slots = Slots::None;
            self.names.remove(name);
        }
    }

    /// The scopes that have an active row and whose names begin so, in order of name.
    pub(super) fn with_prefix<'s>(&'s self, prefix: &str) -> impl Iterator<Item = (&'s str, u32)> {
        self.names.from(prefix).take_while(move |(name, _)| name.starts_with(prefix))
    }

    /// The first scope after this name, in order of name, that has an active row.
    pub(super) fn after(&self, name: &str) -> Option<&str> {
        self.names.from(name).map(|(name, _)| name).find(|found| *found != name)
    }

    /// How many scopes have an active row.
    pub(super) fn count(&self) -> usize {
        self.names.count()
    }

    /// Adds the rows of a scope to a set, which has room for all of them.
    pub(super) fn add_to(&self, number: u32, words: &mut [u64]) {
        match self.slots.get(number as usize) {
            None | Some(Slots::None) => {}
            Some(Slots::One(slot)) => insert(words, *slot),
            Some(Slots::Few(slots)) => slots.iter().for_each(|slot| insert(words, *slot)),
            Some(Slots::Many(many)) => {
                for (word, more) in words.iter_mut().zip(many.set.words()) {
                    *word |= more;
                }
            }
        }
    }
}

const WORD_BITS: usize = u64::BITS as usize;

fn insert(words: &mut [u64], slot: Slot) {
    let place = slot as usize;
    words[place / WORD_BITS] |= 1 << (place % WORD_BITS);
}

impl Slots {
    fn is_empty(&self) -> bool {
        match self {
            Self::None => true,
            Self::One(_) => false,
            Self::Few(slots) => slots.is_empty(),
            Self::Many(many) => many.count == 0,
        }
    }

    fn insert(&mut self, slot: Slot, row_count: usize) {
        match self {
            Self::None => *self = Self::One(slot),
            Self::One(one) if *one == slot => {}
            Self::One(one) => *self = Self::Few(Arc::new(vec![slot.min(*one), slot.max(*one)])),
            Self::Few(slots) => {
                let slots = Arc::make_mut(slots);
                if slots.capacity() == slots.len() {
                    // Doubling would leave a third of all room unused.
                    slots.reserve_exact(1 + slots.len() / 8);
                }
                match slots.last() {
                    Some(last) if *last > slot => {
                        if let Err(at) = slots.binary_search(&slot) {
                            slots.insert(at, slot);
                        }
                    }
                    _ => slots.push(slot),
                }
                if slots.len() >= MANY_MIN && slots.len().saturating_mul(MANY_SHARE) >= row_count {
                    let set = slots.iter().copied().collect();
                    *self = Self::Many(Arc::new(Many { set, count: slots.len() }));
                }
            }
            Self::Many(many) => {
                let many = Arc::make_mut(many);
                many.count += usize::from(!many.set.contains(slot));
                many.set.insert(slot);
                self.thin_out();
            }
        }
    }

    fn remove(&mut self, slot: Slot) {
        match self {
            Self::None => {}
            Self::One(one) if *one == slot => *self = Self::None,
            Self::One(_) => {}
            Self::Few(slots) => {
                if let Ok(at) = slots.binary_search(&slot) {
                    Arc::make_mut(slots).remove(at);
                }
            }
            Self::Many(many) => {
                let many = Arc::make_mut(many);
                many.count -= usize::from(many.set.remove(slot));
                self.thin_out();
            }
        }
    }

    /// Goes back to slots when bits take more room.
    fn thin_out(&mut self) {
        if let Self::Many(many) = self
            && many.count.saturating_mul(FEW_SHARE) < many.set.len()
        {
            *self = Self::Few(Arc::new(many.set.iter().collect()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn rows(scopes: &Scopes, number: u32, len: usize) -> Vec<Slot> {
        let mut words = vec![0; len.div_ceil(WORD_BITS)];
        scopes.add_to(number, &mut words);
        Bitset::from_words(words, len).iter().collect()
    }

    /// Both forms, there and back, and rows that change their scope in the middle.
    #[test]
    fn a_scope_has_the_rows_that_were_put_and_not_taken_out() {
        const ROWS: usize = 200_000;
        let names: [Arc<str>; 3] = ["global".into(), "group:a".into(), "turn:1".into()];
        let scope_of = |slot: Slot| match slot % 100 {
            0..60 => 0,
            60..64 => 1,
            _ => 2,
        };
        let mut scopes = Scopes::default();
        let mut expected: [BTreeSet<Slot>; 3] = Default::default();
        let check = |scopes: &Scopes, expected: &[BTreeSet<Slot>; 3]| {
            for (number, slots) in expected.iter().enumerate() {
                let found = rows(scopes, number as u32, ROWS);
                assert!(found.iter().eq(slots.iter()), "scope {number}");
            }
            let known: Vec<&str> = scopes.with_prefix("").map(|(name, _)| name).collect();
            let with_rows = names.iter().zip(expected).filter(|(_, slots)| !slots.is_empty());
            assert_eq!(known, with_rows.map(|(name, _)| &**name).collect::<Vec<_>>());
        };
        for slot in 0..ROWS as Slot {
            let scope = scope_of(slot);
            scopes.insert(scope, &names[scope as usize], slot, slot as usize + 1);
            expected[scope as usize].insert(slot);
        }
        check(&scopes, &expected);
        assert!(matches!(scopes.slots.get(1), Some(Slots::Many(_))));
        for slot in (0..ROWS as Slot).filter(|slot| slot % 7 != 0) {
            let (from, to) = (scope_of(slot), (scope_of(slot) + 1) % 3);
            scopes.remove(from, &names[from as usize], slot);
            expected[from as usize].remove(&slot);
            if slot % 5 == 0 {
                scopes.insert(to, &names[to as usize], slot, ROWS);
                expected[to as usize].insert(slot);
            }
        }
        check(&scopes, &expected);
        for slot in expected[1].clone() {
            scopes.remove(1, &names[1], slot);
        }
        expected[1].clear();
        check(&scopes, &expected);
        assert!(matches!(scopes.slots.get(1), Some(Slots::None)));
        assert_eq!(scopes.with_prefix("tu").collect::<Vec<_>>(), [("turn:1", 2)]);
        assert_eq!(scopes.with_prefix("gr").count(), 0);
    }
}
