//! The tables of maintenance: its runs, what each did in which scope, and when each scope had its last.

use super::{ReadTx, Result, WriteTx};
use crate::statement::{statements, whole};
use robot_memory_core::limits::MAINTENANCE_RUNS_MAX;
use robot_memory_core::model::Stamp;
use rusqlite::params;

/// When a scope was last looked after; of `all`: every scope, in one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MaintainedAt {
    /// The end of its last run, of either mode.
    pub daily: Option<Stamp>,
    /// The end of its last weekly run.
    pub weekly: Option<Stamp>,
}

impl ReadTx<'_> {
    statements! {
        /// What a run did in the scopes that it is done with and that are told of, in order of the scope:
        /// scope and JSON.
        pub fn maintenance_parts(job_id: i64) -> rows<(String, String)> =
            "SELECT scope, report FROM maintenance_part WHERE job_id = ?1 ORDER BY scope";

        /// Whether a session of this run is open.
        pub fn has_open_session() -> exists =
            "SELECT 1 FROM session INDEXED BY session_open \
             WHERE status = 'open' AND run = (SELECT run FROM store_state WHERE id = 1)";

        /// Jobs whose report is still to be told, by id, at most so many, with it (JSON; empty when it is
        /// forgotten).
        pub fn unpublished_reports(limit: usize) [whole(limit)] -> rows<(i64, String)> =
            "SELECT u.job_id, coalesce(nullif(j.result, ''), r.report, '') \
             FROM maintenance_untold u LEFT JOIN job j ON j.id = u.job_id \
             LEFT JOIN maintenance_run r ON r.job_id = u.job_id ORDER BY u.job_id LIMIT ?1";
    }

    /// When a scope, or `all`, was last looked after.
    pub fn maintained_at(&self, scope: &str) -> Result<MaintainedAt> {
        let sql = "SELECT daily_at, weekly_at FROM maintenance_state WHERE scope = ?1";
        let found = self.row(sql, [scope], |row| {
            let (daily, weekly): (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
            Ok(MaintainedAt { daily: daily.map(Stamp), weekly: weekly.map(Stamp) })
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Up to which time work that is due by the clock was queued; `None`: never.
    pub fn served_until(&self, work: &str) -> Result<Option<Stamp>> {
        let until =
            self.value("SELECT served_until FROM schedule_state WHERE work = ?1", [work])?;
        Ok(until.map(Stamp))
    }
}

impl WriteTx<'_> {
    statements! {
        /// Notes what a run did in a scope (JSON).
        pub fn put_maintenance_part(job_id: i64, scope: &str, report: &str) -> execute =
            "INSERT OR REPLACE INTO maintenance_part (job_id, scope, report) VALUES (?1, ?2, ?3)";

        /// Notes that a scope, or `all`, was looked after. A weekly run is a daily one, too.
        pub fn put_maintained(scope: &str, is_weekly: bool, at: Stamp)
            [scope, at.0, is_weekly.then_some(at.0)] -> execute =
            "INSERT INTO maintenance_state (scope, daily_at, weekly_at) VALUES (?1, ?2, ?3) \
             ON CONFLICT (scope) DO UPDATE SET daily_at = excluded.daily_at, \
             weekly_at = coalesce(excluded.weekly_at, weekly_at)";

        /// Notes that the report of a job is still to be told.
        pub fn note_unpublished(job_id: i64) -> execute =
            "INSERT OR IGNORE INTO maintenance_untold (job_id) VALUES (?1)";

        /// Notes that the report of a job was told.
        pub fn forget_unpublished(job_id: i64) -> execute =
            "DELETE FROM maintenance_untold WHERE job_id = ?1";

        /// Notes up to which time work that is due by the clock was queued.
        pub fn put_served_until(work: &str, until: Stamp) [work, until.0] -> execute =
            "INSERT INTO schedule_state (work, served_until) VALUES (?1, ?2) \
             ON CONFLICT (work) DO UPDATE SET served_until = excluded.served_until";
    }

    /// Notes that a run began; one of the same job begins anew.
    pub fn begin_maintenance_run(
        &self,
        job_id: i64,
        mode: &str,
        scope: &str,
        began_at: Stamp,
    ) -> Result<()> {
        self.execute("DELETE FROM maintenance_part WHERE job_id = ?1", [job_id])?;
        self.execute(
            "INSERT OR REPLACE INTO maintenance_run (job_id, mode, scope, began_at, ended_at, \
             report) VALUES (?1, ?2, ?3, ?4, NULL, '')",
            params![job_id, mode, scope, began_at.0],
        )
    }

    /// Notes the report (JSON) of a run, which ends with it and is still to be told. Of older runs only
    /// so many are remembered as are kept.
    pub fn end_maintenance_run(&self, job_id: i64, ended_at: Stamp, report: &str) -> Result<()> {
        self.execute(
            "UPDATE maintenance_run SET ended_at = ?2, report = ?3 WHERE job_id = ?1",
            params![job_id, ended_at.0, report],
        )?;
        // Parts of runs that were cancelled, or that begin anew when they are tried again.
        self.execute(
            "DELETE FROM maintenance_part WHERE job_id = ?1 OR job_id NOT IN (SELECT id FROM job \
             WHERE status IN ('pending', 'leased', 'running', 'retry_waiting'))",
            [job_id],
        )?;
        self.execute(
            "DELETE FROM maintenance_run WHERE job_id NOT IN (SELECT job_id \
             FROM maintenance_run ORDER BY job_id DESC LIMIT ?1)",
            [whole(MAINTENANCE_RUNS_MAX)],
        )?;
        self.note_unpublished(job_id)
    }
}
