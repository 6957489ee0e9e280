//! Who wants to hear of each change of a job, and what is known of the queue beside the store.

use super::Db;
use super::listener::{ListenerSet, Subscription};
use crate::Error;
use robot_memory_core::model::{JobChange, JobStatus};
use robot_memory_db::{JobCounts, Locked};
use std::collections::BTreeSet;
use std::fmt::{self, Debug, Formatter};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The changes of jobs, in the order of their commits.
pub type JobChanges = Subscription<JobChange>;

type Wake = Box<dyn Fn() -> bool + Send + Sync>;

/// What is known of the queue beside the store: all of it can be lost with the process.
#[derive(Default)]
pub(crate) struct JobQueue {
    listeners: ListenerSet<JobChange>,
    wakes: Mutex<Vec<Wake>>,
    /// Unfinished jobs, kept in step with the commits.
    counts: Mutex<JobCounts>,
    /// Jobs that were begun and shall stop.
    stops: Mutex<BTreeSet<i64>>,
    /// Jobs that ended since the start.
    ended: AtomicU64,
    /// Jobs in dead_letter when they were counted last.
    dead_letter: AtomicU64,
    /// Which run of the store this is.
    run: i64,
}

impl JobQueue {
    /// Of a store in its `run`-th run, with so many unfinished jobs.
    pub fn of(run: i64, counts: JobCounts) -> Self {
        Self { run, counts: Mutex::new(counts), ..Self::default() }
    }

    /// Names a worker.
    pub fn owner(&self, worker: usize) -> String {
        format!("run-{}/worker-{worker}", self.run)
    }

    /// Which run of the store this is.
    pub fn run(&self) -> i64 {
        self.run
    }

    /// Begins anew with so many unfinished jobs.
    pub fn recount(&self, counts: JobCounts) {
        *self.counts.locked() = counts;
        self.stops.locked().clear();
    }

    /// Lets workers look for a job.
    pub fn wake(&self) {
        self.wakes.locked().retain(|wake| wake());
    }

    /// Unfinished jobs as of the last commit.
    pub fn counts(&self) -> JobCounts {
        *self.counts.locked()
    }

    /// How many changes those who listen now were not told of.
    pub fn dropped(&self) -> u64 {
        self.listeners.dropped()
    }

    /// Asks for a job to be stopped.
    pub fn ask_to_stop(&self, job_id: i64) {
        self.stops.locked().insert(job_id);
    }

    /// Whether a job shall stop.
    pub fn shall_stop(&self, job_id: i64) -> bool {
        self.stops.locked().contains(&job_id)
    }

    /// How many jobs ended since the start.
    pub fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    /// Tells of committed changes. Called in the order of commits.
    pub fn publish(&self, changes: Vec<JobChange>) {
        if changes.is_empty() {
            return;
        }
        self.follow(&changes);
        // Whatever became of a job, another may be the next.
        self.wake();
        self.listeners.publish(changes);
    }

    fn follow(&self, changes: &[JobChange]) {
        let counts = &mut *self.counts.locked();
        for JobChange { job, before } in changes {
            if let Some(before) = before {
                counts.count(*before, -1);
            }
            counts.count(job.status, 1);
            if job.status.is_finished() {
                self.ended.fetch_add(1, Ordering::Relaxed);
                self.stops.locked().remove(&job.id);
            }
        }
    }
}

impl Debug for JobQueue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobQueue").field("run", &self.run).finish_non_exhaustive()
    }
}

/// How the background jobs are doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobsHealth {
    /// Jobs that wait for a worker, or for one before them.
    pub pending: u64,
    /// Jobs that workers have.
    pub held: u64,
    /// Jobs that failed and wait to be tried again.
    pub retry_waiting: u64,
    /// Jobs that failed for good, of those that are remembered.
    pub dead_letter: u64,
    /// Changes of jobs that who listens was not told of, because too many waited.
    pub unpublished: u64,
}

impl Db {
    /// Listens to what becomes of jobs from now on; `waiting_max` changes may wait to be taken.
    pub fn job_changes(&self, waiting_max: usize) -> JobChanges {
        self.jobs.listeners.add(waiting_max)
    }

    /// Calls `wake` after each commit that changed a job: then a worker may find one to do. It is
    /// called while nobody else can write, so it must be quick and may not call the engine: it sets a
    /// flag or a permit, such as that of tokio's `Notify`. A worker takes the permit before it asks
    /// for a job, so that what is queued in between is not missed, and sleeps until the next one, or
    /// until [`next_job_at`](crate::Engine::next_job_at): that is a time of the machine's clock, which may jump, so it
    /// sleeps for some seconds at most. It answers whether it is still wanted.
    pub fn wake_on_jobs(&self, wake: impl Fn() -> bool + Send + Sync + 'static) {
        self.jobs.wakes.locked().push(Box::new(wake));
    }

    /// How the jobs are doing: from what is kept in step with the commits, and from the store what is not.
    pub(crate) fn jobs_health(&self) -> JobsHealth {
        let counted = self.store.read(|tx| {
            let stored = if self.store.is_reading_only() { Some(tx.job_counts()?) } else { None };
            Ok::<_, Error>((tx.job_count(JobStatus::DeadLetter)?, stored))
        });
        // A store that cannot be read is told of by those who need what is in it.
        let stored = counted.ok().and_then(|(dead_letter, stored)| {
            self.jobs.dead_letter.store(dead_letter, Ordering::Relaxed);
            stored
        });
        // Another process may change what is only read.
        let JobCounts { pending, held, retry_waiting } =
            stored.unwrap_or_else(|| self.jobs.counts());
        let dead_letter = self.jobs.dead_letter.load(Ordering::Relaxed);
        let unpublished = self.jobs.dropped();
        JobsHealth { pending, held, retry_waiting, dead_letter, unpublished }
    }
}
