//! The table `job`: one row each, as it is read. The queue is in `queue`, what is known of each scope in
//! `scope_state`.

mod queue;
mod scope_state;

pub use queue::{JobCounts, JobDraft, JobTimes};
pub(super) use scope_state::select_scope_state;

use super::column::{Record, reader};
use super::{ReadTx, Result};
use robot_memory_core::model::Job;

reader!(Job, select_job {
    id = "job.id",
    scope = "job.scope, job.scope_id",
    job_type = "job.job_type",
    status = "job.status",
    turn_id = "job.turn_id",
    based_on_revision = "job.based_on_revision",
    payload = "job.payload",
    result = "job.result",
    progress = "job.step, job.done, job.total",
    attempt_count = "job.attempt_count",
    max_attempts = "job.max_attempts",
    available_at = "job.available_at",
    lease_owner = "job.lease_owner",
    lease_until = "job.lease_until",
    last_error = "job.last_error",
    agent = "job.agent",
    created_at = "job.created_at",
    updated_at = "job.updated_at",
    finished_at = "job.finished_at",
});
#[expect(clippy::single_component_path_imports, reason = "another macro makes it")]
pub(super) use select_job;

impl ReadTx<'_> {
    /// The job of this id.
    pub fn job(&self, id: i64) -> Result<Option<Job>> {
        self.row(select_job!("FROM job WHERE id = ?1"), [id], Record::read)
    }
}
