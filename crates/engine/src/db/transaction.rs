//! How an operation reads and writes: one snapshot with the indexes that agree with it, or one
//! transaction whose changes the indexes follow.

use super::{Db, Error, Result, load};
use robot_memory_core::api::ApiError;
use robot_memory_db::{ReadTx, WriteTx};
use robot_memory_index::{Change, Derived};
use std::time::Duration;

/// A snapshot and the indexes disagree only between a commit and the moment, microseconds later,
/// in which the indexes have followed. A reader that meets it tries again after this pause.
const RETRY_PAUSE: Duration = Duration::from_micros(50);
/// Two seconds of trying: only a fault keeps them apart for so long.
const RETRIES_MAX: u32 = 40_000;

/// What a write did.
pub enum Outcome<T> {
    /// It changed rows: make that durable, then answer.
    Changed(T),
    /// It found nothing to change: answer.
    Unchanged(T),
}

impl Db {
    /// Runs `f` on a snapshot of the store and the indexes of the same revision.
    pub(crate) fn view<T>(&self, f: impl FnOnce(&ReadTx<'_>, &Derived) -> Result<T>) -> Result<T> {
        self.view_prepared(|_| Ok(()), f)
    }

    /// The same, and lets an engine that only reads prepare its indexes from that snapshot.
    pub(crate) fn view_prepared<T>(
        &self,
        prepare: impl Fn(&ReadTx<'_>) -> Result<()>,
        f: impl FnOnce(&ReadTx<'_>, &Derived) -> Result<T>,
    ) -> Result<T> {
        let mut f = Some(f);
        for _ in 0..RETRIES_MAX {
            let answer = self.store.read(|tx| {
                let revision = tx.revision()?;
                if self.store.is_reading_only() {
                    // Another process writes: its changes are not followed but loaded.
                    let is_behind = self.derived().revision() != Some(revision);
                    if is_behind {
                        load::check_words(tx)?;
                        *self.derived_mut() = load::rows(tx)?;
                    }
                    prepare(tx)?;
                }
                let derived = self.derived();
                if derived.revision() != Some(revision) {
                    return Ok(None);
                }
                f.take().map(|f| f(tx, &derived)).transpose()
            })?;
            match answer {
                Some(answer) => return Ok(answer),
                None => std::thread::sleep(RETRY_PAUSE),
            }
        }
        Err(ApiError::unavailable("the indexes are behind the store; try again").into())
    }

    /// Runs `f` in one transaction. When it answers `Changed`, the rows are on disk and the indexes
    /// have followed before this returns; when it fails nothing was changed.
    pub(crate) fn write<T>(
        &self,
        f: impl FnOnce(&WriteTx<'_>, &mut Vec<Change>) -> Result<Outcome<T>>,
    ) -> Result<T> {
        self.check_writable()?;
        self.store.check_in_place()?;
        let outcome = self.write_now(f);
        match &outcome {
            Ok(_) | Err(Error::Api(_)) => {}
            Err(Error::Store(fault)) => self.fault.note(fault),
        }
        outcome
    }

    fn write_now<T>(
        &self,
        f: impl FnOnce(&WriteTx<'_>, &mut Vec<Change>) -> Result<Outcome<T>>,
    ) -> Result<T> {
        let mut writer = self.store.writer();
        // Who had it before may have found out meanwhile.
        self.check_writable()?;
        let tx = writer.begin()?;
        let mut changes = Vec::new();
        match f(&tx, &mut changes)? {
            Outcome::Unchanged(answer) => Ok(answer),
            Outcome::Changed(answer) => {
                let job_changes = tx.take_job_changes();
                let now = self.note_now(&tx)?;
                let revision = tx.commit()?;
                self.keep_now(now);
                self.fault.note_written();
                self.follow(changes, revision);
                self.jobs.tell(job_changes);
                // Until here: the next write must find the indexes agreeing with its rows.
                drop(writer);
                Ok(answer)
            }
        }
    }

    /// Loads the facts of all rows when they agree with no revision, as after a change that could not be
    /// followed.
    pub(crate) fn load_if_behind(&self) -> Result<()> {
        if self.derived().revision().is_some() || self.store.is_reading_only() {
            return Ok(());
        }
        // Nothing may be committed meanwhile.
        let _writer = self.store.writer();
        let derived = self.store.read(load::rows)?;
        *self.derived_mut() = derived;
        Ok(())
    }

    fn follow(&self, changes: Vec<Change>, revision: i64) {
        self.follow_constraints(&changes, revision);
        self.listeners.tell(&changes);
        let followed = self.derived_mut().apply(changes, revision);
        if !followed {
            // Words and vectors are searched on disk until upkeep has built their indexes again.
            log::info!("the indexes in memory are made anew from the store");
            match self.store.read(load::rows) {
                Ok(derived) => *self.derived_mut() = derived,
                // The rows are safe; searches answer `unavailable` until a later write succeeds.
                Err(error) => log::error!("the indexes could not be made anew: {error}"),
            }
        }
    }
}
