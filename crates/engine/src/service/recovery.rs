//! Recovery of a damaged store without a restart.
//!
//! What can be read is saved into a new file, what it lacks comes from the newest backup, and that takes
//! the store's place. The damaged file is kept aside. Meanwhile what can be read is answered, and writes
//! are refused.

use super::backups::check_room;
use super::replace::{Incoming, StagedFile};
use super::retention;
use crate::db::load;
use crate::{Engine, OpenError, Result};
use robot_memory_core::api::ApiError;
use robot_memory_db::{self as store, Locked, RepairNote, Salvaged, Sources, Store};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Rounds of upkeep between two attempts, at most: they rest a second.
const ROUNDS_BETWEEN_MAX: u32 = 600;

/// Bytes of a store that is repaired within the call that met a bad row: that takes some seconds at most.
pub(super) const REPAIRED_AT_ONCE_BYTES_MAX: u64 = 64 << 20;

/// What recovery made of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Where the damaged file is.
    pub aside: PathBuf,
    /// What was saved of it.
    pub salvaged: Salvaged,
}

impl std::fmt::Display for RecoveryReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Salvaged {
            memory_count,
            from_backup,
            withdrawn,
            lost_max,
            dropped_rows,
            broken_tables,
            knew_deletions,
        } = &self.salvaged;
        write!(
            f,
            "the store was damaged, and is repaired: it has {memory_count} memories, {from_backup} of \
             them from a backup; at most {lost_max} are lost, and {dropped_rows} rows beside them"
        )?;
        if *withdrawn > 0 {
            write!(f, "; {withdrawn} are withdrawn, since their text is damaged and in no backup")?;
        }
        if !broken_tables.is_empty() {
            write!(f, "; could not be read wholly: {}", broken_tables.join(", "))?;
        }
        match (knew_deletions, from_backup) {
            (true, _) => {}
            (false, 0) => {
                write!(
                    f,
                    "; nothing came from a backup, since what was deleted could not be read"
                )?;
            }
            (false, _) => {
                write!(f, "; what was deleted since that backup could not be read, and is back")?;
            }
        }
        write!(f, "; the damaged file is {}", self.aside.display())
    }
}

/// What recovery did last, and when it is tried again.
#[derive(Debug, Default)]
pub(super) struct RecoveryState {
    last: Mutex<Option<RecoveryReport>>,
    /// Held by who puts other contents into the store: one at a time.
    turn: Mutex<()>,
    /// Rounds until it is tried again, and for how many it rested the last time.
    rounds_left: AtomicU32,
    rested: AtomicU32,
}

impl RecoveryState {
    /// The same, when nobody has it.
    pub fn try_turn(&self) -> Option<MutexGuard<'_, ()>> {
        match self.turn.try_lock() {
            Ok(turn) => Some(turn),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Engine {
    /// Whether damage was met that is not repaired yet: writes are refused until then.
    pub fn is_damaged(&self) -> bool {
        self.store.is_damaged()
    }

    /// What came of the last damage since the start; `None`: there was none.
    pub fn recovery_report(&self) -> Option<RecoveryReport> {
        self.recovery.last.locked().clone()
    }

    /// Repairs the store when damage was met. Others that write wait. Answers whether it did something.
    ///
    /// # Errors
    /// When the store could not be replaced; it is as before, and upkeep tries again, each time later.
    pub fn recover_store(&self) -> Result<bool, ApiError> {
        if !self.store.is_damaged() || self.store.is_reading_only() {
            return Ok(false);
        }
        Ok(self.repair_store().map(|()| true)?)
    }

    /// The same, as a part of upkeep: not in each round, when it could not be done.
    pub(super) fn repair_when_due(&self) -> Result<(), ApiError> {
        if !self.store.is_damaged() {
            return Ok(());
        }
        let RecoveryState { rounds_left, rested, .. } = &self.recovery;
        let left = rounds_left.load(Ordering::Relaxed);
        if left > 0 {
            rounds_left.store(left - 1, Ordering::Relaxed);
            return Err(ApiError::unavailable(
                "the store is damaged, and could not be repaired yet",
            ));
        }
        let repaired = self.recover_store();
        let rest = match repaired {
            Ok(_) => 0,
            Err(_) => (rested.load(Ordering::Relaxed) * 2).clamp(5, ROUNDS_BETWEEN_MAX),
        };
        rested.store(rest, Ordering::Relaxed);
        rounds_left.store(rest, Ordering::Relaxed);
        repaired.map(drop)
    }

    fn repair_store(&self) -> Result<()> {
        let _turn = self.recovery.turn.locked();
        if !self.store.is_damaged() {
            // It was put back to a backup meanwhile.
            return Ok(());
        }
        self.store.check_in_place()?;
        let folder = store::folder_of(&self.config.store_path);
        // The file aside, the copy that is read, the new one, and the log of the transaction.
        check_room(folder, self.store.bytes().saturating_mul(4))?;
        let active_before = self.derived().rows.live().count();
        log::error!(
            "the store {} is damaged; it is being repaired",
            self.config.store_path.display()
        );
        let staged = StagedFile::beside(&self.config.store_path)?;
        let mut writer = self.store.writer();
        let aside = self.store.copy_aside(&writer)?;
        let salvaged = self.saved(&aside, &staged.path())?;
        self.replace_store(
            &mut writer,
            &Incoming { path: &staged.path(), is_damaged: true, is_another_past: false },
        )?;
        drop(writer);
        self.follow_replaced();
        let active_now = self.derived().rows.live().count();
        log::info!("active memories: {active_before} before it was damaged, {active_now} now");
        self.note_recovery(RecoveryReport { aside, salvaged });
        Ok(())
    }

    /// Saves what can be read of a store that was put aside when this one was opened, into this one, which
    /// is empty. Answers how many memories there are.
    pub(super) fn take_over(&self, aside: &Path) -> Result<u64, OpenError> {
        let outcome = self.take_over_rows(aside);
        match outcome {
            Ok(memory_count) => Ok(memory_count),
            Err(crate::Error::Store(error)) => Err(error.into()),
            Err(crate::Error::Api(error)) => Err(store::Error::Corrupt(error.message).into()),
        }
    }

    fn take_over_rows(&self, aside: &Path) -> Result<u64> {
        let staged = StagedFile::beside(&self.config.store_path)?;
        let salvaged = self.saved(aside, &staged.path())?;
        let mut writer = self.store.writer();
        let memory_count = self.replace_store(
            &mut writer,
            &Incoming { path: &staged.path(), is_damaged: false, is_another_past: false },
        )?;
        drop(writer);
        self.follow_replaced();
        retention::take_clips_back(self, aside);
        self.note_recovery(RecoveryReport { aside: aside.to_owned(), salvaged });
        Ok(memory_count)
    }

    fn note_recovery(&self, report: RecoveryReport) {
        log::warn!("{report}");
        self.set_repair_note(Some(RepairNote {
            aside: report.aside.clone(),
            text: report.to_string(),
            is_lossy: report.salvaged.is_lossy(),
        }));
        self.note_looked_over();
        self.note_beside(true);
        *self.recovery.last.locked() = Some(report);
    }

    /// Notes that nothing could be saved of a store that was put aside.
    pub(super) fn note_unsaved(&self, aside: &Path, error: &OpenError) {
        log::error!("nothing was saved of the damaged {}: {error}", aside.display());
        let text = format!(
            "the store was damaged, and nothing was saved of it: {error}; the damaged file is {}, and the \
             next start tries again while nothing is stored",
            aside.display()
        );
        self.set_repair_note(Some(RepairNote { aside: aside.to_owned(), text, is_lossy: true }));
        self.noted.freeze();
    }

    /// Saves a damaged store into a new one, with the words of this version.
    fn saved(&self, damaged: &Path, target: &Path) -> Result<Salvaged> {
        let known =
            Some(self.noted.known.locked().clone()).filter(|known| !known.store_id.is_empty());
        let backups = self.backups_to_fill_from();
        let sources = Sources {
            backups: &backups,
            are_own: self.config.backups.folder.is_none(),
            known: known.as_ref(),
        };
        let salvaged = store::salvage(damaged, &sources, target)?;
        let (store, _) = Store::open(target, 0)?;
        drop(load::words_and_rows(&store)?);
        store.close()?;
        Ok(salvaged)
    }
}
