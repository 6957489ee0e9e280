//! What a status is made of: counts that an index answers.

use super::column::{Cells, Column};
use super::jobs::job_scope;
use super::{ReadTx, Result};
use robot_memory_core::model::{JobScope, JobStatus, MemType, Scope, Stamp, Status};

/// How many rows of one status, scope and life cycle class are not active.
pub struct InactiveTotal {
    pub status: Status,
    pub scope: Scope,
    pub mem_type: MemType,
    pub count: u64,
}

/// How many jobs of a scope have a status.
pub struct JobTotal {
    pub status: JobStatus,
    pub scope: JobScope,
    pub count: u64,
}

impl ReadTx<'_> {
    /// The rows that are not active, counted, in order of status, scope and class.
    pub fn inactive_totals(&self) -> Result<Vec<InactiveTotal>> {
        let sql = "SELECT status, scope, mem_type, count(*), min(id) FROM memory \
                   WHERE status <> 'active' GROUP BY status, scope, mem_type";
        self.rows(sql, [], |row| {
            let column = Column { row, id: row.get(4)? };
            Ok(InactiveTotal {
                status: column.text(0, "status", Status::parse)?,
                scope: column.scope(1)?,
                mem_type: column.text(2, "mem_type", MemType::parse)?,
                count: row.count(3)?,
            })
        })
    }

    /// The same, counted by status alone, which is half of the work.
    pub fn inactive_status_totals(&self) -> Result<Vec<(Status, u64)>> {
        let sql =
            "SELECT status, count(*), min(id) FROM memory WHERE status <> 'active' GROUP BY status";
        self.rows(sql, [], |row| {
            let column = Column { row, id: row.get(2)? };
            let status = column.text(0, "status", Status::parse)?;
            Ok((status, row.count(1)?))
        })
    }

    /// All jobs, counted by status.
    pub fn job_status_totals(&self) -> Result<Vec<(JobStatus, u64)>> {
        self.rows("SELECT status, count(*) FROM job GROUP BY status", [], |row| {
            Ok((job_status(row, 0)?, row.count(1)?))
        })
    }

    /// All jobs, counted by scope and status, in order of these.
    pub fn job_totals(&self) -> Result<Vec<JobTotal>> {
        let sql =
            "SELECT status, scope, scope_id, count(*) FROM job GROUP BY scope, scope_id, status";
        self.rows(sql, [], |row| {
            Ok(JobTotal {
                status: job_status(row, 0)?,
                scope: job_scope(row, 1, 2, 0)?,
                count: row.count(3)?,
            })
        })
    }

    /// Sessions that nobody ended; of this agent, or of anybody.
    pub fn open_session_count(&self, agent: Option<&str>) -> Result<u64> {
        self.count(
            "SELECT count(*) FROM session \
             WHERE status = 'open' AND (?1 IS NULL OR agent = ?1)",
            [agent],
        )
    }

    /// The pairs of memories that contradict each other and that no rule settles, in order; one of
    /// them may be active no longer.
    pub fn all_conflict_pairs(&self) -> Result<Vec<(i64, i64)>> {
        self.rows(
            "SELECT memory_id, other_id FROM memory_pair WHERE verdict = 'conflict' \
             ORDER BY memory_id, other_id",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
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

    /// Bytes of the clips that are kept.
    pub fn clip_bytes(&self) -> Result<u64> {
        self.count("SELECT coalesce(sum(clip_bytes), 0) FROM event WHERE clip <> ''", [])
    }
}

fn job_status(row: &rusqlite::Row<'_>, place: usize) -> Result<JobStatus> {
    Column { row, id: 0 }.text(place, "job.status", JobStatus::parse)
}
