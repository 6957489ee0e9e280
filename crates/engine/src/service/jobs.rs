//! Work that no caller waits for: queued in the store, done by workers, and never stuck.
//!
//! A worker asks for a job ([`Engine::claim_job`]), does it ([`Engine::work`]) and meanwhile says, a few
//! times a lease, that it still works ([`Engine::renew_lease`]). What a job changes and that it
//! succeeded is one transaction, in which the job must still be the worker's own.

mod backup;
mod claims;
mod compact_macro;
mod embed;
mod import;
mod ingest_turn;
mod maintenance;
mod reading;
mod rebuild_scope;
mod run;
#[cfg(test)]
mod tests;

pub use import::{ImportFault, Importer};

pub(super) use maintenance::{Report, remove_leftovers, report_markdown};
pub(super) use run::JobRun;

use crate::Error;
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_core::model::{Job, JobProgress};

/// A worker's hold on a job that it has taken; it ends when the worker does not renew it in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobLease {
    /// As it was when it was taken.
    pub job: Job,
    /// How often this job was ever taken, with this: no other lease of it has the same.
    number: i64,
}

/// Who is asked between two steps of a job whether it goes on.
pub trait JobControl: Sync {
    /// Lets callers go first; may wait a little. Answers what is to become of the job.
    fn between_steps(&self) -> JobDecision;
}

/// Whether a job goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobDecision {
    /// Yes.
    On,
    /// No: the node ends. The job goes back into the queue, from where it goes on later.
    Yield,
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
    /// The node ends, or what is short goes first.
    Yielded,
    /// A session has begun, for which it makes way.
    SessionBegan,
}

impl From<Error> for Fault {
    /// What cannot be done now, or is a fault of this program, may go better next time; what a call
    /// refuses it will refuse again. The text of such a refusal may quote what was to be stored, so
    /// only its kind is kept.
    fn from(error: Error) -> Self {
        let error = ApiError::from(error);
        match error.kind {
            ErrorKind::Unavailable | ErrorKind::Internal => Self::Retry(error.to_string()),
            kind => Self::Fatal(format!("{kind}: what the job was to do was refused")),
        }
    }
}

impl From<robot_memory_db::Error> for Fault {
    fn from(error: robot_memory_db::Error) -> Self {
        Error::from(error).into()
    }
}

/// A part of a job, as it was committed, after which the job goes on from `P` or is done.
struct Committed<P> {
    position: P,
    progress: JobProgress,
    /// What is written of it: the position, or what came of the job.
    report: serde_json::Value,
    is_done: bool,
}

impl<P> Committed<P> {
    fn step(&self) -> Step<'_> {
        if self.is_done {
            Step::Done(&self.report)
        } else {
            Step::More(&self.progress, &self.report)
        }
    }
}

/// A part of a job, committed.
pub(super) enum Step<'a> {
    /// There is more: how far it came, and from where it goes on (JSON).
    More(&'a JobProgress, &'a serde_json::Value),
    /// It is done: what came of it (a JSON object).
    Done(&'a serde_json::Value),
}
