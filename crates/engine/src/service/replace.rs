//! Putting another store's contents in the place of what the open one holds.

use crate::db::{Outcome, WriteTx, load};
use crate::{Engine, Result};
use robot_memory_core::jobs::Event;
use robot_memory_core::model::JobType;
use robot_memory_db::backup::StoreProgress;
use robot_memory_db::{self as store, Locked, Store, Writer};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Behind the store's file: the folders of files that are about to take its place.
const STAGED: &str = ".incoming";

/// A folder beside the store for a file that is about to take its place, of a name that no other has. It
/// goes when it is dropped.
pub(super) struct StagedFile {
    folder: PathBuf,
}

impl StagedFile {
    /// Empty.
    pub fn beside(store_path: &Path) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let suffix = format!("{STAGED}-{}-{number}", std::process::id());
            let folder = store::with_suffix(store_path, &suffix);
            match fs::DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => return Ok(Self { folder }),
                // Of a process of the same number, in another container.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(source) => {
                    let action = "cannot make the folder";
                    return Err(store::Error::Io { action, path: folder, source }.into());
                }
            }
        }
    }

    /// Where the file is to be.
    pub fn path(&self) -> PathBuf {
        self.folder.join("store.db")
    }

    /// Removes what runs left that ended meanwhile: it holds texts. Of a store that this process has alone.
    pub fn remove_left(store_path: &Path) {
        let Some(name) = store_path.file_name().and_then(|name| name.to_str()) else { return };
        let begin = format!("{name}{STAGED}");
        let Ok(entries) = fs::read_dir(store::folder_of(store_path)) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let rest = name.to_str().and_then(|name| name.strip_prefix(&begin));
            let is_staged = rest
                .is_some_and(|rest| rest.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()));
            if is_staged {
                drop(Self { folder: entry.path() });
            }
        }
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            log::warn!("{} was not removed: {error}", self.folder.display());
        }
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
        let Incoming { path, is_damaged, is_another_past } = *incoming;
        // What was saved of a store that was put aside is that one still.
        let is_this = is_damaged || is_another_past;
        let identity = StoreProgress {
            store_id: if is_this { self.store_id() } else { String::new() },
            revision: self.derived().revision().unwrap_or_default(),
            run: self.jobs.run(),
            replayed: self.replayed(),
        };
        writer.adopt(path, &identity, is_another_past)?;
        let (derived, memory_count, counts, last_now, store_id) = {
            let store = Store::open_reading(path)?;
            store.read(|tx| {
                let counts = (tx.memory_count()?, tx.job_counts()?);
                let derived = load::rows(tx)?;
                Ok::<_, crate::Error>((derived, counts.0, counts.1, tx.last_now()?, tx.store_id()?))
            })?
        };
        writer.replace_with(path, is_damaged)?;
        // Whoever reads the new contents waits for these, and no longer.
        self.indexes.replace(derived);
        *self.store_id.locked() = store_id;
        self.last_now.follow(last_now);
        self.constraints.forget();
        self.attempts.forget();
        self.jobs.recount(counts);
        drop(self.accesses.locked().take());
        self.embed_after.store(0, Ordering::Relaxed);
        self.signatures_after.store(0, Ordering::Relaxed);
        self.index_bounds.forget_evicted();
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
        if let Err(error) = self.begin_sharing() {
            log::error!("changes are not noted for the fleet: {error}");
        }
        self.note_beside(true);
        self.jobs.wake();
    }

    /// Puts back the jobs that were being done. One that made a backup is not: it has ended long ago.
    fn release_replaced_jobs(&self) -> Result<()> {
        self.write(|tx| {
            let held = tx.held_jobs()?;
            for job in &held {
                let error = "the store was put back while it was done";
                let event = match job.job_type {
                    JobType::Backup => Event::Stopped,
                    _ => Event::Ended { error, count: 0 },
                };
                self.put_after(tx, job, &event)?;
            }
            Ok(Outcome::of(!held.is_empty(), ()))
        })
    }

    fn put_after(
        &self,
        tx: &WriteTx<'_>,
        job: &robot_memory_core::model::Job,
        event: &Event<'_>,
    ) -> Result<()> {
        if let Some(after) = self.job_after(job, event) {
            tx.put_job(job.status, &after)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_staged_file_has_a_folder_of_its_own_and_only_those_are_removed() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("memory.db");
        let staged: Vec<StagedFile> =
            (0..20).map(|_| StagedFile::beside(&path).expect("made")).collect();
        let names: std::collections::BTreeSet<PathBuf> =
            staged.iter().map(StagedFile::path).collect();
        assert_eq!(names.len(), 20);
        drop(staged);
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 0);
        let left = ["memory.db.incoming", "memory.db.incoming-17-3"];
        let others = ["memory.db.incoming-of-mine", "memory.db.clips", "other.db.incoming-1-1"];
        for name in left.iter().chain(&others) {
            fs::create_dir(folder.path().join(name)).expect("made");
        }
        StagedFile::remove_left(&path);
        assert!(left.iter().all(|name| !folder.path().join(name).exists()));
        assert!(others.iter().all(|name| folder.path().join(name).exists()));
    }
}
