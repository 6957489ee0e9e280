//! What a report reads: all memories in one pass, and small lists.

use super::belief::{belief_columns, believed};
use super::column::Column;
use super::jobs::job_scope;
use super::{Error, ReadTx, Result};
use robot_memory_core::model::{
    Category, JobScope, JobStatus, JobType, Kind, MemType, Stamp, Status,
};
use rusqlite::params;

/// What a report needs of a memory.
pub struct ReportedMemory<'r> {
    pub id: i64,
    pub kind: Kind,
    pub status: Status,
    pub mem_type: MemType,
    pub category: Option<Category>,
    pub confidence: f64,
    pub importance: f64,
    pub access_count: u32,
    pub created_at: Stamp,
    pub restored_at: Option<Stamp>,
    pub known_at: Option<Stamp>,
    /// JSON; empty when it tells neither of a task nor of a place.
    pub context: &'r str,
}

/// A row of `memory_pair` that is in conflict.
pub struct StoredConflict {
    pub memory_ids: [i64; 2],
    pub reason: String,
    pub judged_by: String,
    pub judged_at: Stamp,
}

/// A row of `maintenance_run`.
pub struct StoredRun {
    pub job_id: i64,
    pub mode: String,
    pub scope: String,
    pub began_at: Stamp,
    pub ended_at: Option<Stamp>,
    pub report: String,
}

/// A job in `dead_letter`, of which times are milliseconds.
pub struct StoredDeadLetter {
    pub job_id: i64,
    pub job_type: JobType,
    pub scope: JobScope,
    pub last_error: String,
    pub finished_at: i64,
}

impl ReadTx<'_> {
    /// Calls `f` with each memory of any status, in order of id.
    pub fn each_reported(&self, mut f: impl FnMut(&ReportedMemory<'_>)) -> Result<()> {
        let mut statement = self.connection.prepare_cached(concat!(
            "SELECT id, type, status, mem_type, category, importance, access_count, created_at, \
             restored_at, known_at, \
             iif(instr(context, '\"task\"') > 0 OR instr(context, '_position\"') > 0, context, ''), ",
            belief_columns!("memory"),
            " FROM memory ORDER BY id",
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            let column = Column { row, id };
            f(&ReportedMemory {
                id,
                kind: column.text(1, "type", Kind::parse)?,
                status: column.text(2, "status", Status::parse)?,
                mem_type: column.text(3, "mem_type", MemType::parse)?,
                category: column.optional_text(4, "category", Category::parse)?,
                confidence: believed(row, 11)?.now.confidence(),
                importance: row.get(5)?,
                access_count: row.get(6)?,
                created_at: Stamp(row.get(7)?),
                restored_at: row.get::<_, Option<i64>>(8)?.map(Stamp),
                known_at: row.get::<_, Option<i64>>(9)?.map(Stamp),
                context: row.get_ref(10)?.as_str().map_err(rusqlite::Error::from)?,
            });
        }
        Ok(())
    }

    /// Calls `f` with when each memory was archived that still is.
    pub fn each_archived_at(&self, mut f: impl FnMut(Stamp)) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT max(l.changed_at) FROM memory m JOIN memory_ledger l ON l.memory_id = m.id \
             WHERE m.status = 'archived' AND l.change = 'archived' GROUP BY m.id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            f(Stamp(row.get(0)?));
        }
        Ok(())
    }

    /// Calls `f` with when each session was begun.
    pub fn each_session_start(&self, mut f: impl FnMut(Stamp)) -> Result<()> {
        let mut statement = self.connection.prepare_cached("SELECT started_at FROM session")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            f(Stamp(row.get(0)?));
        }
        Ok(())
    }

    /// The first pairs of active memories that contradict each other and that no rule settles.
    pub fn stored_conflicts(&self, limit: u32) -> Result<Vec<StoredConflict>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT p.memory_id, p.other_id, p.reason, p.judged_by, p.judged_at \
             FROM memory_pair p JOIN memory a ON a.id = p.memory_id \
             JOIN memory b ON b.id = p.other_id \
             WHERE p.verdict = 'conflict' AND a.status = 'active' AND b.status = 'active' \
             ORDER BY p.judged_at DESC, p.memory_id, p.other_id LIMIT ?1",
        )?;
        let conflicts = statement.query_map([limit], |row| {
            Ok(StoredConflict {
                memory_ids: [row.get(0)?, row.get(1)?],
                reason: row.get(2)?,
                judged_by: row.get(3)?,
                judged_at: Stamp(row.get(4)?),
            })
        })?;
        Ok(conflicts.collect::<std::result::Result<_, _>>()?)
    }

    /// The last runs of maintenance, the newest first.
    pub fn last_runs(&self, limit: u32) -> Result<Vec<StoredRun>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT job_id, mode, scope, began_at, ended_at, report FROM maintenance_run \
             ORDER BY job_id DESC LIMIT ?1",
        )?;
        let runs = statement.query_map([limit], |row| {
            Ok(StoredRun {
                job_id: row.get(0)?,
                mode: row.get(1)?,
                scope: row.get(2)?,
                began_at: Stamp(row.get(3)?),
                ended_at: row.get::<_, Option<i64>>(4)?.map(Stamp),
                report: row.get(5)?,
            })
        })?;
        Ok(runs.collect::<std::result::Result<_, _>>()?)
    }

    /// All jobs, counted by type and status, in order of these.
    pub fn job_type_totals(&self) -> Result<Vec<(JobType, JobStatus, u64)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT job_type, status, count(*) FROM job GROUP BY job_type, status",
        )?;
        let mut rows = statement.query([])?;
        let mut totals = Vec::new();
        while let Some(row) = rows.next()? {
            let text = |place| row.get_ref(place)?.as_str().map_err(rusqlite::Error::from);
            let wrong = |column| Error::Row { id: 0, column };
            totals.push((
                JobType::parse(text(0)?).ok_or_else(|| wrong("job.job_type"))?,
                JobStatus::parse(text(1)?).ok_or_else(|| wrong("job.status"))?,
                row.get::<_, i64>(2)?.unsigned_abs(),
            ));
        }
        totals.sort();
        Ok(totals)
    }

    /// The jobs that failed for good, the newest first.
    pub fn dead_letters(&self, limit: u32) -> Result<Vec<StoredDeadLetter>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, job_type, scope, scope_id, last_error, finished_at FROM job \
             WHERE finished_at IS NOT NULL AND (status = 'dead_letter') = 1 \
             ORDER BY finished_at DESC, id DESC LIMIT ?1",
        )?;
        let mut rows = statement.query(params![limit])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            let text = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
            let wrong = || Error::Row { id, column: "job.job_type" };
            found.push(StoredDeadLetter {
                job_id: id,
                job_type: JobType::parse(text).ok_or_else(wrong)?,
                scope: job_scope(row, 2, 3, id)?,
                last_error: row.get(4)?,
                finished_at: row.get(5)?,
            });
        }
        Ok(found)
    }
}
