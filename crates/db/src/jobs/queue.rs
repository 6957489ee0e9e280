//! The order of the jobs: which one is next, and what every change of one keeps true.
//!
//! Of each scope one unfinished job is the head: the one that a worker has, else the first by id. Only
//! heads are claimed, so that what waits behind them costs nothing.

use super::select_job;
use crate::column::Record;
use crate::statement::{statements, whole};
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
        select_job!("FROM job INDEXED BY ", $($rest),+)
    };
}

/// A job that is not stored yet.
pub struct JobDraft<'a> {
    pub scope: &'a JobScope,
    pub job_type: JobType,
    /// No two unfinished jobs have the same.
    pub dedup_key: String,
    /// Empty: none.
    pub turn_id: &'a str,
    /// A JSON object.
    pub payload: serde_json::Value,
    pub agent: &'a str,
}

impl<'a> JobDraft<'a> {
    /// One that is told no more than its type, of which one waits at a time.
    pub fn of(scope: &'a JobScope, job_type: JobType, agent: &'a str) -> Self {
        let (dedup_key, payload) = (job_type.to_string(), serde_json::json!({}));
        Self { scope, job_type, dedup_key, turn_id: "", payload, agent }
    }
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
    statements! {
        /// Jobs whose lease has run out, at most so many.
        pub fn lost_jobs(now: i64, limit: u32) -> rows<Job> =
            jobs_by!("job_held \
                WHERE lease_until IS NOT NULL AND lease_until <= ?1 \
                ORDER BY lease_until, id LIMIT ?2");

        /// All jobs that workers have.
        pub fn held_jobs() -> rows<Job> =
            jobs_by!("job_held \
                WHERE lease_until IS NOT NULL ORDER BY id");

        /// Whether a step waits to be taken in, and no job of its scope is before it.
        pub fn has_waiting_turn() -> exists =
            concat!("SELECT 1 FROM job INDEXED BY job_claimable WHERE ",
                claimable!(),
                " AND status = 'pending' AND job_type = 'ingest_turn'");

        /// The job of a scope that may be done.
        pub fn head_job(scope: &JobScope) [scope.kind(), scope.id()] -> row<Job> =
            jobs_by!("job_head \
                WHERE scope = ?1 AND scope_id = ?2 AND is_head = 1");

        /// The unfinished job with this key.
        pub fn job_of_key(dedup_key: &str) -> value<i64> =
            concat!("SELECT id FROM job INDEXED BY job_by_key WHERE dedup_key = ?1 AND ",
                unfinished!()
            );

        /// The key of a job.
        pub fn job_key(id: i64) -> value<String> = "SELECT dedup_key FROM job WHERE id = ?1";

        /// How often a job was ever taken; 0 when there is none.
        pub fn job_claim_count(id: i64) -> or_default<i64> =
            "SELECT claim_count FROM job WHERE id = ?1";

        /// From where a job goes on: JSON, or empty.
        pub fn job_position(id: i64) -> or_default<String> =
            "SELECT position FROM job WHERE id = ?1";

        /// How many jobs have this status.
        pub fn job_count(status: JobStatus) [status.as_str()] -> count =
            "SELECT count(*) FROM job INDEXED BY job_by_status WHERE status = ?1";

        /// How often the store was opened for writing.
        pub fn run() -> one<i64> = "SELECT run FROM store_state WHERE id = 1";
    }

    /// The job that may be begun now and has waited for longest.
    pub fn claimable_job(&self, now: i64) -> Result<Option<Job>> {
        let pending: Option<Job> = self.row(
            jobs_by!(
                "job_claimable WHERE ",
                claimable!(),
                " AND status = 'pending' ORDER BY available_at, id LIMIT 1"
            ),
            [],
            Record::read,
        )?;
        let failed = self.row(
            jobs_by!(
                "job_claimable WHERE ",
                claimable!(),
                " AND status = 'retry_waiting' AND available_at <= ?1 \
                ORDER BY available_at, id LIMIT 1"
            ),
            [now],
            Record::read,
        )?;
        Ok([pending, failed].into_iter().flatten().min_by_key(|job| (job.available_at, job.id)))
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
            Record::read,
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
                Record::read,
            )?);
        }
        Ok(jobs)
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

    /// Unfinished jobs by their status.
    pub fn job_counts(&self) -> Result<JobCounts> {
        let mut counts = JobCounts::default();
        for status in JobStatus::ALL.iter().filter(|status| !status.is_finished()) {
            counts.count(*status, self.job_count(*status)?.cast_signed());
        }
        Ok(counts)
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
    statements! {
        /// Counts that a job is taken; answers how often it ever was.
        pub fn count_claim(id: i64) -> one<i64> =
            "UPDATE job SET claim_count = claim_count + 1 WHERE id = ?1 RETURNING claim_count";

        /// Counts that the node ended while a job was being done; answers how often it did since the last step
        /// from which it goes on was committed.
        pub fn count_job_end(id: i64) -> one<u32> =
            "UPDATE job SET end_count = end_count + 1 WHERE id = ?1 RETURNING end_count";

        /// Writes what a job needs to know, for its next attempt.
        pub fn put_job_payload(id: i64, payload: &str) -> execute =
            "UPDATE job SET payload = ?2 WHERE id = ?1";

        /// Writes how far a job is and from where it goes on; with an empty position, it begins anew.
        pub fn put_job_progress(id: i64, progress: &JobProgress, position: &str)
            [id, progress.step, whole(progress.done), whole(progress.total), position] -> execute =
            "UPDATE job SET step = ?2, done = ?3, total = ?4, position = ?5, \
             end_count = CASE WHEN position = ?5 THEN end_count ELSE 0 END WHERE id = ?1";

        /// Forgets finished jobs beyond so many, the oldest first, those that failed for good after all
        /// others.
        pub fn prune_jobs(kept_max: usize) [whole(kept_max)] -> execute =
            "DELETE FROM job WHERE id IN (SELECT id FROM job INDEXED BY job_finished \
             WHERE finished_at IS NOT NULL ORDER BY status = 'dead_letter', finished_at, id \
             LIMIT max(0, (SELECT count(*) FROM job WHERE finished_at IS NOT NULL) - ?1))";
    }

    /// Stores a pending job and answers its id; `now` in milliseconds of the machine's clock.
    ///
    /// # Errors
    /// Also when an unfinished job [has its key](ReadTx::job_of_key).
    pub fn insert_job(&self, draft: &JobDraft<'_>, max_attempts: u32, now: i64) -> Result<i64> {
        let based_on_revision = self.scope_revision(draft.scope)?;
        let id = self.one(
            "INSERT INTO job (scope, scope_id, job_type, status, dedup_key, turn_id, \
             based_on_revision, payload, result, step, done, total, position, attempt_count, \
             max_attempts, available_at, lease_owner, last_error, agent, created_at, updated_at) \
             VALUES (?1, ?2, ?3, 'pending', ?4, ?5, ?6, ?7, '', '', 0, 0, '', 0, ?8, ?9, '', \
             '', ?10, ?9, ?9) RETURNING id",
            params![
                draft.scope.kind(),
                draft.scope.id(),
                draft.job_type.as_str(),
                draft.dedup_key,
                draft.turn_id,
                based_on_revision,
                draft.payload.to_string(),
                max_attempts,
                now,
                draft.agent,
            ],
        )?;
        self.know_scope(draft.scope, now)?;
        self.choose_head(draft.scope)?;
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
                whole(job.progress.done),
                whole(job.progress.total),
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
