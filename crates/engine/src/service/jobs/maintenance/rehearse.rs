//! A dry run: the real run on a private copy of the store, which is thrown away.

use super::Payload;
use super::report::Report;
use crate::db::Embedding;
use crate::service::jobs::{Fault, JobControl, JobDecision, JobLease, JobRun, Step};
use crate::{Config, Engine, WriteQueueSettings};
use robot_memory_core::model::{Clock, JobProgress, JobStatus, Stamp};
use robot_memory_db::{self as store, Locked, RwLocked};
use serde_json::json;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Behind the store's file: the folder of a job's copy, which its id follows.
const SUFFIX: &str = ".rehearsal-";
/// The copy's file in it.
const FILE: &str = "memory.db";
/// Bytes that are to be left beside the copy and what the run writes into its log.
const BYTES_LEFT: u64 = 32 << 20;
/// Milliseconds between two notes of how far it is.
const REPORT_PERIOD_MILLIS: i64 = 1_000;

/// A clock that stands.
struct Still(Stamp);

impl Clock for Still {
    fn now(&self) -> Option<Stamp> {
        Some(self.0)
    }
}

/// A private folder that goes with all that is in it.
struct Stage(PathBuf);

impl Stage {
    fn new(path: PathBuf) -> std::io::Result<Self> {
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            log::warn!("{} was not removed: {error}", self.0.display());
        }
    }
}

/// Removes what runs that were killed left beside the store, which this process has alone.
pub(crate) fn remove_leftovers(store_path: &Path) {
    let folder = store::folder_of(store_path);
    let Some(Some(name)) = store_path.file_name().map(|name| name.to_str()) else { return };
    let prefix = format!("{name}{SUFFIX}");
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(&prefix));
        if number.is_some_and(|number| number.parse::<i64>().is_ok())
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            log::warn!("{} was not removed: {error}", entry.path().display());
        }
    }
}

/// Lets the run on the copy go as the job goes that it is done for.
struct Led<'a, 'r> {
    run: &'a JobRun<'r>,
    copy: &'a Engine,
    /// When the job was last told how far it is, in milliseconds of the machine's clock.
    reported_at: Mutex<i64>,
    /// Why it stopped.
    fault: Mutex<Option<Fault>>,
}

impl Led<'_, '_> {
    fn follow(&self) -> Result<(), Fault> {
        self.run.pause()?;
        let now = self.run.engine.machine_now();
        let reported_at = &mut *self.reported_at.locked();
        if now.abs_diff(*reported_at) < REPORT_PERIOD_MILLIS.unsigned_abs() {
            return Ok(());
        }
        *reported_at = now;
        let job = self.copy.store.read(|tx| tx.job(self.run.lease.job.id))?;
        self.run.tell_progress(job.map(|job| job.progress).unwrap_or_default())
    }
}

impl JobControl for Led<'_, '_> {
    fn between_steps(&self) -> JobDecision {
        match self.follow() {
            Ok(()) => JobDecision::On,
            Err(fault) => {
                *self.fault.locked() = Some(fault);
                JobDecision::Yield
            }
        }
    }
}

impl JobRun<'_> {
    /// Does the run on a copy of the store, with the same settings, at the time that it is now, and
    /// reports what it did there. Nothing is changed but the job; others go on meanwhile.
    pub(super) fn rehearse(&self, payload: &Payload) -> Result<(), Fault> {
        let engine = self.engine;
        let now = engine.now()?;
        let job = &self.lease.job;
        let path = beside(&engine.config.store_path, job.id);
        let io = |error: std::io::Error| {
            Fault::Retry(format!("a folder for the copy of the store cannot be made: {error}"))
        };
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(io)?;
        }
        check_room(engine.store.bytes(), store::free_bytes(store::folder_of(&path)))?;
        let stage = Stage::new(path).map_err(io)?;
        let report = self.rehearse_on(&stage.0.join(FILE), payload, now);
        drop(stage);
        let mut report = report?;
        report.dry_run = true;
        report.ended_at = engine.clock.now().unwrap_or(now).rfc_3339();
        self.commit(
            |tx| {
                tx.note_unpublished(job.id)?;
                Ok(json!(report))
            },
            |report| Step::Done(report),
        )?;
        Ok(())
    }

    fn rehearse_on(&self, path: &Path, payload: &Payload, now: Stamp) -> Result<Report, Fault> {
        let copied = self.engine.store.copy_to_rehearse(
            path,
            self.lease.job.id,
            &json!(Payload { dry_run: false, ..*payload }).to_string(),
            |done, total| {
                self.pause()?;
                self.tell_progress(JobProgress { step: "copy".into(), done, total })
            },
        );
        copied?;
        let copy = self.engine.on_copy(path, now)?;
        let lease = copy.claim_job(0).map_err(crate::Error::from)?;
        let lease = lease.ok_or_else(|| Fault::Retry("the copy has no job to do".into()))?;
        self.rehearse_job(&copy, &lease)
    }

    fn rehearse_job(&self, copy: &Engine, lease: &JobLease) -> Result<Report, Fault> {
        let led =
            Led { run: self, copy, reported_at: Mutex::new(i64::MIN), fault: Mutex::default() };
        let job = copy.work(lease, &led).map_err(crate::Error::from)?;
        if let Some(fault) = led.fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(fault);
        }
        match job.status {
            JobStatus::Succeeded => serde_json::from_str(&job.result)
                .map_err(|error| Fault::Fatal(format!("its report cannot be read: {error}"))),
            JobStatus::DeadLetter => Err(Fault::Fatal(job.last_error)),
            _ => Err(Fault::Retry(job.last_error)),
        }
    }

    /// Notes how far a run on a copy is; the job begins anew all the same when it is handed back.
    fn tell_progress(&self, progress: JobProgress) -> Result<(), Fault> {
        self.commit(|_| Ok((progress, json!({}))), |(progress, none)| Step::More(progress, none))?;
        Ok(())
    }
}

/// The folder of a job's copy.
fn beside(store_path: &Path, job_id: i64) -> PathBuf {
    store::with_suffix(store_path, &format!("{SUFFIX}{job_id}"))
}

/// Refuses when the disk has no room for the copy, as far as that is known.
fn check_room(store_bytes: u64, free_bytes: Option<u64>) -> Result<(), Fault> {
    let needed = store_bytes.saturating_add(store_bytes / 4).saturating_add(BYTES_LEFT);
    match free_bytes {
        Some(free) if free < needed => Err(Fault::Fatal(format!(
            "a dry run works on a copy of the store and needs {needed} bytes free on its disk, of which \
             {free} are"
        ))),
        _ => Ok(()),
    }
}

impl Engine {
    /// An engine on a copy of the store, with the same settings and models, whose clock stands.
    fn on_copy(&self, path: &Path, now: Stamp) -> Result<Self, Fault> {
        let config = Config {
            store_path: path.to_owned(),
            write_queue: WriteQueueSettings::default(),
            ..self.config.clone()
        };
        let (copy, _) = Self::open(config, Arc::new(Still(now)))
            .map_err(|error| Fault::Retry(format!("the copy of the store: {error}")))?;
        let embedder = match &*self.embedding.read_locked() {
            Embedding::Loading => None,
            Embedding::Off => Some(Ok(None)),
            Embedding::Failed(reason) => Some(Err(reason.clone())),
            Embedding::Ready(embedder) => Some(Ok(Some(Arc::clone(embedder)))),
        };
        if let Some(embedder) = embedder {
            copy.set_embedder(embedder).map_err(crate::Error::from)?;
        }
        copy.set_chat(self.chat());
        // The run writes what waits to be written, there as here.
        let waiting = self.accesses.locked().waiting();
        for (id, accesses) in waiting {
            copy.accesses.locked().note(id, accesses);
        }
        Ok(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_room_for_the_copy_is_refused_with_bytes() {
        assert!(check_room(100 << 20, None).is_ok());
        assert!(check_room(100 << 20, Some(157 << 20)).is_ok());
        let Err(Fault::Fatal(why)) = check_room(100 << 20, Some((157 << 20) - 1)) else {
            panic!("there is no room");
        };
        assert!(why.contains("164626432 bytes free"), "{why}");
    }

    #[test]
    fn only_what_a_killed_run_left_is_removed() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let store = folder.path().join("memory.db");
        let names = [
            "memory.db.rehearsal-12",
            "memory.db.rehearsal-x",
            "memory.db.clips",
            "other.db.rehearsal-1",
        ];
        for name in names {
            std::fs::create_dir(folder.path().join(name)).expect("it is made");
        }
        remove_leftovers(&store);
        let left = names.map(|name| folder.path().join(name).exists());
        assert_eq!(left, [false, true, true, true]);
    }
}
