//! The same search when only a few memories may be answered: each is looked up in the postings,
//! instead of walking along these.

use super::query::{Admission, WordList, WordQuery};
use crate::index::{Bitset, Slot, WINDOW_WORDS};

/// Memories that are looked up in the time in which the walk reads one window.
const PER_WINDOW: usize = 2;

/// The slots of a set, when looking each of them up takes less time than a walk over the windows that
/// they are in.
pub(super) fn slots(admit: &Bitset) -> Option<Vec<Slot>> {
    let windows = admit.words().chunks(WINDOW_WORDS);
    let few_max = windows.len() * PER_WINDOW;
    let (mut slots, mut touched) = (0, 0);
    for window in windows {
        let own: usize = window.iter().map(|word| word.count_ones() as usize).sum();
        slots += own;
        touched += usize::from(own > 0);
        if slots > few_max {
            return None;
        }
    }
    (slots <= touched * PER_WINDOW).then(|| admit.iter().collect())
}

impl WordQuery<'_> {
    /// The search by a look at each of some memories, which ascend.
    pub(super) fn look_up(
        &self,
        slots: &[Slot],
        lengths: impl Fn(Slot) -> u32,
        admission: Admission,
        count: usize,
    ) -> WordList {
        let mut head = self.features(lengths, slots);
        head.retain(|hit| match (hit, admission) {
            (None, _) => false,
            (Some(_), Admission::All) => true,
            (Some(hit), Admission::CoverageAtLeast(share)) => hit.coverage >= share,
        });
        let mut head: Vec<_> = head.into_iter().flatten().collect();
        let total = head.len() as u64;
        head.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.slot.cmp(&b.slot)));
        head.truncate(count);
        WordList { head, total }
    }
}
