//! Work that no caller waits for: queued in the store, done by workers, and never stuck.
//!
//! A worker asks for a job ([`Engine::claim_job`]), does it ([`Engine::work`]) and meanwhile says, a few
//! times a lease, that it still works ([`Engine::renew_lease`]). What a job changes and that it
//! succeeded is one transaction, in which the job must still be the worker's own.

mod compact_macro;
mod embed;
mod import;
mod ingest_turn;
mod maintenance;
mod rebuild_scope;
mod shown;
mod settings;

pub use import::{ImportFault, Importer};
pub use settings::{CompactionSettings, JobSettings, MachineClock};

use super::{Engine, Error, Result};
use crate::api::ApiError;
use crate::index::Change;
use crate::model::{Job, JobChange, JobProgress, JobScope, JobType};
use crate::store::WriteTx;
use std::time::Duration;

/// A job that is not queued yet.
pub(super) struct JobDraft<'a> {
    pub scope: &'a JobScope,
    pub job_type: JobType,
    /// Of two unfinished jobs with the same key only the first is queued.
    pub dedup_key: String,
    /// Empty: none.
    pub turn_id: &'a str,
    pub payload: serde_json::Value,
    pub agent: &'a str,
}

/// A job in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Enqueued {
    pub job_id: i64,
    /// Whether it was queued now; else one with the same key was there.
    pub created: bool,
}

/// A job that a worker has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// As it was when it was taken.
    pub job: Job,
}

/// What a worker is asked between two steps of a job.
pub trait Pace: Sync {
    /// Lets callers go first; may wait a little. Answers what is to become of the job.
    fn between_steps(&self) -> Go;
}

/// Whether a job goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    /// Yes.
    On,
    /// No: the node ends. The job goes back into the queue, from where it goes on later.
    HandBack,
}

/// Why a job did not come to its end.
#[derive(Debug)]
pub(super) enum Fault {
    /// It may go better next time.
    Retry(String),
    /// It will never go better.
    Fatal(String),
    /// Another worker has it by now, or nobody.
    Overtaken,
    /// Somebody wants it stopped.
    Stopped,
    /// The node ends.
    HandedBack,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Retry(ApiError::from(error).to_string())
    }
}

impl From<crate::store::Error> for Fault {
    fn from(error: crate::store::Error) -> Self {
        Error::from(error).into()
    }
}

/// A job while it is being done.
pub(super) struct JobRun<'a> {
    pub engine: &'a Engine,
    pub claim: &'a Claim,
    pace: &'a dyn Pace,
}

/// A part of a job, committed.
pub(super) enum Step<'a> {
    /// There is more: how far it came, and from where it goes on (JSON).
    More(&'a JobProgress, &'a serde_json::Value),
    /// It is done: what came of it (a JSON object).
    Done(&'a serde_json::Value),
}

impl JobRun<'_> {
    /// Commits a part of the job: what `f` changes, and how far the job is. Fails without a change when
    /// the job is no longer this worker's, or, with [`Step::Done`], when the scope was changed by
    /// another job since this one was begun. What `f` answers decides about the step, so that it can
    /// tell what it did.
    pub fn commit<T>(
        &self,
        f: impl FnOnce(&WriteTx<'_>, &mut Vec<Change>) -> Result<T>,
        step: impl FnOnce(&T) -> Step<'_>,
    ) -> std::result::Result<T, Fault> {
        let _ = (f, step, self.pace);
        Err(Fault::Fatal("not there yet".into()))
    }

    /// Between two steps: lets callers go first, and says whether the job goes on.
    pub fn pause(&self) -> std::result::Result<(), Fault> {
        Ok(())
    }

    /// From where an earlier attempt said that the job goes on; `None` when it begins.
    pub fn position(&self) -> std::result::Result<Option<serde_json::Value>, Fault> {
        Ok(None)
    }
}

/// The changes of jobs from now on, each once, in the order of their commits. Only as many wait as
/// there is room for; one more is left out and counted.
pub struct JobChanges {}

impl JobChanges {
    /// Waits for changes and answers those that are there, at most 64; none after the timeout.
    pub fn next(&self, _timeout: Duration) -> Vec<JobChange> {
        Vec::new()
    }

    /// How many were left out.
    pub fn dropped(&self) -> u64 {
        0
    }
}

impl Engine {
    /// Queues a job in the transaction of what causes it.
    pub(super) fn enqueue(&self, _tx: &WriteTx<'_>, _draft: &JobDraft<'_>) -> Result<Enqueued> {
        Err(ApiError::unavailable("not there yet").into())
    }

    /// Takes the job that has waited for longest, for the worker of this number. `None`: nothing is to
    /// be done now.
    pub fn claim_job(&self, _worker: usize) -> std::result::Result<Option<Claim>, ApiError> {
        Ok(None)
    }

    /// Does a job that was claimed, and says what became of it; a fault of the job is its own and no
    /// error of this call.
    pub fn work(&self, _claim: &Claim, _pace: &dyn Pace) -> std::result::Result<Job, ApiError> {
        Err(ApiError::unavailable("not there yet"))
    }

    /// Says that a worker still works; answers whether the job is still its own.
    pub fn renew_lease(&self, _claim: &Claim) -> std::result::Result<bool, ApiError> {
        Ok(false)
    }

    /// When a worker should ask again, in milliseconds of the machine's clock; `None`: when a job is
    /// queued.
    pub fn next_job_at(&self) -> std::result::Result<Option<i64>, ApiError> {
        Ok(None)
    }

    /// Lets a job that is being done stop between two steps and end as cancelled, and one that waits be
    /// cancelled at once. Answers whether it will; not when it has finished.
    pub fn stop_job(&self, _job_id: i64) -> std::result::Result<bool, ApiError> {
        Ok(false)
    }

    /// Listens to what becomes of jobs from now on; `waiting_max` changes may wait to be taken.
    pub fn job_changes(&self, _waiting_max: usize) -> JobChanges {
        JobChanges {}
    }
}
