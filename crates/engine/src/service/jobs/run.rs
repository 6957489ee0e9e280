//! A job while it is being done.

use super::claims::{own_job, running_job};
use super::{Fault, JobControl, JobDecision, JobLease, Step};
use crate::db::Outcome;
use crate::db::WriteTx;
use crate::{Engine, Error, Result};
use robot_memory_core::api::ApiError;
use robot_memory_core::jobs::Event;
use robot_memory_core::model::{Job, JobStatus, JobType};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// What a job's fault says of a panic: its own message may hold any text.
const PANICKED: &str = "a fault of this program, which the node's log names";

/// Nothing but a fault of a body.
const UNSAID: &str = "it ended without a result";

/// A job while it is being done.
pub(crate) struct JobRun<'a> {
    pub engine: &'a Engine,
    pub lease: &'a JobLease,
    control: &'a dyn JobControl,
    /// Whether it ends when a session begins.
    pub makes_way: AtomicBool,
    /// Whether it goes back into the queue after a commit when a step waits to be taken in.
    pub gives_way: AtomicBool,
}

impl<'a> JobRun<'a> {
    pub(super) fn of(engine: &'a Engine, lease: &'a JobLease, control: &'a dyn JobControl) -> Self {
        Self {
            engine,
            lease,
            control,
            makes_way: AtomicBool::new(false),
            gives_way: AtomicBool::new(false),
        }
    }

    /// Commits a part of the job: what `f` changes, and how far the job is. Fails without a change when
    /// the job is no longer this worker's, or, with [`Step::Done`], when the scope was changed by
    /// another job since this one was begun. What `f` answers decides about the step, so that it can
    /// tell what it did.
    pub fn commit<T>(
        &self,
        f: impl FnOnce(&WriteTx<'_>) -> Result<T>,
        step: impl FnOnce(&T) -> Step<'_>,
    ) -> Result<T, Fault> {
        let mut is_overtaken = false;
        let committed = self.engine.write(|tx| {
            let Some(job) = running_job(tx, self.lease)? else {
                is_overtaken = true;
                return Err(overtaken());
            };
            let value = f(tx)?;
            match step(&value) {
                Step::More(progress, position) => {
                    if let Some(renewed) = self.engine.job_after(&job, &Event::Renewed) {
                        tx.put_job(job.status, &renewed)?;
                    }
                    tx.put_job_progress(job.id, progress, &position.to_string())?;
                }
                Step::Done(result) => {
                    if tx.scope_revision(&job.scope)? != job.based_on_revision {
                        is_overtaken = true;
                        return Err(overtaken());
                    }
                    let result = result.to_string();
                    let Some(done) =
                        self.engine.job_after(&job, &Event::Succeeded { result: &result })
                    else {
                        is_overtaken = true;
                        return Err(overtaken());
                    };
                    tx.raise_scope_revision(&job.scope, done.updated_at)?;
                    self.engine.put_ended(tx, job.status, &done)?;
                }
            }
            Ok(Outcome::Changed(value))
        });
        committed.map_err(|error| {
            if is_overtaken {
                return Fault::Overtaken;
            }
            if let Error::Store(fault) = &error {
                self.engine.follow_fault(fault);
            }
            error.into()
        })
    }

    /// Between two steps: lets callers go first, and says whether the job goes on.
    pub fn pause(&self) -> Result<(), Fault> {
        let go = self.control.between_steps();
        if self.engine.jobs.shall_stop(self.lease.job.id) {
            return Err(Fault::Stopped);
        }
        if self.makes_way.load(Ordering::Relaxed)
            && self.engine.store.read(|tx| tx.has_open_session())?
        {
            return Err(Fault::SessionBegan);
        }
        match go {
            JobDecision::On => Ok(()),
            JobDecision::Yield => Err(Fault::Yielded),
        }
    }

    /// From where an earlier attempt said that the job goes on; `None` when it begins.
    pub fn position(&self) -> Result<Option<serde_json::Value>, Fault> {
        let position = self.engine.store.read(|tx| tx.job_position(self.lease.job.id))?;
        if position.is_empty() {
            return Ok(None);
        }
        // One that cannot be read is as good as none: steps may be done twice.
        Ok(serde_json::from_str(&position).ok())
    }

    fn body(&self) -> Result<(), Fault> {
        match self.lease.job.job_type {
            JobType::IngestTurn => self.ingest_turn(),
            JobType::CompactMacro => self.compact_macro(),
            JobType::Maintenance => self.maintain(),
            JobType::RebuildScope => self.rebuild_scope(),
            JobType::Embed => self.fill_in_vectors(),
            JobType::Import => self.import(),
            JobType::Backup => self.back_up(),
        }
    }
}

/// Ends a transaction in which the job turned out to be another's; nobody reads the text.
fn overtaken() -> Error {
    Error::invalid_state("the job is no longer this worker's")
}

impl Engine {
    /// Does a job that was claimed, and says what became of it; a fault of the job is its own and no
    /// error of this call.
    ///
    /// # Errors
    /// When the store cannot be written. The job is tried again when its lease has run out.
    pub fn work(&self, lease: &JobLease, control: &dyn JobControl) -> Result<Job, ApiError> {
        self.perform(lease, control, |run| run.body())
    }

    pub(super) fn perform(
        &self,
        lease: &JobLease,
        control: &dyn JobControl,
        body: impl FnOnce(&JobRun<'_>) -> Result<(), Fault>,
    ) -> Result<Job, ApiError> {
        let mut fault = Fault::Overtaken;
        if self.begin(lease)? {
            let run = JobRun::of(self, lease, control);
            // A worker outlives whatever happens in one job; the panic hook has logged it.
            fault = match catch_unwind(AssertUnwindSafe(|| body(&run))) {
                Ok(Ok(())) => Fault::Fatal(UNSAID.into()),
                Ok(Err(fault)) => fault,
                Err(_) => Fault::Retry(PANICKED.into()),
            };
        }
        self.end(lease, &fault)
    }

    /// Begins a job; answers whether it is to be done.
    pub(super) fn begin(&self, lease: &JobLease) -> Result<bool, ApiError> {
        let begun = self.write(|tx| {
            let Some(job) = own_job(tx, lease)? else { return Ok(Outcome::Unchanged(false)) };
            let revision = tx.scope_revision(&job.scope)?;
            let event = self.unless_stopped(job.id, Event::Begun { revision });
            let Some(begun) = self.job_after(&job, &event) else {
                return Ok(Outcome::Unchanged(false));
            };
            self.put_ended(tx, job.status, &begun)?;
            Ok(Outcome::Changed(begun.status == JobStatus::Running))
        });
        begun.map_err(ApiError::from)
    }

    /// Ends a job that has not come to its end, when it is still being done by this worker; answers what
    /// became of it.
    pub(super) fn end(&self, lease: &JobLease, fault: &Fault) -> Result<Job, ApiError> {
        let id = lease.job.id;
        let ended = self.write(|tx| {
            let Some(job) = running_job(tx, lease)? else {
                let gone = || ApiError::not_found(format!("job {id} is forgotten"));
                return Ok(Outcome::Unchanged(tx.job(id)?.ok_or_else(gone)?));
            };
            let event = match fault {
                Fault::Retry(error) => self.unless_stopped(id, Event::Failed { error }),
                Fault::Fatal(error) => Event::FailedForGood { error },
                Fault::Overtaken => {
                    let error = "another job changed the scope meanwhile";
                    self.unless_stopped(id, Event::Failed { error })
                }
                Fault::Stopped => Event::Stopped,
                Fault::Yielded | Fault::SessionBegan => self.unless_stopped(id, Event::Yielded),
            };
            let Some(ended) = self.job_after(&job, &event) else {
                return Ok(Outcome::Unchanged(job));
            };
            if matches!(fault, Fault::Retry(_) | Fault::Fatal(_)) {
                log::warn!("job {id} ({}) is {}: {}", job.job_type, ended.status, ended.last_error);
            }
            self.put_ended(tx, job.status, &ended)?;
            Ok(Outcome::Changed(ended))
        });
        ended.map_err(ApiError::from)
    }
}
