//! Simulated time: what `/clock` said when a message was published.

use crate::faces::listening::CLOCK_BACK_NANOS_MAX;
use crate::model::Stamp;

/// Something that was published, waiting until everything that was published before it has come.
#[derive(Debug)]
enum Published<T> {
    Tick(Stamp),
    Message(T, usize),
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
    /// A message from before the first tick.
    Untimed(T),
}

/// Stamps messages by the clock, in the order of publication: the same replay gives the same
/// stamps, however late the one or the other message comes.
#[derive(Debug)]
pub(super) struct SimTime<T> {
    now: Option<Stamp>,
    /// By the publisher's system clock, ns; in the order of arrival.
    waiting: Vec<(i64, Published<T>)>,
    waiting_bytes: usize,
}

impl<T> Default for SimTime<T> {
    fn default() -> Self {
        Self { now: None, waiting: Vec::new(), waiting_bytes: 0 }
    }
}

impl<T> SimTime<T> {
    /// A message of `/clock`, published at this time of the system clock.
    pub fn tick(&mut self, source_nanos: i64, stamp: Stamp) {
        self.waiting.push((source_nanos, Published::Tick(stamp)));
    }

    /// A message of a topic, published at this time of the system clock.
    pub fn message(&mut self, source_nanos: i64, message: T, bytes: usize) {
        self.waiting.push((source_nanos, Published::Message(message, bytes)));
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
        for (_, published) in self.waiting.drain(..count) {
            match (published, self.now) {
                (Published::Tick(stamp), Some(now))
                    if stamp.0 < now.0.saturating_sub(CLOCK_BACK_NANOS_MAX) =>
                {
                    self.now = Some(stamp);
                    timed.push(Timed::Reset(stamp));
                }
                (Published::Tick(stamp), now) => {
                    self.now = now.max(Some(stamp));
                    timed.push(Timed::Tick(stamp));
                }
                (Published::Message(message, bytes), now) => {
                    self.waiting_bytes -= bytes;
                    timed.push(match now {
                        Some(now) => Timed::Message(now, message),
                        None => Timed::Untimed(message),
                    });
                }
            }
        }
        timed
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
                None => time.message(source, source, 1),
            }
        }
        time.until(until)
    }

    #[test]
    fn a_message_has_the_time_of_the_last_tick_before_it() {
        use Timed::{Message, Tick, Untimed};
        let expected =
            [Untimed(1), Tick(Stamp(100)), Message(Stamp(100), 2), Message(Stamp(100), 3)];
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
        time.message(1, "a", 10);
        time.message(3, "b", 20);
        assert_eq!(time.waiting_bytes(), 30);
        time.until(2);
        assert_eq!(time.waiting_bytes(), 20);
    }
}
