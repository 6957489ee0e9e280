//! The order of the jobs: which one is next, and what every change of one keeps true.
//!
//! Of each scope one unfinished job is the head: the one that a worker has, else the first by id. Only
//! heads are claimed, so that what waits behind them costs nothing.

use super::{job, job_columns};
use crate::{Error, ReadTx, Result, WriteTx};
use robot_memory_core::model::{Job, JobChange, JobProgress, JobScope, JobStatus, JobType};
use rusqlite::params;

/// What is in the queue: the condition of its indexes, word for word.
macro_rules! unfinished {
    () => {
        "status IN ('pending', 'leased', 'running', 'retry_waiting')"
    };
}
/// What may be claimed, now or later: the condition of its index, word for word.
macro_rules! claimable {
    () => {
        "is_head = 1 AND status IN ('pending', 'retry_waiting')"
    };
}

/// Reads jobs by an index; what follows is its name and the conditions.
macro_rules! jobs_by {
    ($($rest:expr),+ $(,)?) => {
        concat!("SELECT ", job_columns!(), " FROM job INDEXED BY ", $($rest),+)
    };
}

/// A job that is not stored yet.
pub struct JobInsert<'a> {
    pub scope: &'a JobScope,
    pub job_type: JobType,
    /// No two unfinished jobs have the same.
    pub dedup_key: &'a str,
    pub turn_id: &'a str,
    /// A JSON object.
    pub payload: &'a str,
    pub max_attempts: u32,
    pub agent: &'a str,
    /// Milliseconds of the machine's clock.
    pub created_at: i64,
}

/// When there is something to do, in milliseconds of the machine's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobTimes {
    /// Since when the job has waited that has waited for longest.
    pub pending_since: Option<i64>,
    /// When the first of those that failed is tried again.
    pub retry_at: Option<i64>,
    /// When the first lease runs out.
    pub lease_until: Option<i64>,
}

/// Unfinished jobs by their status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobCounts {
    pub pending: u64,
    pub held: u64,
    pub retry_waiting: u64,
}

impl ReadTx<'_> {
    /// The job that may be begun now and has waited for longest.
    pub fn claimable_job(&self, now: i64) -> Result<Option<Job>> {
        let pending = self.row(
            jobs_by!(
                "job_claimable WHERE ",
                claimable!(),
                " AND status = 'pending' ORDER BY available_at, id LIMIT 1"
            ),
            [],
            job,
        )?;
        let failed = self.row(
            jobs_by!(
                "job_claimable WHERE ",
                claimable!(),
                " AND status = 'retry_waiting' AND available_at <= ?1 \
                ORDER BY available_at, id LIMIT 1"
            ),
            [now],
            job,
        )?;
        Ok([pending, failed].into_iter().flatten().min_by_key(|job| (job.available_at, job.id)))
    }

    /// Jobs whose lease has run out, at most so many.
    pub fn lost_jobs(&self, now: i64, limit: u32) -> Result<Vec<Job>> {
        self.rows(
            jobs_by!(
                "job_held \
                 WHERE lease_until IS NOT NULL AND lease_until <= ?1 \
                 ORDER BY lease_until, id LIMIT ?2"
            ),
            params![now, limit],
            job,
        )
    }

    /// Heads whose times are later than these: since when they wait, when they are tried again, until
    /// when they are leased. At most so many of each.
    pub fn jobs_ahead(&self, latest: JobTimes, limit: u32) -> Result<Vec<Job>> {
        let [pending_since, retry_at, lease_until] =
            [latest.pending_since, latest.retry_at, latest.lease_until]
                .map(|latest| latest.unwrap_or(i64::MAX));
        let mut jobs = self.rows(
            jobs_by!(
                "job_held \
                 WHERE lease_until IS NOT NULL AND lease_until > ?1 LIMIT ?2"
            ),
            params![lease_until, limit],
            job,
        )?;
        for (status, latest) in
            [(JobStatus::Pending, pending_since), (JobStatus::RetryWaiting, retry_at)]
        {
            jobs.extend(self.rows(
                jobs_by!(
                    "job_claimable WHERE ",
                    claimable!(),
                    " AND status = ?1 AND available_at > ?2 \
                    ORDER BY available_at, id LIMIT ?3"
                ),
                params![status.as_str(), latest, limit],
                job,
            )?);
        }
        Ok(jobs)
    }

    /// All jobs that workers have.
    pub fn held_jobs(&self) -> Result<Vec<Job>> {
        self.rows(
            jobs_by!(
                "job_held \
                 WHERE lease_until IS NOT NULL ORDER BY id"
            ),
            [],
            job,
        )
    }

    /// When there is something to do.
    pub fn job_times(&self) -> Result<JobTimes> {
        let sql = concat!(
            "SELECT min(available_at) FROM job INDEXED BY job_claimable WHERE ",
            claimable!(),
            " AND status = ?1"
        );
        let pending_since = self.one(sql, [JobStatus::Pending.as_str()])?;
        let retry_at = self.one(sql, [JobStatus::RetryWaiting.as_str()])?;
        let lease_until = self.one(
            "SELECT min(lease_until) FROM job INDEXED BY job_held WHERE lease_until IS NOT NULL",
            [],
        )?;
        Ok(JobTimes { pending_since, retry_at, lease_until })
    }

    /// Whether a step waits to be taken in, and no job of its scope is before it.
    pub fn has_waiting_turn(&self) -> Result<bool> {
        let sql = concat!(
            "SELECT 1 FROM job INDEXED BY job_claimable WHERE ",
            claimable!(),
            " AND status = 'pending' AND job_type = 'ingest_turn'"
        );
        self.exists(sql, [])
    }

    /// The job of a scope that may be done.
    pub fn head_job(&self, scope: &JobScope) -> Result<Option<Job>> {
        self.row(
            jobs_by!(
                "job_head \
                 WHERE scope = ?1 AND scope_id = ?2 AND is_head = 1"
            ),
            params![scope.kind(), scope.id()],
            job,
        )
    }

    /// The unfinished job with this key.
    pub fn job_of_key(&self, dedup_key: &str) -> Result<Option<i64>> {
        let sql = concat!(
            "SELECT id FROM job INDEXED BY job_by_key WHERE dedup_key = ?1 AND ",
            unfinished!()
        );
        self.value(sql, [dedup_key])
    }

    /// The key of a job.
    pub fn job_key(&self, id: i64) -> Result<Option<String>> {
        self.value("SELECT dedup_key FROM job WHERE id = ?1", [id])
    }

    /// How often a job was ever taken; 0 when there is none.
    pub fn job_claim_count(&self, id: i64) -> Result<i64> {
        Ok(self.value("SELECT claim_count FROM job WHERE id = ?1", [id])?.unwrap_or(0))
    }

    /// From where a job goes on: JSON, or empty.
    pub fn job_position(&self, id: i64) -> Result<String> {
        Ok(self.value("SELECT position FROM job WHERE id = ?1", [id])?.unwrap_or_default())
    }

    /// Unfinished jobs by their status.
    pub fn job_counts(&self) -> Result<JobCounts> {
        let mut counts = JobCounts::default();
        for status in JobStatus::ALL.iter().filter(|status| !status.is_finished()) {
            counts.count(*status, self.job_count(*status)?.cast_signed());
        }
        Ok(counts)
    }

    /// How many jobs have this status.
    pub fn job_count(&self, status: JobStatus) -> Result<u64> {
        let sql = "SELECT count(*) FROM job INDEXED BY job_by_status WHERE status = ?1";
        self.count(sql, [status.as_str()])
    }

    /// How often the store was opened for writing.
    pub fn run(&self) -> Result<i64> {
        self.one("SELECT run FROM store_state WHERE id = 1", [])
    }
}

impl JobCounts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.pending + self.held + self.retry_waiting
    }

    /// Counts so many more, or less, of a status; finished ones are not counted.
    pub fn count(&mut self, status: JobStatus, more: i64) {
        let count = match status {
            JobStatus::Pending => &mut self.pending,
            JobStatus::Leased | JobStatus::Running => &mut self.held,
            JobStatus::RetryWaiting => &mut self.retry_waiting,
            JobStatus::Succeeded | JobStatus::DeadLetter | JobStatus::Cancelled => return,
        };
        *count = count.saturating_add_signed(more);
    }
}

impl WriteTx<'_> {
    /// Stores a pending job and answers its id.
    ///
    /// # Errors
    /// Also when an unfinished job [has its key](ReadTx::job_of_key).
    pub fn insert_job(&self, insert: &JobInsert<'_>) -> Result<i64> {
        let based_on_revision = self.scope_revision(insert.scope)?;
        let id = self.one(
            "INSERT INTO job (scope, scope_id, job_type, status, dedup_key, turn_id, \
             based_on_revision, payload, result, step, done, total, position, attempt_count, \
             max_attempts, available_at, lease_owner, last_error, agent, created_at, updated_at) \
             VALUES (?1, ?2, ?3, 'pending', ?4, ?5, ?6, ?7, '', '', 0, 0, '', 0, ?8, ?9, '', \
             '', ?10, ?9, ?9) RETURNING id",
            params![
                insert.scope.kind(),
                insert.scope.id(),
                insert.job_type.as_str(),
                insert.dedup_key,
                insert.turn_id,
                based_on_revision,
                insert.payload,
                insert.max_attempts,
                insert.created_at,
                insert.agent,
            ],
        )?;
        self.know_scope(insert.scope, insert.created_at)?;
        self.choose_head(insert.scope)?;
        let job = self.job(id)?.ok_or(Error::Row { id, column: "job.id" })?;
        self.note(JobChange { job, before: None });
        Ok(id)
    }

    /// Writes what became of a job, and notes it when its status is another.
    pub fn put_job(&self, before: JobStatus, job: &Job) -> Result<()> {
        self.execute(
            "UPDATE job SET status = ?2, is_head = is_head AND ?3 IS NULL, \
             based_on_revision = ?4, result = ?5, step = ?6, done = ?7, total = ?8, \
             attempt_count = ?9, available_at = ?10, lease_owner = ?11, lease_until = ?12, \
             last_error = ?13, updated_at = ?14, finished_at = ?3 WHERE id = ?1",
            params![
                job.id,
                job.status.as_str(),
                job.finished_at,
                job.based_on_revision,
                job.result,
                job.progress.step,
                i64::try_from(job.progress.done).unwrap_or(i64::MAX),
                i64::try_from(job.progress.total).unwrap_or(i64::MAX),
                job.attempt_count,
                job.available_at,
                job.lease_owner,
                job.lease_until,
                job.last_error,
                job.updated_at,
            ],
        )?;
        if before != job.status {
            self.choose_head(&job.scope)?;
            self.note(JobChange { job: job.clone(), before: Some(before) });
        }
        Ok(())
    }

    /// Counts that a job is taken; answers how often it ever was.
    pub fn count_claim(&self, id: i64) -> Result<i64> {
        let sql =
            "UPDATE job SET claim_count = claim_count + 1 WHERE id = ?1 RETURNING claim_count";
        self.one(sql, [id])
    }

    /// Counts that the node ended while a job was being done; answers how often it did since the last step
    /// from which it goes on was committed.
    pub fn count_job_end(&self, id: i64) -> Result<u32> {
        let sql = "UPDATE job SET end_count = end_count + 1 WHERE id = ?1 RETURNING end_count";
        self.one(sql, [id])
    }

    /// Writes what a job needs to know, for its next attempt.
    pub fn put_job_payload(&self, id: i64, payload: &str) -> Result<()> {
        let sql = "UPDATE job SET payload = ?2 WHERE id = ?1";
        self.execute(sql, params![id, payload])
    }

    /// Writes how far a job is and from where it goes on; with an empty position, it begins anew.
    pub fn put_job_progress(&self, id: i64, progress: &JobProgress, position: &str) -> Result<()> {
        self.execute(
            "UPDATE job SET step = ?2, done = ?3, total = ?4, position = ?5, \
             end_count = CASE WHEN position = ?5 THEN end_count ELSE 0 END WHERE id = ?1",
            params![
                id,
                progress.step,
                i64::try_from(progress.done).unwrap_or(i64::MAX),
                i64::try_from(progress.total).unwrap_or(i64::MAX),
                position,
            ],
        )
    }

    /// Forgets finished jobs beyond so many, the oldest first, those that failed for good after all
    /// others.
    pub fn prune_jobs(&self, kept_max: usize) -> Result<()> {
        let kept = i64::try_from(kept_max).unwrap_or(i64::MAX);
        self.execute(
            "DELETE FROM job WHERE id IN (SELECT id FROM job INDEXED BY job_finished \
             WHERE finished_at IS NOT NULL ORDER BY status = 'dead_letter', finished_at, id \
             LIMIT max(0, (SELECT count(*) FROM job WHERE finished_at IS NOT NULL) - ?1))",
            [kept],
        )
    }

    /// Says which job of a scope may be done: the head that a worker has, else the first unfinished.
    fn choose_head(&self, scope: &JobScope) -> Result<()> {
        let (kind, name) = (scope.kind(), scope.id());
        let head: Option<(i64, bool)> = self.row(
            "SELECT id, lease_until IS NOT NULL FROM job INDEXED BY job_head \
             WHERE scope = ?1 AND scope_id = ?2 AND is_head = 1",
            [kind, &name],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        if let Some((_, true)) = head {
            return Ok(());
        }
        let sql = concat!(
            "SELECT min(id) FROM job INDEXED BY job_unfinished \
             WHERE scope = ?1 AND scope_id = ?2 AND ",
            unfinished!()
        );
        let first: Option<i64> = self.one(sql, params![kind, name])?;
        let head = head.map(|(id, _)| id);
        if head != first {
            let sql = "UPDATE job SET is_head = ?2 WHERE id = ?1";
            // There is never more than one.
            if let Some(head) = head {
                self.execute(sql, params![head, false])?;
            }
            if let Some(first) = first {
                self.execute(sql, params![first, true])?;
            }
        }
        Ok(())
    }

    fn note(&self, change: JobChange) {
        self.job_changes.borrow_mut().push(change);
    }
}
