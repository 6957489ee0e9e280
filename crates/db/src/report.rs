//! What a report reads: all memories in one pass, and small lists.

use super::belief::{belief_columns, believed};
use super::column::{Cells, Column};
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
        let sql = concat!(
            "SELECT id, type, status, mem_type, category, importance, access_count, created_at, \
             restored_at, known_at, iif(instr(context, '\"task\"') > 0 \
             OR instr(context, '_position\"') > 0, context, ''), ",
            belief_columns!("memory"),
            " FROM memory ORDER BY id",
        );
        self.each(sql, [], |row| {
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
                created_at: row.stamp(7)?,
                restored_at: row.optional_stamp(8)?,
                known_at: row.optional_stamp(9)?,
                context: row.str(10)?,
            });
            Ok(())
        })
    }

    /// Calls `f` with when each memory was archived that still is.
    pub fn each_archived_at(&self, mut f: impl FnMut(Stamp)) -> Result<()> {
        let sql = "SELECT max(l.changed_at) FROM memory m \
                   JOIN memory_ledger l ON l.memory_id = m.id WHERE m.status = 'archived' \
                   AND l.change = 'archived' GROUP BY m.id";
        self.each(sql, [], |row| {
            f(row.stamp(0)?);
            Ok(())
        })
    }

    /// Calls `f` with when each session was begun.
    pub fn each_session_start(&self, mut f: impl FnMut(Stamp)) -> Result<()> {
        self.each("SELECT started_at FROM session", [], |row| {
            f(row.stamp(0)?);
            Ok(())
        })
    }

    /// The first pairs of active memories that contradict each other and that no rule settles.
    pub fn stored_conflicts(&self, limit: u32) -> Result<Vec<StoredConflict>> {
        let sql = "SELECT p.memory_id, p.other_id, p.reason, p.judged_by, p.judged_at \
                   FROM memory_pair p JOIN memory a ON a.id = p.memory_id \
                   JOIN memory b ON b.id = p.other_id \
                   WHERE p.verdict = 'conflict' AND a.status = 'active' AND b.status = 'active' \
                   ORDER BY p.judged_at DESC, p.memory_id, p.other_id LIMIT ?1";
        self.rows(sql, [limit], |row| {
            Ok(StoredConflict {
                memory_ids: [row.get(0)?, row.get(1)?],
                reason: row.get(2)?,
                judged_by: row.get(3)?,
                judged_at: row.stamp(4)?,
            })
        })
    }

    /// The last runs of maintenance, the newest first.
    pub fn last_runs(&self, limit: u32) -> Result<Vec<StoredRun>> {
        let sql = "SELECT job_id, mode, scope, began_at, ended_at, report FROM maintenance_run \
                   ORDER BY job_id DESC LIMIT ?1";
        self.rows(sql, [limit], |row| {
            Ok(StoredRun {
                job_id: row.get(0)?,
                mode: row.get(1)?,
                scope: row.get(2)?,
                began_at: row.stamp(3)?,
                ended_at: row.optional_stamp(4)?,
                report: row.get(5)?,
            })
        })
    }

    /// All jobs, counted by type and status, in order of these.
    pub fn job_type_totals(&self) -> Result<Vec<(JobType, JobStatus, u64)>> {
        let sql = "SELECT job_type, status, count(*) FROM job GROUP BY job_type, status";
        let mut totals = self.rows(sql, [], |row| {
            let column = Column { row, id: 0 };
            Ok((
                column.text(0, "job.job_type", JobType::parse)?,
                column.text(1, "job.status", JobStatus::parse)?,
                row.count(2)?,
            ))
        })?;
        totals.sort();
        Ok(totals)
    }

    /// The jobs that failed for good, the newest first.
    pub fn dead_letters(&self, limit: u32) -> Result<Vec<StoredDeadLetter>> {
        let sql = "SELECT id, job_type, scope, scope_id, last_error, finished_at FROM job \
                   WHERE finished_at IS NOT NULL AND (status = 'dead_letter') = 1 \
                   ORDER BY finished_at DESC, id DESC LIMIT ?1";
        self.rows(sql, params![limit], |row| {
            let id = row.get(0)?;
            let text = row.str(1)?;
            let wrong = || Error::Row { id, column: "job.job_type" };
            Ok(StoredDeadLetter {
                job_id: id,
                job_type: JobType::parse(text).ok_or_else(wrong)?,
                scope: job_scope(row, 2, 3, id)?,
                last_error: row.get(4)?,
                finished_at: row.get(5)?,
            })
        })
    }
}
