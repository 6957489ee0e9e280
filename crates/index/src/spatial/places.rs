use crate::{Bitset, Slot};
use std::sync::Arc;

/// Points, or slots, in one block.
const BLOCK_LEN: usize = 1_024;

/// Where points of one dimension lie. A clone shares the blocks; who changes one of them then has
/// it for itself.
#[derive(Debug, Clone)]
pub(super) struct Places {
    dimension: usize,
    /// Row by row, the points of so many rows to a block.
    coordinates: Vec<Arc<[f64]>>,
    /// Where in `coordinates` a slot's point lies; meaningless without a point.
    rows: Vec<Arc<[u32]>>,
    row_count: u32,
}

impl Places {
    pub(super) fn new(dimension: usize) -> Self {
        Self { dimension, coordinates: Vec::new(), rows: Vec::new(), row_count: 0 }
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The row of a slot that has a point.
    pub(super) fn row(&self, slot: Slot) -> u32 {
        self.rows[slot as usize / BLOCK_LEN][slot as usize % BLOCK_LEN]
    }

    /// The coordinates of a slot that has a point.
    #[inline]
    pub(super) fn point(&self, slot: Slot) -> &[f64] {
        let row = self.row(slot) as usize;
        let start = row % BLOCK_LEN * self.dimension;
        &self.coordinates[row / BLOCK_LEN][start..start + self.dimension]
    }

    /// Writes a slot's point into a row that no slot uses, or into a new one.
    pub(super) fn put(&mut self, slot: Slot, free_row: Option<u32>, point: &[f64]) {
        let row = free_row.unwrap_or_else(|| {
            self.row_count += 1;
            self.row_count - 1
        });
        let (block, place) = (row as usize / BLOCK_LEN, row as usize % BLOCK_LEN);
        if self.coordinates.len() <= block {
            self.coordinates.push(vec![0.0; BLOCK_LEN * self.dimension].into());
        }
        let start = place * self.dimension;
        Arc::make_mut(&mut self.coordinates[block])[start..start + self.dimension]
            .copy_from_slice(point);
        let (block, place) = (slot as usize / BLOCK_LEN, slot as usize % BLOCK_LEN);
        while self.rows.len() <= block {
            self.rows.push(vec![0; BLOCK_LEN].into());
        }
        Arc::make_mut(&mut self.rows[block])[place] = row;
    }

    /// Keeps the slots whose points are the same in an earlier clone; all of them have a point in
    /// both.
    pub(super) fn retain_same(&self, earlier: &Self, slots: &mut Bitset) {
        // Who puts a point writes into its block: in one that is still shared nothing has changed.
        let is_shared: Vec<bool> = self
            .coordinates
            .iter()
            .zip(&earlier.coordinates)
            .map(|(now, then)| Arc::ptr_eq(now, then))
            .collect();
        slots.retain(|slot| {
            is_shared.get(self.row(slot) as usize / BLOCK_LEN) == Some(&true)
                || self.point(slot) == earlier.point(slot)
        });
    }
}
