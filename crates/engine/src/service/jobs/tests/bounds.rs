//! What is bounded, what is undone, and what goes wrong beside the jobs themselves.

use super::*;
use crate::db::JobQueue;
use crate::operations::jobs::waits_for;
use crate::{Error, JobSettings};
use robot_memory_core::api::{
    ApiError, CommitTurn, CommitTurnRequest, ErrorKind, StartSession, StartSessionRequest,
};
use robot_memory_core::limits::{JOB_ERROR_CHARS_MAX, JOBS_UNFINISHED_MAX};
use robot_memory_db::{JobCounts, JobDraft};
use std::sync::atomic::AtomicUsize;

#[test]
fn a_job_goes_with_the_part_of_the_transaction_that_queued_it() {
    let shop = Shop::new();
    let scope = JobScope::Of(Scope::Global);
    let draft =
        |key: &str| JobDraft { dedup_key: key.into(), ..JobDraft::of(&scope, JobType::Embed, "") };
    let kept = shop.engine.write(|tx| {
        let undone = tx.savepoint(|| {
            shop.engine.enqueue(tx, &draft("undone"))?;
            Err::<(), Error>(Error::invalid_argument("no"))
        });
        assert!(undone.is_err());
        Ok(Outcome::Changed(shop.engine.enqueue(tx, &draft("kept"))?.job_id))
    });
    let kept = kept.expect("written");
    assert_eq!(shop.transitions(), [(kept, None, Pending)]);
    let failed: crate::Result<()> = shop.engine.write(|tx| {
        shop.engine.enqueue(tx, &draft("all undone"))?;
        Err(Error::invalid_argument("no"))
    });
    assert!(failed.is_err());
    assert_eq!(shop.transitions(), []);
    assert_eq!(shop.claim(0).map(|lease| lease.job.id), Some(kept));
    assert_eq!(shop.engine.health().expect("health").jobs.held, 1);
}

#[test]
fn a_full_queue_takes_no_more_and_says_so() {
    let mut shop = Shop::new();
    let pending = JOBS_UNFINISHED_MAX as u64 - 1;
    shop.engine.operations.db.jobs = JobQueue::of(1, JobCounts { pending, ..Default::default() });
    let id = shop.queue("global", "the last");
    let Err(Error::Api(error)) = shop.try_queue("global", "one more") else { panic!("taken") };
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("at most 100000"), "{error}");
    let known = shop.try_queue("global", "the last").expect("it is there");
    assert_eq!(known, Enqueued { job_id: id, created: false });
}

/// What a step would have queued beside itself waits for the next one; its facts do not.
#[test]
fn a_full_queue_keeps_no_step_from_being_taken_in() {
    let mut shop = Shop::new();
    shop.engine.operations.db.config.jobs.compaction.count_min = 1;
    shop.engine.operations.db.config.jobs.compaction.keep_newest = 0;
    shop.engine.operations.db.config.jobs.compaction.sources_min = 1;
    let session_id = {
        let begun = shop.engine.call::<StartSession>(StartSessionRequest::default());
        begun.expect("a session").session_id
    };
    let step = |shop: &Shop, turn_no: u32| {
        let text = "The tray is full.".into();
        let (session_id, rest) = (session_id.clone(), Default::default());
        let request = CommitTurnRequest { session_id, turn_no, text, ..rest };
        shop.engine.call::<CommitTurn>(request).expect("handed over").job_id
    };
    let first = step(&shop, 1);
    let pending = JOBS_UNFINISHED_MAX as u64;
    shop.engine.operations.db.jobs = JobQueue::of(1, JobCounts { pending, ..Default::default() });
    let lease = shop.claim(0).expect("a job");
    let done = shop.engine.work(&lease, &Busy).expect("it is worked on");
    assert_eq!((done.id, done.status), (first, Succeeded), "{}", done.last_error);
    assert!(!done.result.contains("compaction_job_id"), "{}", done.result);
    shop.engine.operations.db.jobs = JobQueue::of(1, JobCounts::default());
    step(&shop, 2);
    let lease = shop.claim(0).expect("a job");
    let done = shop.engine.work(&lease, &Busy).expect("it is worked on");
    assert!(done.result.contains("compaction_job_id"), "{}", done.result);
}

#[test]
fn of_finished_jobs_the_oldest_are_forgotten_and_failures_last() {
    let shop = Shop::new();
    let mut ids = Vec::new();
    for number in 0..8 {
        ids.push(shop.queue("global", &number.to_string()));
        let lease = shop.claim(0).expect("a job");
        shop.work(&lease, |run| match number {
            0 | 5 => Err(Fault::Fatal("no".into())),
            _ => done(run),
        });
        shop.pass(1_000);
    }
    let left = |kept_max| {
        let pruned = shop.engine.write(|tx| Ok(Outcome::Changed(tx.prune_jobs(kept_max)?)));
        pruned.expect("forgotten");
        let is_left = |id: &i64| shop.engine.store.read(|tx| tx.job(*id)).expect("read").is_some();
        ids.iter().map(|id| if is_left(id) { 'x' } else { '.' }).collect::<String>()
    };
    assert_eq!(left(8), "xxxxxxxx");
    assert_eq!(left(5), "x...xxxx");
    assert_eq!(left(2), "x....x..");
    assert_eq!(left(1), ".....x..");
    assert!(shop.queue("global", "more") > ids[7], "an id is never used again");
}

#[test]
fn a_panic_in_a_job_is_a_failure_that_tells_no_text() {
    let shop = Shop::new();
    shop.queue("global", "a");
    let lease = shop.claim(0).expect("a job");
    let job = shop.work(&lease, |_| panic!("the password is swordfish"));
    assert_eq!(job.status, RetryWaiting);
    assert_eq!(job.last_error, "a fault of this program, which the node's log names");
    shop.pass(30_000);
    let lease = shop.claim(0).expect("again");
    let job = shop.work(&lease, |_| Err(Fault::Retry("x".repeat(9_999))));
    assert_eq!(job.last_error.len(), JOB_ERROR_CHARS_MAX);
    shop.pass(30_000);
    let lease = shop.claim(0).expect("again");
    let job = shop.work(&lease, |run| {
        let refused = ApiError { kind: ErrorKind::Refused, message: "swordfish".into() };
        run.commit(|_| Err::<serde_json::Value, _>(refused.into()), |it| Step::Done(it)).map(drop)
    });
    assert_eq!((job.status, job.last_error.contains("swordfish")), (DeadLetter, false));
    let id = shop.queue("global", "b");
    let lease = shop.claim(0).expect("the next");
    let job = shop.work(&lease, |_| Ok(()));
    assert_eq!((job.id, job.status), (id, DeadLetter), "it said nothing");
}

#[test]
fn when_the_store_takes_no_writes_a_job_waits_for_its_lease() {
    let shop = Shop::new();
    let id = shop.queue("global", "a");
    let lease = shop.claim(0).expect("a job");
    let refused = shop.engine.perform(&lease, &Busy, |run| {
        shop.engine.block_writes(Some("the disk is full".into()));
        done(run)
    });
    assert_eq!(refused.expect_err("nothing can be written").kind, ErrorKind::Unavailable);
    assert_eq!(shop.is(id), (Running, 1));
    assert_eq!(shop.claim(1), None, "it may still be at it");
    shop.pass(120_000);
    let refused = shop.engine.claim_job(1).expect_err("nothing can be written");
    assert_eq!(refused.kind, ErrorKind::Unavailable);
    assert_eq!(shop.is(id), (Running, 1), "an attempt that cannot begin is none");
    shop.engine.block_writes(None);
    let lease = shop.claim(1).expect("it is taken over");
    assert_eq!(lease.job.last_error, "run-1/worker-0 did not renew its lease (attempt 1 of 5)");
    assert_eq!(shop.work(&lease, done).status, Succeeded);
}

#[test]
fn workers_are_woken_by_what_may_let_them_work() {
    let shop = Shop::new();
    let rings = Arc::new(AtomicUsize::new(0));
    let bell = Arc::clone(&rings);
    shop.engine.wake_on_jobs(move || {
        bell.fetch_add(1, Ordering::SeqCst);
        true
    });
    let rung = || rings.swap(0, Ordering::SeqCst);
    assert_eq!(shop.engine.next_job_at().expect("asked"), None);
    shop.queue("global", "a");
    assert_eq!(rung(), 1);
    assert_eq!(shop.engine.next_job_at().expect("asked"), Some(START));
    let lease = shop.claim(0).expect("a job");
    shop.work(&lease, done);
    assert!(rung() >= 1, "the next of the scope can be done");
    assert_eq!(shop.claim(0), None);
    assert_eq!(rung(), 0);
}

#[test]
fn a_clock_that_was_set_back_keeps_nobody_waiting() {
    let shop = Shop::new();
    let [failed, held, waiting] =
        ["session:a", "session:b", "session:c"].map(|scope| shop.queue(scope, scope));
    let lease = shop.claim(0).expect("a job");
    shop.work(&lease, fails);
    assert_eq!(shop.claim(1).expect("a job").job.id, held);
    shop.pass(-86_400_000);
    let now = START - 86_400_000;
    assert_eq!(shop.engine.next_job_at().expect("asked"), Some(now));
    assert_eq!(shop.claim(2).expect("at once").job.id, waiting);
    assert_eq!(shop.claim(3), None);
    assert_eq!(shop.job(failed).available_at, now + 30_000);
    assert_eq!(shop.job(held).lease_until, Some(now + 120_000));
    shop.pass(30_000);
    assert_eq!(shop.claim(3).expect("tried again").job.id, failed);
    shop.pass(90_000);
    assert_eq!(shop.claim(4).expect("taken over").job.id, held);
}

#[test]
fn every_job_can_say_what_it_waits_for() {
    let shop = Shop::new();
    let settings = |has_workers| JobSettings { has_workers, ..JobSettings::default() };
    let why = |id: i64, has_workers: bool| {
        let now = shop.now.load(Ordering::SeqCst);
        let job = shop.job(id);
        let said = shop.engine.store.read(|tx| waits_for(tx, &job, &settings(has_workers), now));
        said.expect("it says")
    };
    let [first, second] = ["1", "2"].map(|key| shop.queue("session:a", key));
    assert_eq!(why(first, true), "a worker that is free");
    assert_eq!(why(first, false), "a worker: none are on (job_workers is 0)");
    assert_eq!(why(second, true), format!("job {first} of the same scope is before it (pending)"));
    let lease = shop.claim(3).expect("a job");
    shop.pass(20_500);
    assert_eq!(
        why(first, true),
        "nothing: run-1/worker-3 has it, for 99.5 s more unless it renews its lease"
    );
    assert_eq!(why(second, true), format!("job {first} of the same scope is being done (leased)"));
    let job = shop.work(&lease, fails);
    shop.now.store(job.available_at - 300, Ordering::SeqCst);
    assert_eq!(why(first, true), "its next attempt in 0.3 s, after: the model is away");
    shop.engine.stop_job(first).expect("stopped");
    assert_eq!(why(first, true), "");
    assert_eq!(why(second, true), "a worker that is free");
}

#[test]
fn an_earlier_job_that_is_retried_waits_for_the_one_that_is_being_done() {
    let shop = Shop::new();
    let [first, second, third] = ["1", "2", "3"].map(|key| shop.queue("session:a", key));
    shop.engine.stop_job(first).expect("cancelled");
    let lease = shop.claim(0).expect("a job");
    assert_eq!(lease.job.id, second);
    let retried = shop.engine.write(|tx| {
        let job = tx.job(first)?.expect("it is there");
        Ok(Outcome::Changed(shop.engine.retry_job(tx, &job)?))
    });
    assert_eq!(retried.expect("retried").status, Pending);
    assert_eq!(shop.claim(1), None, "one worker at a time");
    // Handed back, it waits behind the earlier one.
    let job = shop.work(&lease, |_| Err(Fault::Yielded));
    assert_eq!(job.status, Pending);
    for id in [first, second, third] {
        let lease = shop.claim(0).expect("a job");
        assert_eq!(lease.job.id, id);
        assert_eq!(shop.work(&lease, done).status, Succeeded);
    }
}

#[test]
fn the_same_work_is_not_queued_twice_by_a_retry() {
    let shop = Shop::new();
    let first = shop.queue("session:a", "the work");
    shop.engine.stop_job(first).expect("cancelled");
    let second = shop.queue("session:a", "the work");
    let retried = shop.engine.write(|tx| {
        let job = tx.job(first)?.expect("it is there");
        Ok(Outcome::Changed(shop.engine.retry_job(tx, &job)?))
    });
    let Err(Error::Api(error)) = retried else { panic!("queued twice") };
    assert_eq!(error.kind, ErrorKind::InvalidState);
    assert_eq!(
        error.message,
        format!("job {second} does the same as job {first} and is unfinished")
    );
}
