use crate::span::secs_between;
use robot_memory_core::model::Stamp;

/// Least silence that is a gap: a busy network holds messages up for less.
const GAP_SECS_MIN: f64 = 1.5;
/// Typical periods in a gap: so many messages are hardly ever lost in a row.
const GAP_PERIODS: f64 = 5.0;
/// Recent periods of which the middle one is typical.
const PERIODS_KEPT: usize = 15;
/// Readings keep a debounce of their own length though their stamps jitter.
const JITTER: f64 = 0.9;
/// A stream of this period or more has no second reading to confirm a first one by.
pub(super) const SLOW_PERIOD_SECS: f64 = 0.2;

/// Whether what has gone on for so many seconds has outlasted a debounce.
pub(super) fn outlasts(secs: f64, debounce_secs: f64) -> bool {
    secs >= JITTER * debounce_secs
}

/// How a reading follows the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// It is the first.
    First,
    /// It comes so many seconds later; 0 for a stamp that repeats, or lies a little back.
    Next(f64),
    /// So much time is missing, or time went back, that nothing can be told of between. The last
    /// reading before was at this stamp.
    Gap(Stamp),
}

/// How fast readings come.
#[derive(Debug, Clone, Default)]
pub(super) struct Pace {
    last: Option<Stamp>,
    periods: [f64; PERIODS_KEPT],
    count: usize,
}

impl Pace {
    /// Notes a reading.
    pub(super) fn step(&mut self, stamp: Stamp) -> Step {
        let Some(last) = self.last else {
            self.last = Some(stamp);
            return Step::First;
        };
        let secs = secs_between(last, stamp);
        if secs < -GAP_SECS_MIN
            || (secs > GAP_SECS_MIN && self.count > 0 && secs > GAP_PERIODS * self.period_secs())
        {
            self.last = Some(stamp);
            return Step::Gap(last);
        }
        if secs <= 0.0 {
            return Step::Next(0.0);
        }
        self.last = Some(stamp);
        self.periods[self.count % PERIODS_KEPT] = secs;
        self.count += 1;
        Step::Next(secs)
    }

    /// The stamp of the last reading.
    pub(super) fn last(&self) -> Option<Stamp> {
        self.last
    }

    /// The middle one of the recent times between readings; 0 when there are none.
    pub(super) fn period_secs(&self) -> f64 {
        let mut periods = self.periods;
        super::robust::median(&mut periods[..self.count.min(PERIODS_KEPT)])
    }
}
