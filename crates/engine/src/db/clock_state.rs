//! Whether the clock can be believed: held against the time at which something was stored last.
//!
//! Robots have no battery in their clock more often than not. A clock that jumped by years would let all
//! memories fade at once, so days are not counted by it.

use super::transaction::Outcome;
use super::{Db, Result};
use crate::db::WriteTx;
use robot_memory_core::limits::CLOCK_AHEAD_DAYS_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_db::{self as store, ReadTx};
use robot_memory_index::Derived;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock may be so far behind what was stored last: it is set by hand, or was ahead a little.
const BEHIND_DAYS_MAX: f64 = 1.0;
/// The time is written to the store when it has moved by more than a minute.
const WRITTEN_EACH_NANOS: i64 = 60_000_000_000;
/// Nothing was stored yet.
const NEVER: i64 = i64::MIN;

/// Whether the clock can be believed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClockState {
    /// It can.
    Steady,
    /// It is further ahead of what was stored last than a robot is ever switched off.
    Ahead {
        /// By so many days.
        days: f64,
    },
    /// It is behind what was stored last.
    Behind {
        /// By so many days.
        days: f64,
    },
    /// There is no time yet: simulated, before the first message on `/clock`.
    Unknown,
}

impl ClockState {
    /// Whether days are counted by it.
    pub const fn is_steady(self) -> bool {
        matches!(self, Self::Steady)
    }

    /// One word: `steady`, `jumped` or `unknown`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::Ahead { .. } | Self::Behind { .. } => "jumped",
            Self::Unknown => "unknown",
        }
    }
}

/// For a person to read, with what to do.
impl std::fmt::Display for ClockState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (days, side) = match *self {
            Self::Steady => return f.write_str("the clock is steady"),
            Self::Unknown => {
                return f.write_str("the time is not known yet: no message on /clock so far");
            }
            Self::Ahead { days } => (days, "ahead of"),
            Self::Behind { days } => (days, "behind"),
        };
        write!(
            f,
            "the clock is {days:.0} days {side} the last write: nothing fades and nothing is archived \
             until it is set right; if it is right, run maintenance by hand{}",
            if days > CLOCK_AHEAD_DAYS_MAX && side == "ahead of" {
                ", with a clock_jump_days_max of more than that"
            } else {
                ""
            }
        )
    }
}

/// The latest time at which something was stored, as far as the clock was believed.
#[derive(Debug)]
pub(crate) struct LastNow {
    known: AtomicI64,
    written: AtomicI64,
}

/// What a transaction found of the time, to be kept once it is committed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NotedNow {
    now: Stamp,
    is_written: bool,
}

impl LastNow {
    /// As the store has it.
    pub fn read(tx: &ReadTx<'_>) -> store::Result<Self> {
        Ok(Self::at(tx.last_now()?))
    }

    /// `None`: nothing was stored yet, or by a version that did not keep the time.
    pub fn at(last: Option<Stamp>) -> Self {
        let last = last.map_or(NEVER, |last| last.0);
        Self { known: AtomicI64::new(last), written: AtomicI64::new(last) }
    }

    /// Takes the time over that a store tells whose contents are there now.
    pub fn follow(&self, last: Option<Stamp>) {
        let Some(Stamp(last)) = last else { return };
        self.known.fetch_max(last, Ordering::Relaxed);
        self.written.store(last, Ordering::Relaxed);
    }

    fn known(&self) -> Option<Stamp> {
        Some(self.known.load(Ordering::Relaxed)).filter(|last| *last != NEVER).map(Stamp)
    }
}

impl Db {
    /// The time at which the robot lives; `None` when it is not known, or the clock is that of a recording.
    pub fn live_now(&self) -> Option<Stamp> {
        self.clock.now().filter(|_| self.clock.is_live())
    }

    /// Whether the clock can be believed. It recovers by itself when the clock is set right.
    pub fn clock_state(&self) -> ClockState {
        self.clock.now().map_or(ClockState::Unknown, |now| self.clock_state_at(now))
    }

    /// The same of a clock that says this.
    pub(crate) fn clock_state_at(&self, now: Stamp) -> ClockState {
        let Some(last) = self.last_now.known() else { return ClockState::Steady };
        let days = now.days_since(last);
        if days > self.config.maintenance.clock_jump_days_max {
            ClockState::Ahead { days }
        } else if -days > BEHIND_DAYS_MAX {
            ClockState::Behind { days: -days }
        } else {
            ClockState::Steady
        }
    }

    /// The time by which days are counted: that of the clock when it can be believed, else that of the
    /// last write.
    pub(crate) fn believed(&self, now: Stamp) -> Stamp {
        match self.clock_state_at(now) {
            ClockState::Steady | ClockState::Unknown => now,
            ClockState::Ahead { .. } | ClockState::Behind { .. } => {
                self.last_now.known().unwrap_or(now)
            }
        }
    }

    /// Believes a clock that jumped, since a person says that it is right, unless it is further ahead of all
    /// that was ever stored than any robot is switched off. What was counted by a clock that was ahead
    /// until now is taken back.
    pub(crate) fn accept_clock(&self, now: Stamp) -> Result<()> {
        let state = self.clock_state_at(now);
        if state.is_steady() {
            return Ok(());
        }
        let newest = {
            let derived = self.derived();
            let slots = derived.rows.newest(derived.rows.live(), 1);
            slots.first().and_then(|slot| derived.rows.created_at(*slot))
        };
        let last = self.last_now.known().max(newest).unwrap_or(now);
        let days_max = self.config.maintenance.clock_jump_days_max.max(CLOCK_AHEAD_DAYS_MAX);
        if now.days_since(last) > days_max {
            log::warn!("the clock is not believed, though maintenance was asked for: {state}");
            return Ok(());
        }
        log::info!("the clock is believed again: {}", now.rfc_3339());
        let has_taken_back = self.write(|tx| {
            tx.put_last_now(now)?;
            Ok(Outcome::Changed(tx.take_back_days(now)?))
        })?;
        self.keep_now(Some(NotedNow { now, is_written: true }));
        if has_taken_back {
            self.indexes.replace(Derived::behind());
            self.load_if_behind()?;
        }
        Ok(())
    }

    /// Notes the time in a transaction that changes something, unless the clock is held for wrong. Most
    /// of the time there is nothing to write.
    pub(crate) fn note_now(&self, tx: &WriteTx<'_>) -> Result<Option<NotedNow>> {
        let LastNow { known, written } = &self.last_now;
        let now = self.live_now().filter(|now| {
            now.0 > known.load(Ordering::Relaxed) && self.clock_state_at(*now).is_steady()
        });
        let Some(now) = now else { return Ok(None) };
        let written = written.load(Ordering::Relaxed);
        let is_written = now.0.saturating_sub(written) > WRITTEN_EACH_NANOS;
        if is_written {
            tx.put_last_now(now)?;
        }
        Ok(Some(NotedNow { now, is_written }))
    }

    /// Keeps the time of a transaction that was committed.
    pub(crate) fn keep_now(&self, noted: Option<NotedNow>) {
        let Some(NotedNow { now, is_written }) = noted else { return };
        self.last_now.known.store(now.0, Ordering::Relaxed);
        if is_written {
            self.last_now.written.store(now.0, Ordering::Relaxed);
        }
    }
}
