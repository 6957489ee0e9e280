//! What a status is made of: counts that an index answers.

use super::column::Column;
use super::jobs::job_scope;
use super::{Error, ReadTx, Result};
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
        let mut statement = self.connection.prepare_cached(
            "SELECT status, scope, mem_type, count(*), min(id) FROM memory \
             WHERE status <> 'active' GROUP BY status, scope, mem_type",
        )?;
        let mut rows = statement.query([])?;
        let mut totals = Vec::new();
        while let Some(row) = rows.next()? {
            let column = Column { row, id: row.get(4)? };
            totals.push(InactiveTotal {
                status: column.text(0, "status", Status::parse)?,
                scope: column.scope(1)?,
                mem_type: column.text(2, "mem_type", MemType::parse)?,
                count: row.get::<_, i64>(3)?.unsigned_abs(),
            });
        }
        Ok(totals)
    }

    /// The same, counted by status alone, which is half of the work.
    pub fn inactive_status_totals(&self) -> Result<Vec<(Status, u64)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT status, count(*), min(id) FROM memory WHERE status <> 'active' GROUP BY status",
        )?;
        let mut rows = statement.query([])?;
        let mut totals = Vec::new();
        while let Some(row) = rows.next()? {
            let column = Column { row, id: row.get(2)? };
            let status = column.text(0, "status", Status::parse)?;
            totals.push((status, row.get::<_, i64>(1)?.unsigned_abs()));
        }
        Ok(totals)
    }

    /// All jobs, counted by status.
    pub fn job_status_totals(&self) -> Result<Vec<(JobStatus, u64)>> {
        let mut statement =
            self.connection.prepare_cached("SELECT status, count(*) FROM job GROUP BY status")?;
        let mut rows = statement.query([])?;
        let mut totals = Vec::new();
        while let Some(row) = rows.next()? {
            totals.push((job_status(row, 0)?, row.get::<_, i64>(1)?.unsigned_abs()));
        }
        Ok(totals)
    }

    /// All jobs, counted by scope and status, in order of these.
    pub fn job_totals(&self) -> Result<Vec<JobTotal>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT status, scope, scope_id, count(*) FROM job GROUP BY scope, scope_id, status",
        )?;
        let mut rows = statement.query([])?;
        let mut totals = Vec::new();
        while let Some(row) = rows.next()? {
            totals.push(JobTotal {
                status: job_status(row, 0)?,
                scope: job_scope(row, 1, 2, 0)?,
                count: row.get::<_, i64>(3)?.unsigned_abs(),
            });
        }
        Ok(totals)
    }

    /// Sessions that nobody ended; of this agent, or of anybody.
    pub fn open_session_count(&self, agent: Option<&str>) -> Result<u64> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*) FROM session \
             WHERE status = 'open' AND (?1 IS NULL OR agent = ?1)",
        )?;
        Ok(statement.query_row([agent], |row| row.get::<_, i64>(0))?.unsigned_abs())
    }

    /// The pairs of memories that contradict each other and that no rule settles, in order; one of
    /// them may be active no longer.
    pub fn all_conflict_pairs(&self) -> Result<Vec<(i64, i64)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT memory_id, other_id FROM memory_pair WHERE verdict = 'conflict' \
             ORDER BY memory_id, other_id",
        )?;
        let pairs = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(pairs.collect::<std::result::Result<_, _>>()?)
    }

    /// When the first of the memories and sessions that are still there was stored.
    pub fn first_stored_at(&self) -> Result<Option<Stamp>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT min(at) FROM (SELECT (SELECT created_at FROM memory ORDER BY id LIMIT 1) AS at \
             UNION ALL SELECT min(started_at) FROM session)",
        )?;
        Ok(statement.query_row([], |row| row.get::<_, Option<i64>>(0))?.map(Stamp))
    }

    /// Bytes of the clips that are kept.
    pub fn clip_bytes(&self) -> Result<u64> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT coalesce(sum(clip_bytes), 0) FROM event WHERE clip <> ''")?;
        Ok(statement.query_row([], |row| row.get::<_, i64>(0))?.unsigned_abs())
    }
}

fn job_status(row: &rusqlite::Row<'_>, place: usize) -> Result<JobStatus> {
    let text = row.get_ref(place)?.as_str().map_err(rusqlite::Error::from)?;
    JobStatus::parse(text).ok_or(Error::Row { id: 0, column: "job.status" })
}
