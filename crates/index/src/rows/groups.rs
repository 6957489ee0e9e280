//! The nth row of each hour, day or session.

use super::Rows;
use super::times::period_of;
use crate::{Bitset, Slot};
use robot_memory_core::model::Stamp;
use std::collections::{BinaryHeap, HashMap};
use std::num::{NonZeroU32, NonZeroUsize};

/// What rows are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// All are one group.
    Whole,
    /// The period in which they were made, of a local time that is so far ahead of UTC.
    #[expect(missing_docs, reason = "the names say it")]
    Period { period_secs: NonZeroU32, utc_offset_secs: i64 },
    /// The session; those without one are a group, too.
    Session,
}

impl Grouping {
    fn of(self, rows: &Rows, slot: Slot, made: Stamp) -> i64 {
        match self {
            Self::Whole => 0,
            Self::Session => rows.sessions.get(slot).map_or(-1, i64::from),
            Self::Period { period_secs, utc_offset_secs } => {
                period_of(made.0, period_secs, utc_offset_secs)
            }
        }
    }
}

impl Rows {
    /// Of each group of a set's active rows that has as many the `nth` by time, from the first or from the last; of
    /// the same time by slot. Groups come in the same order, by the row that is answered.
    pub fn nth_of_each(
        &self,
        set: &Bitset,
        grouping: Grouping,
        is_newest_first: bool,
        nth: NonZeroUsize,
    ) -> Vec<Slot> {
        // The last of the first n is on top.
        let mut groups: HashMap<i64, BinaryHeap<(i64, i64, Slot)>> = HashMap::new();
        for slot in set.intersection(&self.live) {
            let made = self.created_at(slot).unwrap_or_default();
            // The complement turns the order around, and has no value that it does not fit.
            let turned = |value: i64| if is_newest_first { !value } else { value };
            let key = (turned(made.0), turned(i64::from(slot)), slot);
            let first = groups.entry(grouping.of(self, slot, made)).or_default();
            if first.len() < nth.get() {
                first.push(key);
            } else if let Some(mut last) = first.peek_mut()
                && key < *last
            {
                *last = key;
            }
        }
        let whole = groups.into_values().filter(|first| first.len() == nth.get());
        let mut nths: Vec<(i64, i64, Slot)> =
            whole.filter_map(|first| first.peek().copied()).collect();
        nths.sort_unstable();
        nths.into_iter().map(|(.., slot)| slot).collect()
    }
}
