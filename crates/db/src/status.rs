//! What a status is made of: counts that an index answers.

use super::column::{Cells, record};
use super::{ReadTx, Result};
use crate::statement::statements;
use robot_memory_core::model::{JobScope, JobStatus, MemType, Scope, Stamp, Status};

record! {
    /// How many rows of one status, scope and life cycle class are not active.
    pub struct InactiveTotal, select_inactive by "min(id)" {
        pub status: Status = "status",
        pub scope: Scope = "scope",
        pub mem_type: MemType = "mem_type",
        pub count: u64 = "count(*)",
    }
}

record! {
    /// How many jobs of a scope have a status.
    pub struct JobTotal, select_jobs {
        pub status: JobStatus = "job.status",
        pub scope: JobScope = "job.scope, job.scope_id",
        pub count: u64 = "count(*)",
    }
}

impl ReadTx<'_> {
    statements! {
        /// The rows that are not active, counted, in order of status, scope and class.
        pub fn inactive_totals() -> rows<InactiveTotal> =
            select_inactive!(
                "FROM memory WHERE status <> 'active' GROUP BY status, scope, mem_type"
            );

        /// All jobs, counted by scope and status, in order of these.
        pub fn job_totals() -> rows<JobTotal> =
            select_jobs!("FROM job GROUP BY scope, scope_id, status");

        /// Sessions that nobody ended; of this agent, or of anybody.
        pub fn open_session_count(agent: Option<&str>) -> count =
            "SELECT count(*) FROM session \
             WHERE status = 'open' AND (?1 IS NULL OR agent = ?1)";

        /// The pairs of memories that contradict each other and that no rule settles, in order; one of
        /// them may be active no longer.
        pub fn all_conflict_pairs() -> rows<(i64, i64)> =
            "SELECT memory_id, other_id FROM memory_pair WHERE verdict = 'conflict' \
             ORDER BY memory_id, other_id";

        /// Bytes of the clips that are kept.
        pub fn clip_bytes() -> count =
            "SELECT coalesce(sum(clip_bytes), 0) FROM event WHERE clip <> ''";
    }

    /// The same, counted by status alone, which is half of the work.
    pub fn inactive_status_totals(&self) -> Result<Vec<(Status, u64)>> {
        let sql =
            "SELECT min(id), status, count(*) FROM memory WHERE status <> 'active' GROUP BY status";
        self.rows(sql, [], |row| Ok((row.cell(1, "status")?, row.count(2)?)))
    }

    /// All jobs, counted by status.
    pub fn job_status_totals(&self) -> Result<Vec<(JobStatus, u64)>> {
        self.rows("SELECT status, count(*) FROM job GROUP BY status", [], |row| {
            Ok((row.cell(0, "job.status")?, row.count(1)?))
        })
    }

    /// When the first of the memories and sessions that are still there was stored.
    pub fn first_stored_at(&self) -> Result<Option<Stamp>> {
        let first: Option<i64> = self.one(
            "SELECT min(at) FROM (SELECT (SELECT created_at FROM memory ORDER BY id LIMIT 1) AS at \
             UNION ALL SELECT min(started_at) FROM session)",
            [],
        )?;
        Ok(first.map(Stamp))
    }
}
