//! Putting another store's contents in the place of what the open one holds.

use super::transaction::Outcome;
use super::{Engine, PoisonError, Result, load};
use crate::jobs::Event;
use crate::model::JobType;
use crate::store::backup::Known;
use crate::store::{self, Store, WriteTx, Writer};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// A folder beside the store for a file that is about to take its place. It goes when it is dropped.
pub(super) struct StagedFile {
    folder: PathBuf,
}

impl StagedFile {
    /// Empty, in the place of one that an earlier run left.
    pub fn beside(store_path: &Path) -> Result<Self> {
        let staged = Self { folder: Self::folder_of(store_path) };
        staged.clear();
        store::make_private_folder(&staged.folder)?;
        Ok(staged)
    }

    /// Where the file is to be.
    pub fn path(&self) -> PathBuf {
        self.folder.join("store.db")
    }

    /// Removes what a run left that ended meanwhile: it holds texts.
    pub fn remove_left(store_path: &Path) {
        drop(Self { folder: Self::folder_of(store_path) });
    }

    fn folder_of(store_path: &Path) -> PathBuf {
        store::with_suffix(store_path, ".incoming")
    }

    fn clear(&self) {
        // Mostly there is none.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        self.clear();
    }
}

/// What is in the place of what was stored.
pub(super) struct Incoming<'p> {
    /// Its file, of this version, which nobody has open.
    pub path: &'p Path,
    /// Whether what the store holds can no longer be relied on.
    pub is_damaged: bool,
    /// Whether it is an earlier state, and not what was saved of the present one.
    pub is_another_past: bool,
}

impl Engine {
    /// Puts a file in the place of what is stored, lets the indexes follow, and forgets what was known of
    /// the former contents. Answers how many memories there are now.
    pub(super) fn replace_store(
        &self,
        writer: &mut Writer<'_>,
        incoming: &Incoming<'_>,
    ) -> Result<u64> {
        let known = Known {
            revision: self.derived().revision().unwrap_or_default(),
            run: self.jobs.run(),
            replayed: self.replayed(),
        };
        let Incoming { path, is_damaged, is_another_past } = *incoming;
        writer.adopt(path, &known, is_another_past)?;
        let (derived, memory_count, counts, last_now) = {
            let store = Store::open_reading(path)?;
            store.read(|tx| {
                let counts = (tx.memory_count()?, tx.job_counts()?);
                Ok::<_, super::Error>((load::rows(tx)?, counts.0, counts.1, tx.last_now()?))
            })?
        };
        writer.replace_with(path, is_damaged)?;
        // Whoever reads the new contents waits for these, and no longer.
        *self.derived_mut() = derived;
        self.last_now.follow(last_now);
        self.forget_constraints();
        self.jobs.recount(counts);
        drop(self.pending_accesses().take());
        self.embed_after.store(0, Ordering::Relaxed);
        self.signatures_after.store(0, Ordering::Relaxed);
        *self.given_up.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
        Ok(memory_count)
    }

    /// What is to be done once others may write again.
    pub(super) fn follow_replaced(&self) {
        self.forget_events();
        self.store.forget_damage();
        if let Err(error) = self.release_replaced_jobs() {
            // Their leases run out by themselves.
            log::warn!("jobs that were being done were not released: {error}");
        }
        if let Err(error) = self.store.erase_log() {
            log::warn!("the log of the store was not emptied: {error}");
        }
        if let Err(error) = self.build_missing() {
            log::warn!("the indexes are built later: {error}");
        }
        self.jobs.wake();
    }

    /// Puts back the jobs that were being done. One that made a backup is not: it has ended long ago.
    fn release_replaced_jobs(&self) -> Result<()> {
        self.write(|tx, _| {
            let held = tx.held_jobs()?;
            for job in &held {
                let error = "the store was put back while it was done";
                let event = match job.job_type {
                    JobType::Backup => Event::Stopped,
                    _ => Event::Ended { error, count: 0 },
                };
                self.put_after(tx, job, &event)?;
            }
            Ok(if held.is_empty() { Outcome::Unchanged(()) } else { Outcome::Changed(()) })
        })
    }

    fn put_after(
        &self,
        tx: &WriteTx<'_>,
        job: &crate::model::Job,
        event: &Event<'_>,
    ) -> Result<()> {
        if let Some(after) = self.job_after(job, event) {
            tx.put_job(job.status, &after)?;
        }
        Ok(())
    }
}
