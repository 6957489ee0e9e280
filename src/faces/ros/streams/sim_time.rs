//! Simulated time: what `/clock` said when a message was published; and, of topics that are faster than
//! `/clock`, how far it had gone on since.

use crate::faces::listening::CLOCK_BACK_NANOS_MAX;
use robot_memory_core::model::Stamp;
use std::collections::BTreeMap;

/// Something that was published, waiting until everything that was published before it has come.
#[derive(Debug)]
enum Published<T> {
    Tick(Stamp),
    Message(T, usize, usize),
}

/// What is known once all has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Timed<T> {
    /// The clock went on, to this.
    Tick(Stamp),
    /// The clock went back: what is open ends, and this is where it begins anew.
    Reset(Stamp),
    /// A message, and the time of its publication.
    Message(Stamp, T),
    /// One of several of its source between two ticks: its time is read off the publishers' clock.
    Between(Stamp, T),
    /// A message from before the first tick.
    Untimed(T),
}

/// Stamps messages by the clock, in the order of publication: the same replay gives the same
/// stamps, however late the one or the other message comes.
#[derive(Debug)]
pub(super) struct SimTime<T> {
    now: Option<Stamp>,
    /// How many ticks there were; when the last was published, and by how much the clock went on then, and
    /// how fast.
    ticks: u64,
    tick_source: i64,
    step_nanos: i64,
    speed: f64,
    /// By source: in which tick its last message came, when the first one of that tick was published, and the
    /// last stamp that was given.
    lasts: BTreeMap<usize, (u64, i64, Stamp)>,
    /// By the publisher's system clock, ns; in the order of arrival.
    waiting: Vec<(i64, Published<T>)>,
    waiting_bytes: usize,
}

impl<T> Default for SimTime<T> {
    fn default() -> Self {
        Self {
            now: None,
            ticks: 0,
            tick_source: 0,
            step_nanos: 0,
            speed: 0.0,
            lasts: BTreeMap::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
        }
    }
}

impl<T> SimTime<T> {
    /// A message of `/clock`, published at this time of the system clock.
    pub fn tick(&mut self, source_nanos: i64, stamp: Stamp) {
        self.waiting.push((source_nanos, Published::Tick(stamp)));
    }

    /// A message of a topic, which is known by a number, published at this time of the system clock.
    pub fn message(&mut self, source_nanos: i64, of: usize, message: T, bytes: usize) {
        self.waiting.push((source_nanos, Published::Message(message, of, bytes)));
        self.waiting_bytes += bytes;
    }

    /// Bytes of the messages that wait.
    pub fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// What was published until then by the system clock, in its order; a tick comes before the
    /// messages of the same nanosecond.
    pub fn until(&mut self, source_nanos: i64) -> Vec<Timed<T>> {
        self.waiting
            .sort_by_key(|(source, what)| (*source, matches!(what, Published::Message(..))));
        let count = self.waiting.partition_point(|(source, _)| *source <= source_nanos);
        let mut timed = Vec::with_capacity(count);
        let due: Vec<_> = self.waiting.drain(..count).collect();
        for (source, published) in due {
            match (published, self.now) {
                (Published::Tick(stamp), Some(now))
                    if stamp.0 < now.0.saturating_sub(CLOCK_BACK_NANOS_MAX) =>
                {
                    self.now = Some(stamp);
                    self.lasts.clear();
                    (self.ticks, self.tick_source) = (self.ticks + 1, source);
                    timed.push(Timed::Reset(stamp));
                }
                (Published::Tick(stamp), now) => {
                    self.tick_on(source, stamp);
                    self.now = now.max(Some(stamp));
                    timed.push(Timed::Tick(stamp));
                }
                (Published::Message(message, of, bytes), now) => {
                    self.waiting_bytes -= bytes;
                    timed.push(match now {
                        Some(now) => self.stamped(source, of, now, message),
                        None => Timed::Untimed(message),
                    });
                }
            }
        }
        timed
    }

    /// Notes how far and how fast the clock went on.
    fn tick_on(&mut self, source: i64, stamp: Stamp) {
        if let Some(now) = self.now
            && stamp > now
            && source > self.tick_source
        {
            self.step_nanos = stamp.0.saturating_sub(now.0);
            self.speed = self.step_nanos as f64 / (source - self.tick_source) as f64;
        }
        (self.ticks, self.tick_source) = (self.ticks + 1, source);
    }

    /// A message and its time: the first one after a tick has that of the tick, so that a clock before each
    /// message gives exactly what was recorded; others are as much later as they were published later.
    fn stamped(&mut self, source: i64, of: usize, now: Stamp, message: T) -> Timed<T> {
        let last = self.lasts.get(&of).copied();
        let (first, stamp, is_first) = match last {
            Some((tick, first, _)) if tick == self.ticks => {
                let later = (source.saturating_sub(first) as f64 * self.speed) as i64;
                (first, Stamp(now.0.saturating_add(later.clamp(0, self.step_nanos))), false)
            }
            _ => (source, now, true),
        };
        let stamp = last.map_or(stamp, |(_, _, last)| stamp.max(last));
        self.lasts.insert(of, (self.ticks, first, stamp));
        if is_first { Timed::Message(stamp, message) } else { Timed::Between(stamp, message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ticks are `(source, Some(clock))`, messages `(source, None)` and say their source.
    fn timed(published: &[(i64, Option<i64>)], until: i64) -> Vec<Timed<i64>> {
        let mut time = SimTime::default();
        for &(source, clock) in published {
            match clock {
                Some(clock) => time.tick(source, Stamp(clock)),
                None => time.message(source, 0, source, 1),
            }
        }
        time.until(until)
    }

    #[test]
    fn a_message_has_the_time_of_the_last_tick_before_it() {
        use Timed::{Between, Message, Tick, Untimed};
        // Nobody knows yet how fast the clock goes.
        let expected =
            [Untimed(1), Tick(Stamp(100)), Message(Stamp(100), 2), Between(Stamp(100), 3)];
        let expected: Vec<_> = expected.into_iter().collect();
        let sorted = [(1, None), (2, Some(100)), (2, None), (3, None), (5, None), (4, Some(200))];
        assert_eq!(timed(&sorted, 3), expected);
        let shuffled = [(3, None), (2, None), (4, Some(200)), (1, None), (5, None), (2, Some(100))];
        assert_eq!(timed(&shuffled, 3), expected);
    }

    #[test]
    fn a_clock_that_goes_back_begins_anew() {
        use Timed::{Message, Reset, Tick};
        const SEC: i64 = 1_000_000_000;
        let stamp = Stamp::from_secs;
        let found = timed(
            &[
                (1, Some(10 * SEC)),
                (2, None),
                (3, Some(9 * SEC)),
                (4, None),
                (5, Some(0)),
                (6, None),
            ],
            9,
        );
        let expected = [
            Tick(stamp(10)),
            Message(stamp(10), 2),
            Tick(stamp(9)),
            Message(stamp(10), 4),
            Reset(stamp(0)),
            Message(stamp(0), 6),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn waiting_bytes_are_those_of_messages() {
        let mut time = SimTime::default();
        time.message(1, 0, "a", 10);
        time.message(3, 0, "b", 20);
        assert_eq!(time.waiting_bytes(), 30);
        time.until(2);
        assert_eq!(time.waiting_bytes(), 20);
    }

    #[test]
    fn messages_between_two_ticks_are_apart_as_they_were_published() {
        use Timed::{Between, Message, Tick};
        const MS: i64 = 1_000_000;
        let mut time = SimTime::default();
        // A clock of 40 Hz at four times the speed, and a topic of 200 Hz of wall time.
        for tick in 0..4 {
            time.tick(tick * 25 * MS, Stamp(tick * 100 * MS));
        }
        for index in 0..20 {
            time.message(1 + index * 5 * MS, 3, index, 1);
        }
        time.message(26 * MS, 4, 100, 1);
        let timed = time.until(i64::MAX);
        let of = |wanted: i64| {
            timed.iter().find_map(|timed| match timed {
                Message(stamp, index) if *index == wanted => Some((stamp.0, false)),
                Between(stamp, index) if *index == wanted => Some((stamp.0, true)),
                _ => None,
            })
        };
        assert_eq!(timed.iter().filter(|timed| matches!(timed, Tick(_))).count(), 4);
        assert_eq!(of(5), Some((100 * MS, false)));
        for index in 6..10 {
            assert_eq!(of(index), Some((100 * MS + (index - 5) * 20 * MS, true)));
        }
        assert_eq!(of(10), Some((200 * MS, false)));
        // Alone between two ticks.
        assert_eq!(of(100), Some((100 * MS, false)));
        // A clock that stands still holds all up.
        time.message(10_000 * MS, 3, 200, 1);
        assert_eq!(time.until(i64::MAX), [Between(Stamp(400 * MS), 200)]);
    }
}
