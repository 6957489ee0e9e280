//! Questions about time: how many rows an hour, a day or a session has, and which are the newest.

use super::Rows;
use super::summary::Summary;
use crate::bitset::word_slots;
use crate::{Bitset, Slot};
use robot_memory_core::model::Stamp;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::num::NonZeroU32;

const NANOS_PER_SEC: i128 = 1_000_000_000;

/// The rows of a set that were made in one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionCount {
    /// The session, as a number from [`Names`](super::Names); that of the empty name for the rows
    /// without a session.
    pub session: u32,
    /// How many they are.
    pub count: u64,
    /// When the first of them was made.
    pub first: Stamp,
    /// When the last of them was made.
    pub last: Stamp,
}

/// Which period since 1970-01-01 a time is in, of a local time that is so far ahead of UTC.
pub(super) fn period_of(nanos: i64, period_secs: NonZeroU32, utc_offset_secs: i64) -> i64 {
    let local = i128::from(nanos) + i128::from(utc_offset_secs) * NANOS_PER_SEC;
    // In 64 bits of nanoseconds lie fewer seconds than in 64 bits, also with the offset.
    local.div_euclid(i128::from(period_secs.get()) * NANOS_PER_SEC) as i64
}

impl Rows {
    /// How many active rows of a set were made in each period of `period_secs` that has any, in order
    /// of time: periods since 1970-01-01 (negative before), of a local time that is `utc_offset_secs`
    /// ahead of UTC.
    pub fn count_by_period(
        &self,
        set: &Bitset,
        period_secs: NonZeroU32,
        utc_offset_secs: i64,
    ) -> Vec<(i64, u64)> {
        let offset = i128::from(utc_offset_secs) * NANOS_PER_SEC;
        let nanos = i128::from(period_secs.get()) * NANOS_PER_SEC;
        let period = |created: i64| period_of(created, period_secs, utc_offset_secs);
        let start_of = |period: i64| i128::from(period) * nanos - offset;
        let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
        for (index, word) in self.words_of(set) {
            let Some(summary) = self.summary(index) else { continue };
            let first = period(summary.created_first());
            let end = start_of(first) + nanos;
            if i128::from(summary.created_last()) < end {
                *counts.entry(first).or_default() += u64::from(word.count_ones());
                continue;
            }
            for slot in word_slots(index, word) {
                *counts.entry(period(self.created_nanos(slot))).or_default() += 1;
            }
        }
        counts.into_iter().collect()
    }

    /// How many active rows of a set each session has that has any, in order of its number.
    pub fn count_by_session(&self, set: &Bitset) -> Vec<SessionCount> {
        let mut counts: Vec<Option<SessionCount>> = Vec::new();
        let mut add = |session: u32, count: u64, first: i64, last: i64| {
            let place = session as usize;
            if counts.len() <= place {
                counts.resize(place + 1, None);
            }
            let (first, last) = (Stamp(first), Stamp(last));
            let counted =
                counts[place].get_or_insert(SessionCount { session, count: 0, first, last });
            counted.count += count;
            counted.first = counted.first.min(first);
            counted.last = counted.last.max(last);
        };
        for (index, word) in self.words_of(set) {
            let Some(summary) = self.summary(index) else { continue };
            match summary.session() {
                Some(session) if self.live.words().get(index) == Some(&word) => {
                    let (first, last) = (summary.created_first(), summary.created_last());
                    add(session, word.count_ones().into(), first, last);
                }
                _ => {
                    for slot in word_slots(index, word) {
                        if let Some(session) = self.sessions.get(slot) {
                            let created = self.created_nanos(slot);
                            add(session, 1, created, created);
                        }
                    }
                }
            }
        }
        counts.into_iter().flatten().collect()
    }

    /// The `k` active rows of a set that were made last, the newest first; of the same time the
    /// higher slot first.
    pub fn newest(&self, set: &Bitset, k: usize) -> Vec<Slot> {
        let words = (0..set.words().len()).rev();
        self.first_by(set, words, k, |summary| summary.created_last(), Reverse)
    }

    /// The `k` active rows of a set that were made first, the oldest first; of the same time the
    /// lower slot first.
    pub fn oldest(&self, set: &Bitset, k: usize) -> Vec<Slot> {
        let words = 0..set.words().len();
        self.first_by(set, words, k, |summary| summary.created_first(), |at| at)
    }

    /// The `k` first by time and slot, in the order that `order` gives to these. Words are visited
    /// in the order that `order` gives to slots of the same time; `bound` is the time of the
    /// first row that a word can have.
    fn first_by<K: Ord>(
        &self,
        set: &Bitset,
        words: impl Iterator<Item = usize>,
        k: usize,
        bound: impl Fn(&Summary) -> i64,
        order: impl Fn((i64, Slot)) -> K,
    ) -> Vec<Slot> {
        // The last of those that are kept is on top.
        let mut kept: BinaryHeap<(K, Slot)> = BinaryHeap::new();
        for index in words {
            let word = self.word_of_set(set, index);
            let Some(summary) = self.summary(index).filter(|_| word != 0) else { continue };
            let time = bound(summary);
            if kept.len() >= k {
                let Some((worst, _)) = kept.peek() else { break };
                // All of a word's slots lie on the same side of those that were met before.
                let mut slots = word_slots(index, word);
                if slots.next().is_none_or(|slot| order((time, slot)) >= *worst) {
                    continue;
                }
            }
            for slot in word_slots(index, word) {
                let key = order((self.created_nanos(slot), slot));
                if kept.len() < k {
                    kept.push((key, slot));
                } else if let Some(mut worst) = kept.peek_mut()
                    && key < worst.0
                {
                    *worst = (key, slot);
                }
            }
        }
        kept.into_sorted_vec().into_iter().map(|(_, slot)| slot).collect()
    }

    /// The words of a set's active rows that are not empty, each with its place.
    fn words_of<'a>(&'a self, set: &'a Bitset) -> impl Iterator<Item = (usize, u64)> + 'a {
        let words = (0..set.words().len()).map(|index| (index, self.word_of_set(set, index)));
        words.filter(|(_, word)| *word != 0)
    }

    fn word_of_set(&self, set: &Bitset, index: usize) -> u64 {
        let word = |of: &Bitset| of.words().get(index).copied().unwrap_or(0);
        word(set) & word(&self.live)
    }

    fn created_nanos(&self, slot: Slot) -> i64 {
        self.created.get(slot).unwrap_or_default()
    }
}
