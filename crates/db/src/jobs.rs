//! The table `job`: one row each, as it is read. The queue is in `queue`, what is known of each scope in
//! `scope_state`.

mod queue;
mod scope_state;

pub use queue::{JobCounts, JobInsert, JobTimes};
pub(super) use scope_state::{scope_state, scope_state_columns, scope_state_tables};

use super::column::{Cells, Column};
use super::{Error, ReadTx, Result};
use robot_memory_core::model::{Job, JobProgress, JobScope, JobStatus, JobType};
use rusqlite::Row;

/// What [`job`] reads, in this order; of the table `job`.
macro_rules! job_columns {
    () => {
        "job.id, job.scope, job.scope_id, job.job_type, job.status, job.turn_id, \
         job.based_on_revision, job.payload, job.result, job.step, job.done, job.total, \
         job.attempt_count, job.max_attempts, job.available_at, job.lease_owner, job.lease_until, \
         job.last_error, job.agent, job.created_at, job.updated_at, job.finished_at"
    };
}
pub(super) use job_columns;

/// Reads a row of [`job_columns`].
pub(super) fn job(row: &Row<'_>) -> Result<Job> {
    let id = row.get(0)?;
    let column = Column { row, id };
    Ok(Job {
        id,
        scope: job_scope(row, 1, 2, id)?,
        job_type: column.text(3, "job.job_type", JobType::parse)?,
        status: column.text(4, "job.status", JobStatus::parse)?,
        turn_id: row.get(5)?,
        based_on_revision: row.get(6)?,
        payload: row.get(7)?,
        result: row.get(8)?,
        progress: JobProgress { step: row.get(9)?, done: row.count(10)?, total: row.count(11)? },
        attempt_count: row.get(12)?,
        max_attempts: row.get(13)?,
        available_at: row.get(14)?,
        lease_owner: row.get(15)?,
        lease_until: row.get(16)?,
        last_error: row.get(17)?,
        agent: row.get(18)?,
        created_at: row.get(19)?,
        updated_at: row.get(20)?,
        finished_at: row.get(21)?,
    })
}

/// The scope of a row, whose kind and name are in these columns; `id` is for the error.
pub(super) fn job_scope(row: &Row<'_>, kind: usize, name: usize, id: i64) -> Result<JobScope> {
    JobScope::parse(row.str(kind)?, row.str(name)?)
        .map_err(|_| Error::Row { id, column: "job.scope" })
}

impl ReadTx<'_> {
    /// The job of this id.
    pub fn job(&self, id: i64) -> Result<Option<Job>> {
        let sql = concat!("SELECT ", job_columns!(), " FROM job WHERE id = ?1");
        self.row(sql, [id], job)
    }
}
