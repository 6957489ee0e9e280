//! Who does which job, and until when.

use super::JobLease;
use crate::db::{Outcome, WriteTx};
use crate::{Engine, Result};
use robot_memory_core::api::ApiError;
use robot_memory_core::jobs::{Event, pulled_in};
use robot_memory_core::model::{Job, JobStatus};
use robot_memory_db::{self as store, JobTimes, ReadTx};

/// Jobs whose lease ran out, or whose times were pulled in, in one look for work; more of them wait for
/// the next one.
const REPAIRED_MAX: u32 = 64;

impl Engine {
    /// Takes the job that has waited for longest, for the worker of this number. `None`: nothing is to
    /// be done now. Puts jobs back whose worker has been silent for its whole lease.
    ///
    /// # Errors
    /// When the store cannot be written. A worker waits for a second or more before it asks again.
    pub fn claim_job(&self, worker: usize) -> Result<Option<JobLease>, ApiError> {
        let is_idle = self.store.read(|tx| self.is_idle(tx));
        if is_idle.map_err(super::Error::from)? {
            return Ok(None);
        }
        let claimed = self.write(|tx| {
            let is_repaired = self.repair_leases(tx)?;
            let Some(job) = tx.claimable_job(self.machine_now())? else {
                let none =
                    if is_repaired { Outcome::Changed(None) } else { Outcome::Unchanged(None) };
                return Ok(none);
            };
            let owner = self.jobs.owner(worker);
            let Some(leased) = self.job_after(&job, &Event::Claimed { owner: &owner }) else {
                return Ok(Outcome::Unchanged(None));
            };
            tx.put_job(job.status, &leased)?;
            let number = tx.count_claim(job.id)?;
            Ok(Outcome::Changed(Some(JobLease { job: leased, number })))
        });
        claimed.map_err(ApiError::from)
    }

    /// Says that a worker still works; answers whether the job is still its own. To be said a few times
    /// a lease.
    pub fn renew_lease(&self, lease: &JobLease) -> Result<bool, ApiError> {
        let renewed = self.write(|tx| {
            let Some(job) = own_job(tx, lease)? else { return Ok(Outcome::Unchanged(false)) };
            let Some(renewed) = self.job_after(&job, &Event::Renewed) else {
                return Ok(Outcome::Unchanged(false));
            };
            tx.put_job(job.status, &renewed)?;
            Ok(Outcome::Changed(true))
        });
        renewed.map_err(ApiError::from)
    }

    /// When a worker should ask again, in milliseconds of the machine's clock; `None`: when a job is
    /// queued.
    pub fn next_job_at(&self) -> Result<Option<i64>, ApiError> {
        let times = self.store.read(|tx| tx.job_times()).map_err(super::Error::from)?;
        let JobTimes { pending_since, retry_at, lease_until } = times;
        // What is pending can be done now, whatever the clock said when it was queued.
        let pending_since = pending_since.map(|since| since.min(self.machine_now()));
        Ok([pending_since, retry_at, lease_until].into_iter().flatten().min())
    }

    /// Puts back the jobs of workers of earlier runs of the store, which are gone: one process has it
    /// at a time.
    pub(crate) fn release_jobs(&self) -> Result<()> {
        self.write(|tx| {
            let held = tx.held_jobs()?;
            for job in &held {
                // One that was only taken had no part in it.
                let is_begun = job.status == JobStatus::Running;
                let count = if is_begun { tx.count_job_end(job.id)? } else { 0 };
                let error = "the node ended while it was done";
                self.release(tx, job, Event::Ended { error, count })?;
            }
            Ok(Outcome::of(!held.is_empty(), ()))
        })
    }

    /// Whether a look for work would find nothing at all.
    fn is_idle(&self, tx: &ReadTx<'_>) -> store::Result<bool> {
        let now = self.machine_now();
        let times = tx.job_times()?;
        Ok(times.pending_since.is_none()
            && times.retry_at.is_none_or(|at| at > now)
            && times.lease_until.is_none_or(|until| until > now)
            && tx.jobs_ahead(self.latest_times(now), 1)?.is_empty())
    }

    /// The latest times that there should be.
    fn latest_times(&self, now: i64) -> JobTimes {
        JobTimes {
            pending_since: Some(now),
            retry_at: Some(now.saturating_add(self.config.jobs.backoff_max_millis)),
            lease_until: Some(now.saturating_add(self.config.jobs.lease_millis)),
        }
    }

    /// Pulls in the times that a clock that was set back left far ahead, and puts back the jobs whose
    /// lease has run out; answers whether there were any.
    fn repair_leases(&self, tx: &WriteTx<'_>) -> Result<bool> {
        let now = self.machine_now();
        let pacing = self.config.jobs.pacing();
        let mut is_repaired = false;
        for job in tx.jobs_ahead(self.latest_times(now), REPAIRED_MAX)? {
            if let Some(pulled_in) = pulled_in(&job, now, &pacing) {
                tx.put_job(job.status, &pulled_in)?;
                is_repaired = true;
            }
        }
        for job in tx.lost_jobs(now, REPAIRED_MAX)? {
            let error = format!("{} did not renew its lease", job.lease_owner);
            self.release(tx, &job, Event::Lost { error: &error })?;
            is_repaired = true;
        }
        Ok(is_repaired)
    }

    /// Takes a job from its worker.
    fn release(&self, tx: &WriteTx<'_>, job: &Job, event: Event<'_>) -> store::Result<()> {
        let event = self.unless_stopped(job.id, event);
        match self.job_after(job, &event) {
            Some(released) => {
                log::warn!("job {} ({}): {}", job.id, job.job_type, released.last_error);
                self.put_ended(tx, job.status, &released)
            }
            None => Ok(()),
        }
    }

    /// What happens to a job that would go on later: when it shall stop, it does not.
    pub(super) fn unless_stopped<'e>(&self, job_id: i64, event: Event<'e>) -> Event<'e> {
        if self.jobs.shall_stop(job_id) { Event::Stopped } else { event }
    }
}

/// The job of a lease, when it is still that worker's.
pub(super) fn own_job(tx: &ReadTx<'_>, lease: &JobLease) -> store::Result<Option<Job>> {
    let Some(job) = tx.job(lease.job.id)? else { return Ok(None) };
    let is_own = job.status.is_held()
        && job.lease_owner == lease.job.lease_owner
        && tx.job_claim_count(job.id)? == lease.number;
    Ok(is_own.then_some(job))
}

/// The same, when it is being done.
pub(super) fn running_job(tx: &ReadTx<'_>, lease: &JobLease) -> store::Result<Option<Job>> {
    Ok(own_job(tx, lease)?.filter(|job| job.status == JobStatus::Running))
}
