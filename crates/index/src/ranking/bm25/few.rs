//! The same search when only a few memories may be answered: they are looked up in one list of postings
//! after the other, instead of walking along all of these at once.

use super::WordHit;
use super::query::{Admission, WordList, WordQuery};
use crate::{Bitset, Slot, WINDOW_WORDS};

/// Memories that are looked up in the time in which the walk reads one window.
const PER_WINDOW: usize = 24;

/// Whether looking up each slot of a set takes less time than a walk over the windows that they are in.
pub(super) fn are_few(admit: &Bitset) -> bool {
    let windows = admit.words().chunks(WINDOW_WORDS);
    let few_max = windows.len() * PER_WINDOW;
    let (mut slots, mut touched) = (0, 0);
    for window in windows {
        let own: usize = window.iter().map(|word| word.count_ones() as usize).sum();
        slots += own;
        touched += usize::from(own > 0);
        if slots > few_max {
            return false;
        }
    }
    slots <= touched * PER_WINDOW
}

impl WordQuery<'_> {
    /// The search by a look at each of a few memories.
    pub(super) fn look_up(
        &self,
        admit: &Bitset,
        lengths: impl Fn(Slot) -> u32,
        admission: Admission,
        count: usize,
    ) -> WordList {
        let Some(coverage_min) = self.coverage_min(admission) else { return WordList::default() };
        let candidates = self.candidates(admit, coverage_min);
        let mut head = self.features_of_ascending(lengths, &candidates);
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

    /// The memories of a set that may have enough of the query: those with one of the terms that an
    /// admitted one must have one of. Ascending.
    fn candidates(&self, admit: &Bitset, coverage_min: f64) -> Vec<Slot> {
        let slots: Vec<Slot> = admit.iter().collect();
        let (leading, _) = self.parted(coverage_min);
        let alternatives = leading.iter().flat_map(|term| &term.alternatives);
        // A memory says it in this way only if it has the rarest token, too.
        let mut rarest: Vec<usize> = alternatives.map(|alternative| alternative.lists[0]).collect();
        rarest.sort_unstable();
        rarest.dedup();
        let mut candidates = Vec::new();
        for list in rarest {
            self.lists[list].each_within(admit, &slots, |slot| candidates.push(slot));
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    /// As [`features`](Self::features), of slots that ascend: each list is read along them.
    pub(super) fn features_of_ascending(
        &self,
        lengths: impl Fn(Slot) -> u32,
        slots: &[Slot],
    ) -> Vec<Option<WordHit>> {
        let width = self.lists.len();
        let frequencies = self.frequencies(slots);
        let hit = |(at, &slot): (usize, &Slot)| {
            let own = &frequencies[at * width..][..width];
            self.hit(slot, lengths(slot), |list| own[list])
        };
        slots.iter().enumerate().map(hit).collect()
    }
    /// Of each of some slots that ascend, how often it has the token of each list.
    pub(super) fn frequencies(&self, slots: &[Slot]) -> Vec<u32> {
        let width = self.lists.len();
        let mut frequencies = vec![0; width * slots.len()];
        for (place, list) in self.lists.iter().enumerate() {
            list.each_frequency(slots, |at, frequency| frequencies[at * width + place] = frequency);
        }
        frequencies
    }
}
