//! Which rows a search may answer, found 64 at a time.

use super::{KIND, LEVEL, MEM_TYPE, Rows, SCOPE_KIND, word_of};
use crate::bitset::word_slots;
use crate::chunks::{BLOCK_LEN, Chunks, mask};
use crate::planes::Bits;
use crate::{Bitset, Slot};
use robot_memory_core::model::{Kind, Level, MemType, ScopeKind, Stamp};

/// Which rows count, by what every row has. The default is all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowSelection {
    /// In any of these, as numbers from [`Names`](super::Names); `None`: all.
    pub collections: Option<Vec<u32>>,
    /// Of any of these scopes, as numbers from [`Names`](super::Names); `None`: all, unless there
    /// are `scope_kinds`.
    pub scopes: Option<Vec<u32>>,
    /// And of any scope of these kinds.
    pub scope_kinds: Vec<ScopeKind>,
    /// Of this session, as a number from [`Names`](super::Names); `None`: all.
    /// [`Names::UNUSED`](super::Names::UNUSED) selects no row.
    pub session: Option<u32>,
    /// Any of these; none: all.
    pub levels: Vec<Level>,
    /// Any of these; none: all.
    pub kinds: Vec<Kind>,
    /// Any of these; none: all.
    pub mem_types: Vec<MemType>,
    /// At least so sure.
    pub min_confidence: f64,
    /// Created at or after.
    pub since: Option<Stamp>,
    /// Created before.
    pub until: Option<Stamp>,
}

/// Everything from one value to another, both included.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span<T> {
    min: T,
    max: T,
}

impl<T: PartialOrd + Copy> Span<T> {
    const fn at(value: T) -> Self {
        Self { min: value, max: value }
    }

    fn holds(self, value: T) -> bool {
        // Not a branch between the two: many are compared at once.
        (self.min <= value) & (value <= self.max)
    }

    fn encloses(self, other: Self) -> bool {
        self.min <= other.min && other.max <= self.max
    }

    fn misses(self, other: Self) -> bool {
        other.max < self.min || self.max < other.min
    }

    fn widen(&mut self, other: Self) {
        if other.min < self.min {
            self.min = other.min;
        }
        if other.max > self.max {
            self.max = other.max;
        }
    }
}

/// What the active rows of one word have, so that mostly none of them need be looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Summary {
    collections: Span<u32>,
    sessions: Span<u32>,
    confidence: Span<f64>,
    created: Span<i64>,
}

impl Summary {
    /// Of no row.
    pub(super) const NONE: Self = Self {
        collections: Span::at(0),
        sessions: Span::at(0),
        confidence: Span::at(0.0),
        created: Span::at(0),
    };

    pub(super) fn created_first(&self) -> i64 {
        self.created.min
    }

    pub(super) fn created_last(&self) -> i64 {
        self.created.max
    }

    /// The session of all of them.
    pub(super) fn session(&self) -> Option<u32> {
        let Span { min, max } = self.sessions;
        (min == max).then_some(min)
    }

    fn widen(&mut self, other: &Self) {
        self.collections.widen(other.collections);
        self.sessions.widen(other.sessions);
        self.confidence.widen(other.confidence);
        self.created.widen(other.created);
    }
}

fn confidence_span(confidence: f64) -> Span<f64> {
    if confidence.is_nan() {
        // No bound may say of it that it is met.
        return Span { min: f64::NEG_INFINITY, max: confidence };
    }
    Span::at(confidence)
}

/// A selection in the terms of summaries and columns.
struct Wanted {
    collections: Numbers,
    sessions: Span<u32>,
    confidence: Span<f64>,
    created: Span<i64>,
    /// Bits of the class, and the values that they may have.
    classes: Vec<(Bits, Vec<usize>)>,
}

/// Wanted numbers of names.
enum Numbers {
    Within(Span<u32>),
    /// Whether it is wanted, by number.
    Each(Vec<bool>),
}

impl Numbers {
    /// `None` when no row can have one of them.
    fn of(wanted: Option<&[u32]>) -> Option<Self> {
        Some(match wanted {
            None => Self::Within(Span { min: 0, max: u32::MAX }),
            Some([]) => return None,
            Some([one]) => Self::Within(Span::at(*one)),
            Some(several) => {
                let mut each = Vec::new();
                for &number in several {
                    let place = number as usize;
                    // No row has it, and a table up to it would be of gigabytes.
                    if number != super::Names::UNUSED {
                        each.resize(each.len().max(place + 1), false);
                        each[place] = true;
                    }
                }
                Self::Each(each)
            }
        })
    }

    /// The rows of a word whose numbers are wanted; `seen` is where those of all of them lie.
    #[inline]
    fn narrow(&self, word: u64, seen: Span<u32>, values: &Chunks<u32>, index: usize) -> u64 {
        match self {
            Self::Within(span) => narrow(word, *span, seen, values, index),
            Self::Each(each) => {
                let is_wanted = |number: u32| each.get(number as usize) == Some(&true);
                if seen.min == seen.max {
                    if is_wanted(seen.min) { word } else { 0 }
                } else if word == 0 {
                    0
                } else {
                    word & values.block(index).map_or(0, |block| mask(block, is_wanted))
                }
            }
        }
    }
}

impl Wanted {
    /// `None` when no row can be in it.
    fn of(selection: &RowSelection) -> Option<Self> {
        let mut classes = vec![
            (KIND, selection.kinds.iter().map(|kind| *kind as usize).collect()),
            (LEVEL, selection.levels.iter().map(|level| *level as usize).collect()),
            (MEM_TYPE, selection.mem_types.iter().map(|it| *it as usize).collect::<Vec<_>>()),
        ];
        classes.retain(|(_, values)| !values.is_empty());
        let until = match selection.until {
            Some(until) => until.0.checked_sub(1)?,
            None => i64::MAX,
        };
        Some(Self {
            collections: Numbers::of(selection.collections.as_deref())?,
            sessions: selection.session.map_or(Span { min: 0, max: u32::MAX }, Span::at),
            confidence: Span { min: selection.min_confidence, max: f64::INFINITY },
            created: Span { min: selection.since.map_or(i64::MIN, |since| since.0), max: until },
            classes,
        })
    }
}

impl Rows {
    /// The active rows of a selection.
    pub fn allowed(&self, selection: &RowSelection) -> Bitset {
        let live = &self.live;
        let Some(wanted) = Wanted::of(selection) else { return Bitset::with_len(live.len()) };
        let words = match self.in_scopes(selection) {
            Some(words) => words,
            None => live.words().to_vec(),
        };
        let mut allowed = Bitset::from_words(words, live.len());
        allowed.retain_words(|index, word| match self.summaries.get(index) {
            Some(summary) => self.select(&wanted, summary, index, word),
            None => 0,
        });
        allowed
    }

    /// The active rows of the scopes of a selection, as words of a set; `None` when these are all.
    fn in_scopes(&self, selection: &RowSelection) -> Option<Vec<u64>> {
        let RowSelection { scopes, scope_kinds, .. } = selection;
        if scopes.is_none() && scope_kinds.is_empty() {
            return None;
        }
        let of_kinds = |index: usize| {
            let of_kind =
                |kind: &ScopeKind| self.classes.slots_with(index, SCOPE_KIND, *kind as usize);
            scope_kinds.iter().fold(0, |slots, kind| slots | of_kind(kind))
        };
        let live = self.live.words();
        let mut words: Vec<u64> = match scope_kinds.is_empty() {
            true => vec![0; live.len()],
            false => live.iter().enumerate().map(|(index, word)| word & of_kinds(index)).collect(),
        };
        for number in scopes.iter().flatten() {
            self.by_scope.add_to(*number, &mut words);
        }
        Some(words)
    }

    /// The selected rows among those of one word.
    #[inline]
    fn select(&self, wanted: &Wanted, summary: &Summary, index: usize, mut word: u64) -> u64 {
        // First, as it costs the least: what is asked of facts alone looks no further where there are none.
        for (bits, values) in &wanted.classes {
            let with = |value: &usize| self.classes.slots_with(index, *bits, *value);
            word &= values.iter().fold(0, |slots, value| slots | with(value));
            if word == 0 {
                return 0;
            }
        }
        let Summary { collections, sessions, confidence, created } = *summary;
        word = wanted.collections.narrow(word, collections, &self.collections, index);
        word = narrow(word, wanted.sessions, sessions, &self.sessions, index);
        word = narrow(word, wanted.confidence, confidence, &self.confidences, index);
        narrow(word, wanted.created, created, &self.created, index)
    }

    /// Whether every active row is in one of these collections, as far as that shows without looking at each row:
    /// `false` where rows of two collections lie side by side.
    pub fn all_are_of(&self, collections: &[u32]) -> bool {
        let live = self.live.words().iter().enumerate().filter(|(_, word)| **word != 0);
        live.map(|(index, _)| self.summaries.get(index).map(|summary| summary.collections))
            .all(|span| span.is_some_and(|it| it.min == it.max && collections.contains(&it.min)))
    }

    pub(super) fn summary(&self, index: usize) -> Option<&Summary> {
        self.summaries.get(index)
    }

    /// Counts a row in that has become active.
    pub(super) fn widen_summary(&mut self, slot: Slot) {
        let Some(of_row) = self.summary_of(slot) else { return };
        let index = word_of(slot);
        let is_first = self.live.words().get(index).is_some_and(|word| word.is_power_of_two());
        let summary = self.summaries.get_mut(index);
        match is_first {
            true => *summary = of_row,
            false => summary.widen(&of_row),
        }
    }

    /// Looks again at the rows beside a slot after one of them changed or went.
    pub(super) fn summarize(&mut self, slot: Slot) {
        let index = word_of(slot);
        let Some(&word) = self.live.words().get(index) else { return };
        let fresh = word_slots(index, word).filter_map(|slot| self.summary_of(slot)).reduce(
            |mut summary, of_row| {
                summary.widen(&of_row);
                summary
            },
        );
        if let Some(fresh) = fresh {
            *self.summaries.get_mut(index) = fresh;
        }
    }

    /// Looks again at the confidences beside a slot after one of them changed.
    pub(super) fn summarize_confidence(&mut self, slot: Slot) {
        let index = word_of(slot);
        let Some(&word) = self.live.words().get(index) else { return };
        let spans = word_slots(index, word).filter_map(|slot| self.confidences.get(slot));
        let fresh = spans.map(confidence_span).reduce(|mut span, other| {
            span.widen(other);
            span
        });
        if let Some(fresh) = fresh {
            self.summaries.get_mut(index).confidence = fresh;
        }
    }

    /// Whether one of the active rows of a word may be of a collection.
    pub(super) fn may_have_collection(&self, index: usize, number: u32) -> bool {
        self.summaries.get(index).is_some_and(|summary| summary.collections.holds(number))
    }

    fn summary_of(&self, slot: Slot) -> Option<Summary> {
        Some(Summary {
            collections: Span::at(self.collections.get(slot)?),
            sessions: Span::at(self.sessions.get(slot)?),
            confidence: confidence_span(self.confidences.get(slot)?),
            created: Span::at(self.created.get(slot)?),
        })
    }
}

/// The rows of a word whose values are wanted; `seen` is where the values of all of them lie.
#[inline(always)]
fn narrow<T: PartialOrd + Copy>(
    word: u64,
    wanted: Span<T>,
    seen: Span<T>,
    values: &Chunks<T>,
    index: usize,
) -> u64 {
    if wanted.encloses(seen) {
        word
    } else if word == 0 || wanted.misses(seen) {
        0
    } else {
        let masked = |block: &[T; BLOCK_LEN]| mask(block, |value| wanted.holds(value));
        word & values.block(index).map_or(0, masked)
    }
}
