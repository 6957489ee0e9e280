use super::Slot;
use super::paged::Paged;

/// A small number for each slot, as bits: for each word of a [`Bitset`](super::Bitset) the lowest
/// bits of its 64 numbers, then their next bits, up to `N`. So all 64 are compared at once.
#[derive(Debug, Clone)]
pub(super) struct Planes<const N: usize> {
    words: Paged<[u64; N], PAGE_WORDS>,
}

/// Words in one page.
const PAGE_WORDS: usize = 64;

impl<const N: usize> Default for Planes<N> {
    fn default() -> Self {
        Self { words: Paged::new([0; N]) }
    }
}

/// Some of the bits of each number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits {
    /// The lowest of them.
    pub(super) first: usize,
    /// How many they are.
    pub(super) len: usize,
}

impl Bits {
    /// What a number has in these bits.
    pub(super) fn of(self, number: u32) -> usize {
        (number >> self.first) as usize & ((1 << self.len) - 1)
    }

    /// The number that has this in these bits, and 0 in all others.
    pub(super) fn at(self, value: usize) -> u32 {
        (value as u32) << self.first
    }
}

impl<const N: usize> Planes<N> {
    /// A slot's number; 0 until it gets one.
    pub(super) fn get(&self, slot: Slot) -> u32 {
        let planes = self.planes(slot as usize / u64::BITS as usize);
        planes.iter().enumerate().fold(0, |number, (bit, plane)| {
            number | ((plane >> (slot % u64::BITS) & 1) as u32) << bit
        })
    }

    /// Sets a slot's number.
    pub(super) fn set(&mut self, slot: Slot, number: u32) {
        let index = slot as usize / u64::BITS as usize;
        let row = 1 << (slot % u64::BITS);
        for (bit, plane) in self.words.get_mut(index).iter_mut().enumerate() {
            if number >> bit & 1 == 1 {
                *plane |= row;
            } else {
                *plane &= !row;
            }
        }
    }

    /// The slots of a word that have a value in these bits.
    #[inline]
    pub(super) fn slots_with(&self, index: usize, bits: Bits, value: usize) -> u64 {
        let planes = &self.planes(index)[bits.first..bits.first + bits.len];
        planes.iter().enumerate().fold(u64::MAX, |slots, (bit, plane)| {
            slots & if value >> bit & 1 == 1 { *plane } else { !plane }
        })
    }

    #[inline]
    fn planes(&self, index: usize) -> &[u64; N] {
        self.words.get(index).unwrap_or(&[0; N])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slots_are_found_by_some_of_their_bits(
            numbers in prop::collection::vec((0u32..200, 0u32..64), 1..150),
        ) {
            let mut planes = Planes::<6>::default();
            let mut expected = [0; 320];
            for (slot, number) in numbers {
                planes.set(slot, number);
                expected[slot as usize] = number;
            }
            for (slot, &number) in expected.iter().enumerate() {
                prop_assert_eq!(planes.get(slot as Slot), number);
            }
            for bits in [Bits { first: 0, len: 6 }, Bits { first: 2, len: 3 }, Bits { first: 5, len: 1 }] {
                for value in 0..1 << bits.len {
                    for (index, block) in expected.chunks(64).enumerate() {
                        let with = planes.slots_with(index, bits, value);
                        for (bit, &number) in block.iter().enumerate() {
                            prop_assert_eq!(with >> bit & 1 == 1, bits.of(number) == value);
                            prop_assert_eq!(bits.of(bits.at(value)), value);
                        }
                    }
                }
            }
        }
    }
}
