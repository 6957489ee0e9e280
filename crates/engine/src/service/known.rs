//! What is noted beside the store, for when it is damaged, and the look over it each day.

use crate::{Engine, Result};
use robot_memory_core::limits::{OUTDATED_NOTED_MAX, ROWS_CHECKED_MILLIS_MAX};
use robot_memory_db::{KnownBeside, Locked, RepairNote};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two notes of how much is in the store, at least.
const NOTED_EACH: Duration = Duration::from_secs(60);
/// Of the longest list of what no longer holds a note is made no more often than this; of a shorter one
/// sooner.
const LONG_NOTED_EACH: Duration = Duration::from_secs(50);
/// Between two looks over the store.
const LOOKED_EACH_MILLIS: i64 = 86_400_000;

/// What is noted in a file beside the store, for when the store is damaged, and when that was written.
#[derive(Debug, Default)]
pub(super) struct SideRecord {
    pub(super) known: Mutex<KnownBeside>,
    /// When it was written last, and the revision that was looked at last.
    written: Mutex<(Option<Instant>, Option<i64>)>,
    /// When all rows were looked at last and none was bad.
    pub(super) found_nothing: Mutex<Option<Instant>>,
    /// Whether what an earlier run left is needed as it is: a damaged file is still to be saved.
    is_frozen: AtomicBool,
}

impl SideRecord {
    /// As an earlier run left it.
    pub fn of(known: Option<KnownBeside>) -> Self {
        Self { known: Mutex::new(known.unwrap_or_default()), ..Self::default() }
    }

    /// Keeps the file beside the store as it is in this run.
    pub fn freeze(&self) {
        self.is_frozen.store(true, Ordering::Relaxed);
    }
}

impl Engine {
    /// Notes beside the store what changed; now, or when it is time.
    pub(super) fn note_beside(&self, is_now: bool) {
        let is_frozen = self.noted.is_frozen.load(Ordering::Relaxed);
        if is_frozen
            || self.store.is_reading_only()
            || self.store.is_damaged()
            || self.store.is_waiting()
        {
            return;
        }
        if let Err(error) = self.try_note_beside(is_now) {
            log::debug!("nothing is noted beside the store: {error}");
        }
    }

    fn try_note_beside(&self, is_now: bool) -> Result<()> {
        let mut written = self.noted.written.locked();
        let (at, looked_at) = *written;
        let Some(revision) = self.derived().revision() else { return Ok(()) };
        if !is_now && looked_at == Some(revision) {
            return Ok(());
        }
        let since = at.map_or(Duration::MAX, |at| at.elapsed());
        let was = self.noted.known.locked().outdated.as_ref().map_or(0, Vec::len);
        let share = was as f64 / OUTDATED_NOTED_MAX as f64;
        if !is_now && since < LONG_NOTED_EACH.mul_f64(share) {
            return Ok(());
        }
        let (outdated, inactive) = self.store.read(|tx| {
            Ok::<_, crate::Error>((tx.outdated(OUTDATED_NOTED_MAX)?, tx.inactive_count()?))
        })?;
        let memory_count = self.derived().rows.live().count() + inactive;
        let mut known = self.noted.known.locked();
        written.1 = Some(revision);
        if !is_now && known.outdated == outdated && since < NOTED_EACH {
            // Looked at again when it is time.
            written.1 = None;
            return Ok(());
        }
        known.store_id = self.store_id();
        known.revision = revision;
        known.memory_count = memory_count;
        known.outdated = outdated;
        known.write(&self.config.store_path)?;
        written.0 = Some(Instant::now());
        Ok(())
    }

    /// Notes what came of damage, until the damaged file is removed.
    pub(super) fn set_repair_note(&self, note: Option<RepairNote>) {
        self.noted.known.locked().repair = note;
    }

    /// What came of damage in this run or an earlier one, while the damaged file is there.
    pub(super) fn repair_note(&self) -> Option<RepairNote> {
        self.noted.known.locked().repair.clone().filter(|note| note.aside.exists())
    }

    /// Notes that all of the store was looked at just now.
    pub(super) fn note_looked_over(&self) {
        self.noted.known.locked().checked_at = self.machine_now();
    }

    /// When it was looked over last, in milliseconds of the machine's clock; 0: never.
    pub(super) fn looked_over_at(&self) -> i64 {
        self.noted.known.locked().checked_at
    }

    /// Looks over a part of the store when that is due, once a day. Others read and write meanwhile.
    pub(super) fn look_over_when_due(&self) -> Result<()> {
        if self.store.is_reading_only() || self.store.is_damaged() || self.store.is_waiting() {
            return Ok(());
        }
        let now = self.machine_now();
        let (at, from) = {
            let known = self.noted.known.locked();
            (known.checked_at, known.check_from.clone())
        };
        // Also after a clock that jumped.
        if at > 0 && now.abs_diff(at) < LOOKED_EACH_MILLIS.unsigned_abs() {
            return Ok(());
        }
        let time = Duration::from_millis(ROWS_CHECKED_MILLIS_MAX);
        let next = self.store.look_over(from, time)?;
        let mut known = self.noted.known.locked();
        known.checked_at = now.max(1);
        known.check_from = next;
        drop(known);
        self.note_beside(true);
        Ok(())
    }
}
