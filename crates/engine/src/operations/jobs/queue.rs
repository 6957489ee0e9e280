//! What goes into the queue and out of it, beside the workers.

use super::Enqueued;
use crate::db::{Outcome, WriteTx};
use crate::{Error, JobSettings, Operations, Result};
use robot_memory_core::api::ApiError;
use robot_memory_core::jobs::{Event, Pacing, after};
use robot_memory_core::limits::{JOBS_FINISHED_MAX, JOBS_UNFINISHED_MAX};
use robot_memory_core::model::{Job, JobProgress, JobStatus};
use robot_memory_db::{self as store, JobDraft};

/// Jobs that end between two looks at how many finished ones there are.
const ENDED_BETWEEN_PRUNINGS: u64 = 64;

impl JobSettings {
    /// How long things may take.
    pub(crate) fn pacing(&self) -> Pacing {
        Pacing {
            lease_millis: self.lease_millis,
            backoff_base_millis: self.backoff_base_millis,
            backoff_max_millis: self.backoff_max_millis,
        }
    }
}

impl Operations {
    /// The machine's time, in milliseconds.
    pub(crate) fn machine_now(&self) -> i64 {
        self.config.jobs.clock.now_millis()
    }

    /// Queues a job in the transaction of what causes it. `unavailable` when too many wait.
    pub(crate) fn enqueue(&self, tx: &WriteTx<'_>, draft: &JobDraft<'_>) -> Result<Enqueued> {
        if let Some(job_id) = tx.job_of_key(&draft.dedup_key)? {
            return Ok(Enqueued { job_id, created: false });
        }
        let waiting = self.jobs.counts().total() + tx.queued_count() as u64;
        if waiting >= JOBS_UNFINISHED_MAX as u64 {
            return Err(Error::unavailable(format!(
                "{waiting} jobs are unfinished, and at most {JOBS_UNFINISHED_MAX} may be; try again \
                 when some are done"
            )));
        }
        let max_attempts = self.config.jobs.attempts_max.max(1);
        let job_id = tx.insert_job(draft, max_attempts, self.machine_now())?;
        Ok(Enqueued { job_id, created: true })
    }

    /// Puts a job that failed for good or was cancelled back into the queue, at its former place.
    /// `invalid_state` when it is another, or when the same work is queued by now.
    pub(crate) fn retry_job(&self, tx: &WriteTx<'_>, job: &Job) -> Result<Job> {
        let not_so = |why: String| Err(Error::invalid_state(why));
        let Some(retried) = self.job_after(job, &Event::Retried) else {
            return not_so(format!(
                "job {} is {}; only one that is dead_letter or cancelled can be retried",
                job.id, job.status
            ));
        };
        let key = tx.job_key(job.id)?.unwrap_or_default();
        if let Some(other) = tx.job_of_key(&key)? {
            return not_so(format!(
                "job {other} does the same as job {} and is unfinished",
                job.id
            ));
        }
        tx.put_job(job.status, &retried)?;
        // It begins anew.
        tx.put_job_progress(job.id, &JobProgress::default(), "")?;
        Ok(retried)
    }

    /// Takes a job that no worker has out of the queue. `invalid_state` when one has it, or when it
    /// has finished.
    pub(crate) fn cancel_job(&self, tx: &WriteTx<'_>, job: &Job) -> Result<Job> {
        match self.job_after(job, &Event::Cancelled) {
            Some(cancelled) => {
                self.put_ended(tx, job.status, &cancelled)?;
                Ok(cancelled)
            }
            None => Err(Error::invalid_state(format!(
                "job {} is {}; only one that is pending or retry_waiting can be cancelled",
                job.id, job.status
            ))),
        }
    }

    /// Lets a job that is being done stop between two steps and end as cancelled, and one that waits be
    /// cancelled at once. Answers whether it will; not when it has finished, or when there is none.
    pub fn stop_job(&self, job_id: i64) -> Result<bool, ApiError> {
        let stopped = self.write(|tx| {
            let Some(job) = tx.job(job_id)? else { return Ok(Outcome::Unchanged(false)) };
            if job.status.is_held() {
                self.jobs.ask_to_stop(job_id);
                return Ok(Outcome::Unchanged(true));
            }
            if job.status.is_finished() {
                return Ok(Outcome::Unchanged(false));
            }
            self.cancel_job(tx, &job)?;
            Ok(Outcome::Changed(true))
        });
        stopped.map_err(ApiError::from)
    }

    /// A job after an event that happens now; `None` when it cannot happen to it.
    pub(crate) fn job_after(&self, job: &Job, event: &Event<'_>) -> Option<Job> {
        after(job, event, self.machine_now(), &self.config.jobs.pacing())
    }

    /// Writes what became of a job, and forgets old ones now and then when it has ended.
    pub(crate) fn put_ended(
        &self,
        tx: &WriteTx<'_>,
        before: JobStatus,
        job: &Job,
    ) -> store::Result<()> {
        // Before it is one of them: who ended it may still ask for it, whatever the clock says.
        if job.status.is_finished() && self.jobs.ended().is_multiple_of(ENDED_BETWEEN_PRUNINGS) {
            tx.prune_jobs(JOBS_FINISHED_MAX - 1)?;
        }
        tx.put_job(before, job)
    }
}
