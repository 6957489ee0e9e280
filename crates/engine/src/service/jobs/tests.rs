//! The queue in a real store: what becomes of a job, and what is told of it.

mod bounds;
mod history;
mod world;

use super::{Fault, JobControl, JobDecision, JobLease, JobRun, Step};
use crate::db::Outcome;
use crate::operations::jobs::Enqueued;
use crate::{Config, Engine, JobChanges, MachineClock};
use robot_memory_core::limits::JOB_ENDS_MAX;
use robot_memory_core::model::{
    Clock, Job, JobProgress, JobScope, JobStatus, JobType, Scope, Stamp,
};
use robot_memory_db::JobDraft;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const START: i64 = 1_750_000_000_000;

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Option<Stamp> {
        Some(Stamp::from_secs(1_750_000_000))
    }
}

/// Works without a break.
struct Busy;

impl JobControl for Busy {
    fn between_steps(&self) -> JobDecision {
        JobDecision::On
    }
}

/// Wants to go home.
struct Leaving;

impl JobControl for Leaving {
    fn between_steps(&self) -> JobDecision {
        JobDecision::Yield
    }
}

struct Shop {
    engine: Engine,
    now: Arc<AtomicI64>,
    changes: JobChanges,
    folder: TempDir,
}

fn open(path: &Path, now: &Arc<AtomicI64>) -> Engine {
    let mut config = Config::at(path);
    let time = Arc::clone(now);
    config.jobs.clock = MachineClock::new(move || time.load(Ordering::SeqCst));
    config.jobs.has_workers = true;
    Engine::open(config, Arc::new(Noon)).expect("it opens").0
}

impl Shop {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let now = Arc::new(AtomicI64::new(START));
        let engine = open(&folder.path().join("memory.db"), &now);
        let changes = engine.job_changes(10_000);
        Self { engine, now, changes, folder }
    }

    /// As after a kill: nothing is closed or written any more.
    fn restart(self) -> Self {
        let Self { engine, now, folder, .. } = self;
        drop(engine);
        let engine = open(&folder.path().join("memory.db"), &now);
        let changes = engine.job_changes(10_000);
        Self { engine, now, changes, folder }
    }

    fn pass(&self, millis: i64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
    }

    fn try_queue(&self, scope: &str, key: &str) -> crate::Result<Enqueued> {
        let scope = JobScope::Of(Scope::parse(scope).expect("a scope"));
        self.engine.write(|tx| {
            let queued = self.engine.enqueue(
                tx,
                &JobDraft {
                    dedup_key: key.into(),
                    ..JobDraft::of(&scope, JobType::IngestTurn, "")
                },
            )?;
            Ok(Outcome::Changed(queued))
        })
    }

    fn queue(&self, scope: &str, key: &str) -> i64 {
        let queued = self.try_queue(scope, key).expect("it is queued");
        assert!(queued.created, "{key} was there");
        queued.job_id
    }

    fn claim(&self, worker: usize) -> Option<JobLease> {
        self.engine.claim_job(worker).expect("it is asked")
    }

    fn job(&self, id: i64) -> Job {
        self.engine.store.read(|tx| tx.job(id)).expect("it is read").expect("it is there")
    }

    fn is(&self, id: i64) -> (JobStatus, u32) {
        let job = self.job(id);
        (job.status, job.attempt_count)
    }

    fn work(&self, lease: &JobLease, body: impl FnOnce(&JobRun<'_>) -> Result<(), Fault>) -> Job {
        self.engine.perform(lease, &Busy, body).expect("it is worked on")
    }

    fn transitions(&self) -> Vec<(i64, Option<JobStatus>, JobStatus)> {
        let mut all = Vec::new();
        loop {
            let some = self.changes.next(Duration::ZERO);
            if some.is_empty() {
                return all;
            }
            all.extend(
                some.into_iter().map(|change| (change.job.id, change.before, change.job.status)),
            );
        }
    }
}

fn done(run: &JobRun<'_>) -> Result<(), Fault> {
    run.commit(|_| Ok(json!({"taken": 1})), |transitions| Step::Done(transitions)).map(drop)
}

fn fails(_: &JobRun<'_>) -> Result<(), Fault> {
    Err(Fault::Retry("the model is away".into()))
}

use JobStatus::{Cancelled, DeadLetter, Leased, Pending, RetryWaiting, Running, Succeeded};

#[test]
fn a_job_is_queued_once_done_once_and_told() {
    let shop = Shop::new();
    let id = shop.queue("session:a", "turn 1");
    let again = shop.try_queue("session:a", "turn 1").expect("it is asked");
    assert_eq!(again, Enqueued { job_id: id, created: false });
    let lease = shop.claim(0).expect("a job");
    assert_eq!((lease.job.id, lease.job.lease_owner.as_str()), (id, "run-1/worker-0"));
    assert_eq!(lease.job.lease_until, Some(START + 120_000));
    assert_eq!(shop.claim(1), None);
    let job = shop.work(&lease, done);
    assert_eq!((job.status, job.result.as_str()), (Succeeded, r#"{"taken":1}"#));
    assert_eq!((job.lease_owner.as_str(), job.lease_until), ("", None));
    assert_eq!(
        shop.transitions(),
        [
            (id, None, Pending),
            (id, Some(Pending), Leased),
            (id, Some(Leased), Running),
            (id, Some(Running), Succeeded),
        ]
    );
    let later = shop.queue("session:a", "turn 1");
    assert!(later > id, "its key is free again");
    assert_eq!(shop.job(later).based_on_revision, 1);
}

#[test]
fn one_scope_is_done_in_order_and_by_one_worker_at_a_time() {
    let shop = Shop::new();
    let [first, second] = ["a1", "a2"].map(|key| shop.queue("session:a", key));
    let other = shop.queue("session:b", "b1");
    let lease = shop.claim(0).expect("a job");
    assert_eq!(lease.job.id, first);
    assert_eq!(shop.claim(1).expect("another scope's").job.id, other);
    assert_eq!(shop.claim(2), None, "the scope is taken");
    let failed = shop.work(&lease, fails);
    assert_eq!((failed.status, failed.last_error.as_str()), (RetryWaiting, "the model is away"));
    assert!((START + 500..START + 1_000).contains(&failed.available_at));
    assert_eq!(shop.claim(2), None, "the scope waits for the retry");
    assert_eq!(shop.engine.next_job_at().expect("asked"), Some(failed.available_at));
    shop.pass(1_000);
    let lease = shop.claim(2).expect("it is tried again");
    assert_eq!((lease.job.id, lease.job.attempt_count), (first, 2));
    assert_eq!(shop.work(&lease, done).status, Succeeded);
    assert_eq!(shop.claim(2).expect("the next").job.id, second);
}

#[test]
fn after_so_many_attempts_a_job_is_given_up() {
    let shop = Shop::new();
    let id = shop.queue("session:a", "a");
    for attempt in 1..=5 {
        let lease = shop.claim(0).expect("it is tried again");
        let status = shop.work(&lease, fails).status;
        assert_eq!(status, if attempt < 5 { RetryWaiting } else { DeadLetter }, "{attempt}");
        shop.pass(30_000);
    }
    assert_eq!(shop.claim(0), None);
    let retried = shop.engine.write(|tx| {
        let job = tx.job(id)?.expect("it is there");
        Ok(Outcome::Changed(shop.engine.retry_job(tx, &job)?))
    });
    let retried = retried.expect("it can be retried");
    assert_eq!((retried.status, retried.attempt_count), (Pending, 0));
    assert_eq!((retried.last_error.as_str(), retried.finished_at), ("", None));
    let lease = shop.claim(0).expect("again");
    assert_eq!(shop.work(&lease, |_| Err(Fault::Fatal("no such turn".into()))).status, DeadLetter);
    assert_eq!(shop.engine.health().expect("health").jobs.dead_letter, 1);
}

#[test]
fn what_was_being_done_when_the_node_ended_is_done_again_at_once() {
    let shop = Shop::new();
    let [a, b] = ["session:a", "session:b"].map(|scope| shop.queue(scope, scope));
    let lease = shop.claim(0).expect("a job");
    shop.engine.begin(&lease).expect("begun");
    shop.claim(1).expect("a job");
    assert_eq!((shop.is(a), shop.is(b)), ((Running, 1), (Leased, 1)));
    let shop = shop.restart();
    // That the node ends is no attempt of theirs.
    assert_eq!((shop.is(a), shop.is(b)), ((Pending, 0), (Pending, 0)));
    let again = shop.claim(0).expect("a job");
    assert_eq!(again.job.lease_owner, "run-2/worker-0");
    assert_eq!(again.job.last_error, ended(1));
    assert!(!shop.engine.renew_lease(&lease).expect("asked"), "of an earlier run");
    let mut shop = shop;
    for _ in 0..2 * JOB_ENDS_MAX {
        shop = shop.restart();
        while shop.claim(0).is_some() {}
    }
    // Nothing of them was begun.
    assert_eq!((shop.is(a), shop.is(b)), ((Leased, 1), (Leased, 1)));
    let shop = shop.restart();
    assert_eq!((shop.is(a), shop.is(b)), ((Pending, 0), (Pending, 0)));
}

fn ended(count: u32) -> String {
    format!("the node ended while it was done ({count} of {JOB_ENDS_MAX} times at the same step)")
}

/// Does a job of so many steps from where it is; answers whether one was left to do before the node ended.
fn go_a_step(shop: &Shop, steps: u64, is_committed: bool) -> bool {
    let lease = shop.claim(0).expect("a job");
    assert!(shop.engine.begin(&lease).expect("asked"));
    let run = JobRun::of(&shop.engine, &lease, &Busy);
    let at = run.position().expect("read").and_then(|at| at.as_u64()).unwrap_or(0);
    if at == steps {
        done(&run).expect("it is done");
        return false;
    }
    if is_committed {
        let report =
            (JobProgress { step: "on it".into(), done: at + 1, total: steps }, json!(at + 1));
        let step = run.commit(|_| Ok(report), |(progress, at)| Step::More(progress, at));
        step.expect("committed");
    }
    true
}

#[test]
fn a_long_job_outlives_any_number_of_ends_of_the_node_and_goes_on_where_it_was() {
    let mut shop = Shop::new();
    let id = shop.queue("session:a", "a");
    let steps = 3 * u64::from(JOB_ENDS_MAX);
    let mut ends = 0;
    // Each step is killed before it is committed, and after that.
    while go_a_step(&shop, steps, ends % 2 == 1) {
        shop = shop.restart();
        assert_eq!(shop.is(id), (Pending, 0));
        ends += 1;
    }
    assert_eq!((shop.is(id), ends), ((Succeeded, 1), 2 * steps));
}

#[test]
fn a_job_at_whose_one_step_the_node_ends_again_and_again_is_given_up() {
    let mut shop = Shop::new();
    let [id, next] = ["a", "b"].map(|key| shop.queue("session:a", key));
    for attempt in 0..2 {
        // What was committed before counts no more.
        assert!(go_a_step(&shop, 9, true));
        for count in 1..=JOB_ENDS_MAX {
            shop = shop.restart();
            assert_eq!(shop.job(id).last_error, ended(count));
            if count < JOB_ENDS_MAX {
                assert_eq!(shop.is(id), (Pending, 0));
                go_a_step(&shop, 9, false);
            }
        }
        assert_eq!(shop.is(id).0, DeadLetter, "{attempt}");
        assert_eq!(shop.engine.health().expect("health").jobs.dead_letter, 1);
        let retried = shop.engine.write(|tx| {
            let job = tx.job(id)?.expect("it is there");
            Ok(Outcome::Changed(shop.engine.retry_job(tx, &job)?))
        });
        assert_eq!(retried.expect("retried").status, Pending);
    }
    assert_eq!(shop.is(next), (Pending, 0));
}

#[test]
fn whoever_is_silent_for_a_lease_is_overtaken_and_changes_nothing() {
    let shop = Shop::new();
    let id = shop.queue("session:a", "a");
    let slow = shop.claim(0).expect("a job");
    let mut quick = None;
    let ended = shop.work(&slow, |run| {
        shop.pass(80_000);
        assert!(shop.engine.renew_lease(&slow).expect("asked"));
        shop.pass(80_000);
        assert_eq!(shop.claim(1), None, "it said that it still works");
        shop.pass(40_000);
        // Even when the one that takes over calls itself the same.
        let lease = shop.claim(0).expect("it is taken over");
        assert!(shop.engine.begin(&lease).expect("asked"));
        quick = Some(lease);
        assert!(!shop.engine.renew_lease(&slow).expect("asked"));
        done(run)
    });
    assert_eq!((ended.status, ended.attempt_count), (Running, 2));
    let quick = quick.expect("it was overtaken");
    done(&JobRun::of(&shop.engine, &quick, &Busy)).expect("it is its own");
    assert_eq!(shop.is(id), (Succeeded, 2));
    let revision = shop.engine.store.read(|tx| tx.scope_revision(&shop.job(id).scope));
    assert_eq!(revision.expect("read"), 1, "done once");
}

#[test]
fn a_node_that_ends_hands_back_and_a_stopped_job_ends() {
    let shop = Shop::new();
    let id = shop.queue("session:a", "a");
    let lease = shop.claim(0).expect("a job");
    let step = |run: &JobRun<'_>| {
        let progress = JobProgress { step: "embedding".into(), done: 1, total: 3 };
        let report = (progress, json!(7));
        run.commit(|_| Ok(report), |(progress, at)| Step::More(progress, at)).map(drop)
    };
    let handed_back = shop.engine.perform(&lease, &Leaving, |run| {
        step(run)?;
        run.pause()?;
        unreachable!("it goes back")
    });
    let handed_back = handed_back.expect("worked on");
    assert_eq!((handed_back.status, handed_back.attempt_count), (Pending, 0));
    assert_eq!(handed_back.progress.done, 1);
    let lease = shop.claim(0).expect("again");
    let stopped = shop.work(&lease, |run| {
        assert_eq!(run.position()?, Some(json!(7)));
        assert!(shop.engine.stop_job(id).expect("asked"));
        run.pause()
    });
    assert_eq!(stopped.status, Cancelled);
    assert!(!shop.engine.stop_job(id).expect("asked"), "it has ended");
}
