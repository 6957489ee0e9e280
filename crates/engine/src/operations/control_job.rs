//! GetJob, RetryJob, CancelJob: one job.

use super::check;
use super::jobs::JobVisibility;
use crate::db::{Outcome, WriteTx};
use crate::{Error, Operations, Result, Run};
use robot_memory_core::api::{
    CancelJob, CancelJobRequest, GetJob, GetJobRequest, JobResponse, RetryJob, RetryJobRequest,
};
use robot_memory_core::model::Job;
use robot_memory_db::ReadTx;

impl Run<GetJob> for Operations {
    fn run(&self, request: GetJobRequest) -> Result<JobResponse> {
        let GetJobRequest { job_id, agent } = request;
        self.check_agent(&agent)?;
        check::given_id("job_id", job_id)?;
        self.store.read(|tx| self.answered(tx, job_id, &agent))
    }
}

impl Run<RetryJob> for Operations {
    fn run(&self, request: RetryJobRequest) -> Result<JobResponse> {
        let RetryJobRequest { job_id, agent } = request;
        self.order_job(job_id, &agent, |tx, job| self.retry_job(tx, job))
    }
}

impl Run<CancelJob> for Operations {
    fn run(&self, request: CancelJobRequest) -> Result<JobResponse> {
        let CancelJobRequest { job_id, agent } = request;
        self.order_job(job_id, &agent, |tx, job| self.cancel_job(tx, job))
    }
}

impl Operations {
    /// Does to a job what its caller may order; answers it as it is then.
    fn order_job(
        &self,
        job_id: i64,
        agent: &str,
        order: impl Fn(&WriteTx<'_>, &Job) -> Result<Job>,
    ) -> Result<JobResponse> {
        self.check_agent(agent)?;
        check::given_id("job_id", job_id)?;
        self.write(|tx| {
            order(tx, &self.ordered(tx, job_id, agent)?)?;
            Ok(Outcome::Changed(self.answered(tx, job_id, agent)?))
        })
    }

    /// The job as its caller sees it.
    fn answered(&self, tx: &ReadTx<'_>, job_id: i64, agent: &str) -> Result<JobResponse> {
        let job = tx.job(job_id)?.ok_or_else(|| no_job(job_id))?;
        let now = self.machine_now();
        let shown = self.shown_job(tx, agent, &self.full_visibility(agent), job, now)?;
        shown.ok_or_else(|| no_job(job_id))
    }

    /// A job that its caller sees, and whose fate it may decide.
    fn ordered(&self, tx: &ReadTx<'_>, job_id: i64, agent: &str) -> Result<Job> {
        let job = tx.job(job_id)?.ok_or_else(|| no_job(job_id))?;
        let visibility =
            self.job_visibility(tx, agent, &self.full_visibility(agent), &job.scope)?;
        if visibility == JobVisibility::Nothing {
            return Err(no_job(job_id));
        }
        self.check_job_order(tx, agent, &job.scope)?;
        Ok(job)
    }
}

/// What is answered of an id that was never there, and of a job that the caller may not see.
fn no_job(job_id: i64) -> crate::Error {
    Error::not_found(format!("job_id: there is no job {job_id}"))
}
