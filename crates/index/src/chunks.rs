use super::Slot;
use super::paged::Paged;

/// Slots that share one word of a [`Bitset`](super::Bitset): what is compared at a time.
pub(super) const BLOCK_LEN: usize = u64::BITS as usize;
/// Blocks in one page: some kilobytes, whatever the values are.
const PAGE_BLOCKS: usize = 16;

/// A value for each slot. Clones share what neither of them changes.
#[derive(Debug, Clone)]
pub(super) struct Chunks<T> {
    blocks: Paged<[T; BLOCK_LEN], PAGE_BLOCKS>,
}

impl<T: Copy> Chunks<T> {
    /// Every slot has the value `fill` until it gets one.
    pub(super) fn new(fill: T) -> Self {
        Self { blocks: Paged::new([fill; BLOCK_LEN]) }
    }

    /// A slot's value; `None` where there is no room yet.
    #[inline]
    pub(super) fn get(&self, slot: Slot) -> Option<T> {
        let block = self.block(slot as usize / BLOCK_LEN)?;
        Some(block[slot as usize % BLOCK_LEN])
    }

    /// The values of the slots that share this word of a bitset.
    #[inline]
    pub(super) fn block(&self, word: usize) -> Option<&[T; BLOCK_LEN]> {
        self.blocks.get(word)
    }

    /// Sets a slot's value, making room for it when there is none.
    #[inline]
    pub(super) fn set(&mut self, slot: Slot, value: T) {
        self.blocks.get_mut(slot as usize / BLOCK_LEN)[slot as usize % BLOCK_LEN] = value;
    }

    /// The same values as another type.
    pub(super) fn map<U: Copy>(&self, to: impl Fn(T) -> U) -> Chunks<U> {
        Chunks { blocks: self.blocks.map(|block| block.map(&to)) }
    }

    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.bytes()
    }
}

/// Which of a block's values pass, as a word of a bitset: without a branch, so that the compiler
/// makes vector instructions of it.
#[inline(always)]
pub(super) fn mask<T: Copy>(block: &[T; BLOCK_LEN], pass: impl Fn(T) -> bool) -> u64 {
    let mut mask = 0;
    if size_of::<T>() >= size_of::<u64>() {
        for (index, eight) in block.chunks_exact(8).enumerate() {
            let mut byte = 0;
            for (bit, value) in eight.iter().enumerate() {
                byte |= u8::from(pass(*value)) << bit;
            }
            mask |= u64::from(byte) << (8 * index);
        }
    } else {
        // Of small values more are compared at once when the results lie in a byte each.
        let mut passed = [0; BLOCK_LEN];
        for (passed, value) in passed.iter_mut().zip(block) {
            *passed = u8::from(pass(*value));
        }
        let (eights, _) = passed.as_chunks::<8>();
        for (index, eight) in eights.iter().enumerate() {
            mask |= gather(u64::from_le_bytes(*eight)) << (8 * index);
        }
    }
    mask
}

/// The lowest bits of eight bytes, side by side: each product of a set bit and a factor puts one
/// of them into the highest byte, and no two meet.
const fn gather(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_slot_has_what_was_set_last() {
        let mut chunks = Chunks::new(7u16);
        assert_eq!((chunks.get(0), chunks.block(0)), (None, None));
        chunks.set(5_000, 1);
        chunks.set(5_000, 2);
        assert_eq!(
            (chunks.get(5_000), chunks.get(4_999), chunks.get(0)),
            (Some(2), Some(7), Some(7))
        );
        assert_eq!(chunks.get(1 << 20), None);
        assert_eq!(chunks.map(u64::from).get(5_000), Some(2));
    }

    proptest! {
        #[test]
        fn a_mask_has_a_bit_for_each_value_that_passes(bits: u64) {
            let values: [bool; BLOCK_LEN] = std::array::from_fn(|index| bits >> index & 1 == 1);
            prop_assert_eq!(mask(&values, |value| value), bits);
            prop_assert_eq!(mask(&values.map(u32::from), |value| value == 1), bits);
            prop_assert_eq!(mask(&values.map(|value| f64::from(u8::from(value))), |v| v > 0.5), bits);
        }
    }
}
