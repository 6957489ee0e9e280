use super::Slot;

/// A set of slots, one bit each.
///
/// It has a length, up to which it has room; whatever lies beyond is not in the set.
#[derive(Debug, Clone, Default)]
pub struct Bitset {
    words: Vec<u64>,
    len: usize,
}

const WORD_BITS: usize = u64::BITS as usize;

impl Bitset {
    /// The empty set, with room for the slots below `len`.
    pub fn with_len(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(WORD_BITS)], len }
    }

    /// The set of all slots below `len`.
    pub fn filled(len: usize) -> Self {
        let mut words = vec![u64::MAX; len.div_ceil(WORD_BITS)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), len % WORD_BITS) {
            *last = (1 << rest) - 1;
        }
        Self { words, len }
    }

    /// The set whose bits are those of the words, the lowest slot in the lowest bit of the first.
    /// No bit is set at or beyond `len`, and there are as many words as that takes.
    pub(super) fn from_words(words: Vec<u64>, len: usize) -> Self {
        debug_assert_eq!(words.len(), len.div_ceil(WORD_BITS));
        Self { words, len }
    }

    /// Up to which slot there is room.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether no slot is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Makes room for the slots below `len`; never shrinks.
    pub fn grow(&mut self, len: usize) {
        if len > self.len {
            self.words.resize(len.div_ceil(WORD_BITS), 0);
            self.len = len;
        }
    }

    /// Puts a slot in, making room for it when there is none.
    pub fn insert(&mut self, slot: Slot) {
        let (word, mask) = position(slot);
        self.grow(slot as usize + 1);
        self.words[word] |= mask;
    }

    /// Takes a slot out; says whether it was in.
    pub fn remove(&mut self, slot: Slot) -> bool {
        let (word, mask) = position(slot);
        let Some(word) = self.words.get_mut(word) else { return false };
        let was_in = *word & mask != 0;
        *word &= !mask;
        was_in
    }

    /// Whether a slot is in the set.
    pub fn contains(&self, slot: Slot) -> bool {
        let (word, mask) = position(slot);
        self.words.get(word).is_some_and(|word| word & mask != 0)
    }

    /// How many slots are in the set.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The set as words of 64 slots: slot 0 is the lowest bit of the first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many slots are in both sets.
    pub fn intersection_count(&self, other: &Self) -> u64 {
        self.words.iter().zip(&other.words).map(|(a, b)| u64::from((a & b).count_ones())).sum()
    }

    /// The slots of the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        slots(self.words.iter().copied())
    }

    /// The slots that are in both sets, ascending.
    pub fn intersection<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = Slot> + 'a {
        slots(self.words.iter().zip(&other.words).map(|(a, b)| a & b))
    }

    /// Keeps what is in both sets.
    pub fn intersect_with(&mut self, other: &Self) {
        let shared = self.words.len().min(other.words.len());
        for (word, mask) in self.words.iter_mut().zip(&other.words) {
            *word &= mask;
        }
        self.words[shared..].fill(0);
    }

    /// Takes out what is in the other set.
    pub fn subtract(&mut self, other: &Self) {
        for (word, less) in self.words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
    }

    /// Adds what is in the other set.
    pub fn union_with(&mut self, other: &Self) {
        self.grow(other.len);
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Keeps the slots for which `keep` holds; it is asked in ascending order.
    pub fn retain(&mut self, mut keep: impl FnMut(Slot) -> bool) {
        self.retain_words(|index, word| {
            word_slots(index, word).map(|slot| u64::from(keep(slot)) << (slot % u64::BITS)).sum()
        });
    }

    /// Keeps of each word that is not empty the bits that `keep` answers for its place and itself;
    /// it is asked in ascending order.
    pub(super) fn retain_words(&mut self, mut keep: impl FnMut(usize, u64) -> u64) {
        for (index, word) in self.words.iter_mut().enumerate() {
            if *word != 0 {
                *word &= keep(index, *word);
            }
        }
    }

    /// Whether every slot of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words
            .iter()
            .enumerate()
            .all(|(index, word)| word & !other.words.get(index).copied().unwrap_or(0) == 0)
    }
}

impl FromIterator<Slot> for Bitset {
    fn from_iter<I: IntoIterator<Item = Slot>>(slots: I) -> Self {
        let mut set = Self::default();
        for slot in slots {
            set.insert(slot);
        }
        set
    }
}

fn position(slot: Slot) -> (usize, u64) {
    (slot as usize / WORD_BITS, 1 << (slot as usize % WORD_BITS))
}

fn slots(words: impl Iterator<Item = u64>) -> impl Iterator<Item = Slot> {
    words.enumerate().flat_map(|(index, word)| word_slots(index, word))
}

/// The slots that the bits of the word at a place stand for, ascending.
pub(super) fn word_slots(index: usize, word: u64) -> impl Iterator<Item = Slot> {
    WordSlots { first: (index * WORD_BITS) as Slot, rest: word }
}

struct WordSlots {
    first: Slot,
    rest: u64,
}

impl Iterator for WordSlots {
    type Item = Slot;

    fn next(&mut self) -> Option<Slot> {
        let lowest = (self.rest != 0).then(|| self.rest.trailing_zeros())?;
        self.rest &= self.rest - 1;
        Some(self.first + lowest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(slots: &BTreeSet<Slot>) -> Bitset {
        slots.iter().copied().collect()
    }

    fn members(set: &Bitset) -> Vec<Slot> {
        set.iter().collect()
    }

    #[test]
    fn filled_holds_exactly_the_slots_below_its_length() {
        for len in [0, 1, 63, 64, 65, 128, 130] {
            let set = Bitset::filled(len);
            assert_eq!(members(&set), (0..len as Slot).collect::<Vec<_>>());
            assert_eq!(set.count(), len as u64);
            assert!(!set.contains(len as Slot));
        }
    }

    #[test]
    fn nothing_beyond_the_length_is_in_the_set() {
        let mut set = Bitset::with_len(10);
        assert!(!set.contains(Slot::MAX));
        assert!(!set.remove(1_000));
        set.insert(200);
        assert_eq!((set.len, members(&set)), (201, vec![200]));
        set.grow(5);
        assert_eq!(set.len, 201);
        assert!(set.remove(200));
        assert!(set.is_empty());
    }

    proptest! {
        #[test]
        fn behaves_as_a_set(
            a in prop::collection::btree_set(0u32..300, 0..60),
            b in prop::collection::btree_set(0u32..300, 0..60),
        ) {
            let (left, right) = (set(&a), set(&b));
            let both: Vec<Slot> = a.intersection(&b).copied().collect();
            prop_assert_eq!(members(&left), a.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(left.intersection(&right).collect::<Vec<_>>(), both.clone());
            prop_assert_eq!(left.intersection_count(&right), both.len() as u64);
            prop_assert_eq!(left.is_subset(&right), a.is_subset(&b));

            let mut intersected = left.clone();
            intersected.intersect_with(&right);
            prop_assert_eq!(members(&intersected), both);
            prop_assert!(intersected.is_subset(&left) && intersected.is_subset(&right));

            let mut rest = left.clone();
            rest.subtract(&right);
            prop_assert_eq!(members(&rest), a.difference(&b).copied().collect::<Vec<_>>());

            let mut united = left.clone();
            united.union_with(&right);
            prop_assert_eq!(members(&united), a.union(&b).copied().collect::<Vec<_>>());

            let mut odd = left.clone();
            odd.retain(|slot| slot % 2 == 1);
            prop_assert_eq!(members(&odd), a.iter().copied().filter(|s| s % 2 == 1).collect::<Vec<_>>());
        }
    }
}
