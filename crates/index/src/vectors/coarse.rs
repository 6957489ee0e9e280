use super::super::Slot;

/// A row as its bits see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coarse {
    pub(super) similarity: f32,
    pub(super) factor: f32,
    pub(super) slot: Slot,
}

/// The rows of the highest similarity; of equals the lower slots.
pub(super) struct CoarseList {
    capacity: usize,
    rows: Vec<Coarse>,
    threshold: f32,
}

impl CoarseList {
    /// Keeps the best `capacity` rows, at least 1.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            rows: Vec::with_capacity(2 * capacity),
            threshold: f32::NEG_INFINITY,
        }
    }

    /// The similarity from which on a row has a chance.
    pub(super) fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Takes a row that reaches the threshold.
    pub(super) fn push(&mut self, row: Coarse) {
        self.rows.push(row);
        if self.rows.len() >= 2 * self.capacity {
            self.keep(self.capacity);
            self.threshold = self.rows[self.capacity - 1].similarity;
        }
    }

    /// Takes in what another one kept.
    pub(super) fn join(&mut self, other: Self) {
        self.rows.extend(other.into_rows());
        self.keep(self.capacity);
    }

    /// The rows that it kept, in no order.
    pub(super) fn into_rows(mut self) -> Vec<Coarse> {
        self.keep(self.capacity);
        self.rows
    }

    fn keep(&mut self, count: usize) {
        if self.rows.len() > count {
            self.rows.select_nth_unstable_by(count - 1, Coarse::best_first);
            self.rows.truncate(count);
        }
    }
}

/// Parts the best `count` of some rows, in no order, from the others.
pub(super) fn part_best(rows: &mut [Coarse], count: usize) -> (&[Coarse], &mut [Coarse]) {
    let count = count.min(rows.len());
    if count > 0 && count < rows.len() {
        rows.select_nth_unstable_by(count - 1, Coarse::best_first);
    }
    let (best, others) = rows.split_at_mut(count);
    (best, others)
}

impl Coarse {
    fn best_first(a: &Self, b: &Self) -> std::cmp::Ordering {
        b.similarity.total_cmp(&a.similarity).then(a.slot.cmp(&b.slot))
    }
}
