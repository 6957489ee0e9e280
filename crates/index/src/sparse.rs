use super::chunks::Chunks;
use super::{Bitset, Slot};
use std::sync::Arc;

/// The place of a slot without components.
const NO_PLACE: u32 = u32::MAX;

/// Equally many components for few of the slots, in blocks of `BLOCK_ROWS` rows, one allocation each.
///
/// Clones share what neither of them changes.
#[derive(Debug, Clone)]
pub(super) struct SparseColumn<T, const BLOCK_ROWS: usize> {
    /// Components of a row.
    len: usize,
    count: usize,
    /// [`BLOCK_ROWS`] rows each, in no order.
    blocks: Vec<Arc<Block<T>>>,
    /// Where in `blocks` each slot's is.
    places: Chunks<u32>,
}

#[derive(Debug, Clone)]
struct Block<T> {
    slots: Vec<Slot>,
    /// One row after the other.
    components: Vec<T>,
}

impl<T: Copy + Default, const BLOCK_ROWS: usize> SparseColumn<T, BLOCK_ROWS> {
    /// Of rows with so many components.
    pub(super) fn new(len: usize) -> Self {
        Self { len, count: 0, blocks: Vec::new(), places: Chunks::new(NO_PLACE) }
    }

    /// How many slots have components.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The components of a row.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Gives a slot components, in place of any former ones. Of another length they are none.
    pub(super) fn put(&mut self, slot: Slot, components: impl ExactSizeIterator<Item = T>) {
        if components.len() != self.len {
            self.remove(slot);
            return;
        }
        let place = match self.place(slot) {
            Some(place) => place,
            None => self.push(slot),
        };
        for (to, component) in self.row_mut(place).iter_mut().zip(components) {
            *to = component;
        }
    }

    /// Makes room at the end for the components of a slot.
    fn push(&mut self, slot: Slot) -> usize {
        let place = self.count;
        // As many as there are slots, of which there are fewer than 2^32 - 1.
        self.places.set(slot, place as u32);
        if place.is_multiple_of(BLOCK_ROWS) {
            let components = Vec::with_capacity(BLOCK_ROWS * self.len);
            let slots = Vec::with_capacity(BLOCK_ROWS);
            self.blocks.push(Arc::new(Block { slots, components }));
        }
        if let Some(block) = self.blocks.last_mut() {
            let block = Arc::make_mut(block);
            block.slots.push(slot);
            block.components.resize(block.components.len() + self.len, T::default());
        }
        self.count += 1;
        place
    }

    /// Takes out the components of a slot.
    pub(super) fn remove(&mut self, slot: Slot) {
        let Some(place) = self.place(slot) else { return };
        let Some(last) = self.blocks.last_mut().map(Arc::make_mut) else { return };
        let row = last.components.split_off(last.components.len() - self.len);
        let moved = last.slots.pop();
        self.count -= 1;
        if last.slots.is_empty() {
            self.blocks.pop();
        }
        if let Some(moved) = moved.filter(|moved| *moved != slot) {
            self.row_mut(place).copy_from_slice(&row);
            Arc::make_mut(&mut self.blocks[place / BLOCK_ROWS]).slots[place % BLOCK_ROWS] = moved;
            self.places.set(moved, place as u32);
        }
        self.places.set(slot, NO_PLACE);
    }

    /// The slots that have components, with them, in no order.
    pub(super) fn rows(&self) -> impl Iterator<Item = (Slot, &[T])> {
        self.blocks.iter().flat_map(|block| {
            block.slots.iter().copied().zip(block.components.chunks_exact(self.len.max(1)))
        })
    }

    /// The components of a slot.
    pub(super) fn row(&self, slot: Slot) -> Option<&[T]> {
        let place = self.place(slot)?;
        let from = place % BLOCK_ROWS * self.len;
        self.blocks[place / BLOCK_ROWS].components.get(from..from + self.len)
    }

    /// Those of the allowed rows that have components.
    pub(super) fn present(&self, allowed: &Bitset) -> Bitset {
        let slots = self.blocks.iter().flat_map(|block| block.slots.iter().copied());
        slots.filter(|slot| allowed.contains(*slot)).collect()
    }

    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> usize {
        self.places.bytes() + Self::bytes_of(self.count, self.len)
    }

    /// Bytes that the blocks of so many rows take.
    pub(super) fn bytes_of(count: usize, len: usize) -> usize {
        let row_bytes = len * size_of::<T>() + size_of::<Slot>();
        count.div_ceil(BLOCK_ROWS) * BLOCK_ROWS * row_bytes
    }

    fn place(&self, slot: Slot) -> Option<usize> {
        self.places.get(slot).filter(|place| *place != NO_PLACE).map(|place| place as usize)
    }

    fn row_mut(&mut self, place: usize) -> &mut [T] {
        let from = place % BLOCK_ROWS * self.len;
        &mut Arc::make_mut(&mut self.blocks[place / BLOCK_ROWS]).components[from..from + self.len]
    }
}
