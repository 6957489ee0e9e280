//! What a report reads: all memories in one pass, and small lists.

use super::belief::{belief_columns, confidence_at};
use super::column::{Cells, Record, reader};
use super::{ReadTx, Result};
use robot_memory_core::api::{ConflictPair, DeadLetter, MaintenanceRun};
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

reader!(MaintenanceRun, select_run {
    job_id = "job_id",
    mode = "mode",
    scope = "scope",
    began_at = "began_at",
    ended_at = "ended_at",
    report = "report",
});

impl ReadTx<'_> {
    /// Calls `f` with each memory of any status, in order of id.
    pub fn each_reported(&self, mut f: impl FnMut(&ReportedMemory<'_>)) -> Result<()> {
        let sql = concat!(
            "SELECT id, type, status, mem_type, category, importance, access_count, created_at, \
             restored_at, known_at, iif(instr(context, '\"task\"') > 0 \
             OR instr(context, '_position\"') > 0, context, ''), ",
            belief_columns!(),
            " FROM memory ORDER BY id",
        );
        self.each(sql, [], |row| {
            f(&ReportedMemory {
                id: row.get(0)?,
                kind: row.cell(1, "type")?,
                status: row.cell(2, "status")?,
                mem_type: row.cell(3, "mem_type")?,
                category: row.cell(4, "category")?,
                confidence: confidence_at(row, 11)?,
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
        self.each(sql, [], |row| row.stamp(0).map(&mut f))
    }

    /// Calls `f` with when each session was begun.
    pub fn each_session_start(&self, mut f: impl FnMut(Stamp)) -> Result<()> {
        self.each("SELECT started_at FROM session", [], |row| row.stamp(0).map(&mut f))
    }

    /// The first pairs of active memories that contradict each other and that no rule settles.
    pub fn stored_conflicts(&self, limit: u32) -> Result<Vec<ConflictPair>> {
        let sql = "SELECT p.memory_id, p.other_id, p.reason, p.judged_by, p.judged_at \
                   FROM memory_pair p JOIN memory a ON a.id = p.memory_id \
                   JOIN memory b ON b.id = p.other_id \
                   WHERE p.verdict = 'conflict' AND a.status = 'active' AND b.status = 'active' \
                   ORDER BY p.judged_at DESC, p.memory_id, p.other_id LIMIT ?1";
        self.rows(sql, [limit], |row| {
            Ok(ConflictPair {
                memory_ids: [row.get(0)?, row.get(1)?],
                reason: row.get(2)?,
                judged_by: row.get(3)?,
                judged_at: row.stamp(4)?,
            })
        })
    }

    /// The last runs of maintenance, the newest first.
    pub fn last_runs(&self, limit: u32) -> Result<Vec<MaintenanceRun>> {
        let sql = select_run!("FROM maintenance_run ORDER BY job_id DESC LIMIT ?1");
        self.rows(sql, [limit], Record::read)
    }

    /// All jobs, counted by type and status, in order of these.
    pub fn job_type_totals(&self) -> Result<Vec<(JobType, JobStatus, u64)>> {
        let sql = "SELECT job_type, status, count(*) FROM job GROUP BY job_type, status";
        let mut totals = self.rows(sql, [], |row| {
            Ok((row.cell(0, "job.job_type")?, row.cell(1, "job.status")?, row.count(2)?))
        })?;
        totals.sort();
        Ok(totals)
    }

    /// The jobs that failed for good, the newest first.
    pub fn dead_letters(&self, limit: u32) -> Result<Vec<DeadLetter>> {
        let sql = "SELECT id, job_type, scope, scope_id, last_error, finished_at FROM job \
                   WHERE finished_at IS NOT NULL AND (status = 'dead_letter') = 1 \
                   ORDER BY finished_at DESC, id DESC LIMIT ?1";
        self.rows(sql, params![limit], |row| {
            Ok(DeadLetter {
                job_id: row.get(0)?,
                job_type: row.cell(1, "job.job_type")?,
                scope: row.cell::<JobScope>(2, "job.scope")?.to_string(),
                last_error: row.get(4)?,
                finished_at: Stamp(row.get::<_, i64>(5)?.saturating_mul(1_000_000)),
            })
        })
    }
}
