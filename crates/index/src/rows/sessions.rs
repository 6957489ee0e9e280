//! The rows of each session, one after the other.

use super::Rows;
use crate::{Bitset, Slot};
use robot_memory_core::limits::BESIDE_LOOKED_AT_MAX;

/// Stands for no slot.
pub(super) const NONE: Slot = Slot::MAX;

/// A row's neighbors among the active rows of its session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Links {
    previous: Slot,
    next: Slot,
}

impl Default for Links {
    fn default() -> Self {
        Self { previous: NONE, next: NONE }
    }
}

impl Rows {
    /// The active rows before and after a row in its session, in order of id; of a row without a
    /// session, or one that is not active, none.
    pub fn neighbors(&self, slot: Slot) -> (Option<Slot>, Option<Slot>) {
        if !self.live.contains(slot) {
            return (None, None);
        }
        let Links { previous, next } = self.links(slot);
        let some = |slot| (slot != NONE).then_some(slot);
        (some(previous), some(next))
    }

    /// The nearest `count` rows of a set before a row in its session and after it, each with how many rows
    /// of the set away it is: 1 is the next. As if there were no rows but those of the set; only the search
    /// for them ends after [`BESIDE_LOOKED_AT_MAX`] rows.
    pub fn beside(&self, slot: Slot, set: &Bitset, count: usize) -> Vec<(Slot, usize)> {
        let mut beside = Vec::with_capacity(2 * count);
        for is_before in [true, false] {
            let step = |slot: &Slot| {
                let (before, after) = self.neighbors(*slot);
                if is_before { before } else { after }
            };
            let looked_at = std::iter::successors(step(&slot), step).take(BESIDE_LOOKED_AT_MAX);
            let of_set = looked_at.filter(|slot| set.contains(*slot));
            beside.extend(of_set.take(count).zip(1..));
        }
        beside
    }

    /// Puts a row into its session. Mostly it is the last; another is searched for from the end.
    pub(super) fn link(&mut self, slot: Slot, session: u32) {
        let (mut previous, mut next) = (self.chains.get(session).unwrap_or(NONE), NONE);
        while previous != NONE && previous > slot {
            next = previous;
            previous = self.links(previous).previous;
        }
        self.links.set(slot, Links { previous, next });
        if previous != NONE {
            self.set_next(previous, slot);
        }
        match next {
            NONE => self.chains.set(session, slot),
            next => self.set_previous(next, slot),
        }
    }

    /// Takes a row out of its session.
    pub(super) fn unlink(&mut self, slot: Slot) {
        let Links { previous, next } = self.links(slot);
        if previous != NONE {
            self.set_next(previous, next);
        }
        if next != NONE {
            self.set_previous(next, previous);
        } else if let Some(session) = self.sessions.get(slot)
            && self.chains.get(session) == Some(slot)
        {
            self.chains.set(session, previous);
        }
        self.links.set(slot, Links::default());
    }

    fn links(&self, slot: Slot) -> Links {
        self.links.get(slot).unwrap_or_default()
    }

    fn set_previous(&mut self, slot: Slot, previous: Slot) {
        self.links.set(slot, Links { previous, ..self.links(slot) });
    }

    fn set_next(&mut self, slot: Slot, next: Slot) {
        self.links.set(slot, Links { next, ..self.links(slot) });
    }
}
