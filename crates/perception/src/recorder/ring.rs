//! What was heard lately, for windows of what may begin.

use crate::span::secs_between;
use crate::{Image, Layout};
use robot_memory_core::model::Stamp;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes that a stamp, a range and the pointers of one kept message take.
const ENTRY_BYTES: usize = 64;
/// Characters of a text that are kept.
const TEXT_CHARS_MAX: usize = 256;

/// Readings of one layout, oldest first. Numbers are f32: a window shows six digits of them.
#[derive(Debug)]
pub(super) struct NumbersRing {
    layout: Arc<Layout>,
    stamps: VecDeque<Stamp>,
    /// Flat: one row of the layout's width for each stamp.
    values: VecDeque<f32>,
    /// The newest stamp that had to go for want of room.
    lost: Option<Stamp>,
}

impl NumbersRing {
    /// An empty one.
    pub fn new(layout: Arc<Layout>) -> Self {
        Self { layout, stamps: VecDeque::new(), values: VecDeque::new(), lost: None }
    }

    /// What its numbers are.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Numbers in a row.
    pub fn width(&self) -> usize {
        self.layout.channels.len()
    }

    /// Stamps, oldest first.
    pub fn stamps(&self) -> &VecDeque<Stamp> {
        &self.stamps
    }

    /// The newest stamp that is no longer there for want of room, not of time.
    pub fn lost(&self) -> Option<Stamp> {
        self.lost
    }

    /// A number; NaN when there is none.
    pub fn value(&self, row: usize, channel: usize) -> f64 {
        self.values.get(row * self.width() + channel).map_or(f64::NAN, |value| f64::from(*value))
    }

    /// Adds a row, not older than the newest; one of the same stamp takes its place.
    pub fn push(&mut self, stamp: Stamp, values: &[f64]) {
        let width = self.width();
        if self.stamps.back() == Some(&stamp) {
            self.values.truncate(self.values.len() - width);
        } else {
            self.stamps.push_back(stamp);
        }
        let narrow = |value: &f64| {
            let value = *value as f32;
            if value.is_finite() { value } else { f32::NAN }
        };
        self.values.extend(values.iter().take(width).map(narrow));
        self.values.resize(self.stamps.len() * width, f32::NAN);
    }

    /// Lets go of what is older than `oldest`, and of the oldest beyond `bytes_max`.
    pub fn trim(&mut self, oldest: Stamp, bytes_max: usize) {
        let width = self.width();
        let row_bytes = size_of::<Stamp>() + width * size_of::<f32>();
        let rows_max = (bytes_max / row_bytes).max(1);
        let room = self.stamps.len().saturating_sub(rows_max);
        if room > 0 {
            self.lost = self.stamps.get(room - 1).copied();
        }
        let rows = room.max(self.stamps.partition_point(|stamp| *stamp < oldest));
        self.stamps.drain(..rows);
        self.values.drain(..rows * width);
    }

    /// The rows from `first` to `last`, both included.
    pub fn rows(&self, first: Stamp, last: Stamp) -> std::ops::Range<usize> {
        let begin = self.stamps.partition_point(|stamp| *stamp < first);
        let end = self.stamps.partition_point(|stamp| *stamp <= last);
        begin..end.max(begin)
    }

    /// Readings a second among the rows, by the median time between two; `None` for fewer than two.
    pub fn rate_hz(&self, rows: std::ops::Range<usize>) -> Option<f64> {
        let mut periods: Vec<i64> =
            rows.clone().skip(1).map(|row| self.stamps[row].0 - self.stamps[row - 1].0).collect();
        if periods.is_empty() {
            return None;
        }
        let middle = periods.len() / 2;
        let (_, median, _) = periods.select_nth_unstable(middle);
        (*median > 0).then(|| 1e9 / *median as f64)
    }
}

/// A boolean or a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// Yes or no.
    Bool(bool),
    /// Words, cut to what is shown.
    Text(Arc<str>),
}

impl State {
    /// Of a text.
    pub fn text(text: &str) -> Self {
        let end = text.char_indices().nth(TEXT_CHARS_MAX).map_or(text.len(), |(at, _)| at);
        Self::Text(text[..end].into())
    }

    /// As JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Bool(value) => (*value).into(),
            Self::Text(text) => text.as_ref().into(),
        }
    }
}

/// The changes of a boolean or a text, oldest first. The newest stays however old it is.
#[derive(Debug, Default)]
pub(super) struct StateRing {
    changes: VecDeque<(Stamp, State)>,
    bytes: usize,
}

impl StateRing {
    /// Adds a reading, not older than the newest.
    pub fn push(&mut self, stamp: Stamp, state: State) {
        if self.changes.back().is_none_or(|(_, newest)| *newest != state) {
            self.bytes += Self::bytes_of(&state);
            self.changes.push_back((stamp, state));
        }
    }

    /// Lets go of values that ended before `oldest`, and of the oldest beyond `bytes_max`.
    pub fn trim(&mut self, oldest: Stamp, bytes_max: usize) {
        while self.changes.len() > 1 && (self.changes[1].0 <= oldest || self.bytes > bytes_max) {
            if let Some((_, state)) = self.changes.pop_front() {
                self.bytes -= Self::bytes_of(&state);
            }
        }
    }

    /// The value at `first` and the changes until `last`.
    pub fn window(&self, first: Stamp, last: Stamp) -> impl Iterator<Item = &(Stamp, State)> {
        let after = self.changes.partition_point(|(stamp, _)| *stamp <= first);
        let end = self.changes.partition_point(|(stamp, _)| *stamp <= last);
        let begin = after.saturating_sub(1).min(end);
        self.changes.range(begin..end)
    }

    fn bytes_of(state: &State) -> usize {
        ENTRY_BYTES
            + match state {
                State::Bool(_) => 0,
                State::Text(text) => text.len(),
            }
    }
}

/// A picture that was looked at.
#[derive(Debug, Clone)]
pub(super) struct SeenImage {
    pub stamp: Stamp,
    /// How it is coded.
    pub image: Image,
    /// The message that holds it.
    pub message: Arc<[u8]>,
    /// Its perceptual hash, when it could be looked at.
    pub hash: Option<u64>,
    /// Width and height in pixels, when it could be looked at.
    pub size: Option<(u32, u32)>,
}

/// The pictures that a keyframe may still be made of, oldest first.
#[derive(Debug, Default)]
pub(super) struct ImageRing {
    seen: VecDeque<SeenImage>,
    bytes: usize,
}

impl ImageRing {
    /// Seconds that a picture is kept: a trigger waits no longer for a sharper one.
    pub const SECS: f64 = 2.0;

    /// Adds a picture, not older than the newest, and lets go of old ones and of the oldest beyond
    /// `bytes_max`; the newest always stays.
    pub fn push(&mut self, seen: SeenImage, bytes_max: usize) {
        let now = seen.stamp;
        self.bytes += seen.message.len();
        self.seen.push_back(seen);
        while self.seen.len() > 1
            && (self.bytes > bytes_max || secs_between(self.seen[0].stamp, now) > Self::SECS)
        {
            if let Some(oldest) = self.seen.pop_front() {
                self.bytes -= oldest.message.len();
            }
        }
    }

    /// The newest picture not later than `stamp`.
    pub fn at(&self, stamp: Stamp) -> Option<&SeenImage> {
        self.seen.iter().rev().find(|seen| seen.stamp <= stamp)
    }
}

/// A message as it came.
#[derive(Debug, Clone)]
pub(super) struct Raw {
    /// When it holds.
    pub stamp: Stamp,
    pub received: Stamp,
    /// CDR.
    pub bytes: Arc<[u8]>,
}

/// The messages that a clip may be made of, oldest first.
#[derive(Debug, Default)]
pub(super) struct RawRing {
    messages: VecDeque<Raw>,
    bytes: usize,
}

impl RawRing {
    /// Adds a message, not older than the newest, lets go of what is older than `oldest` and of the
    /// oldest beyond `bytes_max`.
    pub fn push(&mut self, raw: Raw, oldest: Stamp, bytes_max: usize) {
        self.bytes += raw.bytes.len() + ENTRY_BYTES;
        self.messages.push_back(raw);
        while self.messages.front().is_some_and(|first| first.stamp < oldest)
            || self.bytes > bytes_max
        {
            let Some(first) = self.messages.pop_front() else { break };
            self.bytes -= first.bytes.len() + ENTRY_BYTES;
        }
    }

    /// The messages from `first` to `last`, both included.
    pub fn window(&self, first: Stamp, last: Stamp) -> impl Iterator<Item = &Raw> {
        let begin = self.messages.partition_point(|raw| raw.stamp < first);
        let end = self.messages.partition_point(|raw| raw.stamp <= last);
        self.messages.range(begin..end.max(begin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channel, LayoutKind, Quantity};

    fn ring(width: usize) -> NumbersRing {
        let channels = (0..width)
            .map(|index| Channel { name: format!("c{index}"), quantity: Quantity::Unknown })
            .collect();
        NumbersRing::new(Arc::new(Layout { kind: LayoutKind::Plain, channels }))
    }

    #[test]
    fn a_ring_keeps_seconds_and_bytes() {
        let mut ring = ring(2);
        for index in 0..100 {
            ring.push(Stamp(index), &[index as f64, -1.0]);
            ring.trim(Stamp(index - 10), 1 << 20);
        }
        assert_eq!(ring.stamps().len(), 11);
        assert_eq!(ring.value(0, 0), 89.0);
        assert_eq!(ring.lost(), None);
        ring.trim(Stamp(0), 5 * 16);
        assert_eq!(ring.stamps().len(), 5);
        assert_eq!(ring.lost(), Some(Stamp(94)));
        assert_eq!(ring.rows(Stamp(96), Stamp(98)), 1..4);
        assert_eq!(ring.rows(Stamp(200), Stamp(98)).len(), 0);
    }

    #[test]
    fn rows_stay_whole_whatever_comes() {
        let mut ring = ring(3);
        ring.push(Stamp(1), &[1.0]);
        ring.push(Stamp(2), &[f64::MAX, f64::NAN, 3.0, 4.0]);
        ring.push(Stamp(2), &[5.0, 6.0, 7.0]);
        assert_eq!(ring.stamps().len(), 2);
        assert!(ring.value(0, 1).is_nan());
        assert_eq!(ring.value(1, 2), 7.0);
        assert!(ring.value(7, 0).is_nan());
    }

    #[test]
    fn a_state_is_kept_until_another_holds() {
        let mut ring = StateRing::default();
        for (stamp, value) in [(0, false), (5, false), (10, true), (12, true), (20, false)] {
            ring.push(Stamp(stamp), State::Bool(value));
            ring.trim(Stamp(stamp - 5), 1 << 20);
        }
        let all: Vec<i64> = ring.window(Stamp(11), Stamp(30)).map(|(stamp, _)| stamp.0).collect();
        assert_eq!(all, [10, 20]);
        let at = |ring: &StateRing, stamp| ring.window(Stamp(stamp), Stamp(stamp)).last().cloned();
        assert_eq!(at(&ring, 19), Some((Stamp(10), State::Bool(true))));
        assert_eq!(at(&ring, 9), None);
        ring.trim(Stamp(1000), 0);
        assert_eq!(at(&ring, 1000), Some((Stamp(20), State::Bool(false))));
    }

    #[test]
    fn raw_messages_are_bounded() {
        let mut ring = RawRing::default();
        for index in 0..100 {
            let raw = Raw { stamp: Stamp(index), received: Stamp(index), bytes: [0; 36].into() };
            ring.push(raw, Stamp(index - 50), 1000);
        }
        assert_eq!(ring.window(Stamp(0), Stamp(1000)).count(), 10);
    }
}
