use super::Slot;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The few slots of least cost among many; of equal costs the lower slots.
pub(super) struct SmallestK {
    k: usize,
    /// The costliest that is kept is on top.
    kept: BinaryHeap<Priced>,
}

struct Priced {
    cost: f64,
    slot: Slot,
}

impl SmallestK {
    /// Keeps at most `k`.
    pub(super) fn new(k: usize) -> Self {
        Self { k, kept: BinaryHeap::new() }
    }

    /// Whether it keeps as many as it may.
    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= self.k
    }

    /// What a slot may cost at most to have a chance; `None` while there is room for any.
    pub(super) fn bound(&self) -> Option<f64> {
        if !self.is_full() {
            return None;
        }
        Some(self.kept.peek().map_or(f64::NEG_INFINITY, |worst| worst.cost))
    }

    /// Offers a slot. The cost is not NaN and not the negative zero.
    pub(super) fn offer(&mut self, cost: f64, slot: Slot) {
        let offered = Priced { cost, slot };
        if !self.is_full() {
            self.kept.push(offered);
        } else if let Some(mut worst) = self.kept.peek_mut()
            && offered < *worst
        {
            *worst = offered;
        }
    }

    /// What was kept, least cost first.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = (f64, Slot)> {
        self.kept.into_sorted_vec().into_iter().map(|Priced { cost, slot }| (cost, slot))
    }
}

impl Ord for Priced {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.slot.cmp(&other.slot))
    }
}

impl PartialOrd for Priced {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Priced {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Priced {}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(k: usize, offers: &[(f64, Slot)]) -> Vec<(f64, Slot)> {
        let mut smallest = SmallestK::new(k);
        for &(cost, slot) in offers {
            smallest.offer(cost, slot);
        }
        smallest.into_sorted().collect()
    }

    #[test]
    fn keeps_the_least_and_of_equals_the_lower_slots() {
        let offers = [(2.0, 9), (1.0, 7), (1.0, 3), (0.5, 8), (1.0, 5)];
        assert_eq!(kept(3, &offers), [(0.5, 8), (1.0, 3), (1.0, 5)]);
        assert_eq!(kept(0, &offers), []);
        assert_eq!(kept(9, &offers).len(), 5);
    }

    #[test]
    fn the_bound_is_the_worst_that_is_kept_once_it_is_full() {
        let mut smallest = SmallestK::new(2);
        smallest.offer(4.0, 1);
        assert_eq!(smallest.bound(), None);
        smallest.offer(2.0, 2);
        assert_eq!(smallest.bound(), Some(4.0));
        smallest.offer(3.0, 3);
        assert_eq!(smallest.bound(), Some(3.0));
        assert_eq!(SmallestK::new(0).bound(), Some(f64::NEG_INFINITY));
    }
}
