use super::super::Slot;

/// A row whose similarity is known to be `similarity`, give or take `error`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimated {
    pub(super) similarity: f32,
    pub(super) error: f32,
    pub(super) slot: Slot,
}

impl Estimated {
    /// The lower bound of the similarity.
    pub(super) fn least(&self) -> f32 {
        self.similarity - self.error
    }

    /// The upper bound of the similarity.
    pub(super) fn most(&self) -> f32 {
        self.similarity + self.error
    }
}

/// The rows that may be among the `k` most similar ones: all whose upper bound reaches the `k`-th
/// best lower bound.
pub(super) struct Shortlist {
    k: usize,
    rows: Vec<Estimated>,
    floor: f32,
    /// Rows at which to let some go.
    prune_at: usize,
}

impl Shortlist {
    /// Rows up to which it is not worth letting go of some.
    const UNPRUNED_MAX: usize = 1024;

    /// For the best `k`. Rows that are less similar than `floor` are of no interest.
    pub(super) fn new(k: usize, floor: f32) -> Self {
        Self { k, rows: Vec::new(), floor, prune_at: Self::UNPRUNED_MAX.max(4 * k) }
    }

    /// What a row's upper bound must reach.
    pub(super) fn floor(&self) -> f32 {
        self.floor
    }

    /// Takes a row in, when its upper bound reaches the floor.
    pub(super) fn offer(&mut self, row: Estimated) {
        if row.most() >= self.floor {
            self.rows.push(row);
            if self.rows.len() >= self.prune_at {
                self.prune();
                self.prune_at = self.prune_at.max(2 * self.rows.len());
            }
        }
    }

    /// Raises the floor to what is known so far and lets go what is below.
    pub(super) fn prune(&mut self) {
        if self.k > 0 && self.rows.len() >= self.k {
            let (_, kth, _) = self
                .rows
                .select_nth_unstable_by(self.k - 1, |a, b| b.least().total_cmp(&a.least()));
            self.floor = self.floor.max(kth.least());
        }
        let floor = self.floor;
        self.rows.retain(|row| row.most() >= floor);
    }

    /// What is left, the highest upper bound first, of equals the lower slot.
    pub(super) fn into_sorted(mut self) -> Vec<Estimated> {
        self.prune();
        self.rows.sort_unstable_by(|a, b| b.most().total_cmp(&a.most()).then(a.slot.cmp(&b.slot)));
        self.rows
    }
}
