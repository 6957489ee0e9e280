//! A node and its workers in a world in which anything can happen at any moment, and what must hold in
//! it after each thing that does.

use super::{Busy, START, open};
use crate::db::{Outcome, WriteTx};
use crate::service::jobs::run::JobRun;
use crate::service::jobs::{Fault, JobLease, Step};
use crate::{Engine, JobChanges, Result};
use robot_memory_core::api::{ErrorKind, Learn, LearnRequest};
use robot_memory_core::jobs::{Event, next_status};
use robot_memory_core::model::{Job, JobProgress, JobScope, JobStatus, JobType, Scope, Stamp};
use robot_memory_db::JobDraft;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const WORKERS: usize = 10;
const SCOPES: u64 = 24;
const LEASE: i64 = 120_000;
const BACKOFF_MAX: i64 = 30_000;
const YEAR: i64 = 365 * 86_400_000;

/// xorshift64* (Vigna: An experimental exploration of Marsaglia's xorshift generators, 2016).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// What a worker is at.
struct Held {
    lease: JobLease,
    is_begun: bool,
    steps_left: u64,
    /// The scope was changed by somebody else since it was begun.
    is_disturbed: bool,
    /// Rounds for which it does nothing at all.
    asleep: u64,
}

/// What is known of a job from what was told of it.
pub struct Known {
    pub job: Job,
    key: String,
    /// How often it was put back after its end.
    lives: u32,
    steps: u64,
}

pub struct World {
    dice: Dice,
    engine: Engine,
    changes: JobChanges,
    now: Arc<AtomicI64>,
    folder: TempDir,
    /// Restarts so far: each run has a folder of its own.
    runs: u32,
    ledger: i64,
    workers: Vec<Option<Held>>,
    pub known: BTreeMap<i64, Known>,
    /// What should be in the ledger.
    pub effects: Vec<String>,
    stops: BTreeSet<i64>,
    /// Of all that happened.
    pub hash: u64,
    pub tally: BTreeMap<&'static str, u64>,
}

fn scope(number: u64) -> JobScope {
    let scope = match number % 6 {
        0 => Scope::Global,
        1 => Scope::Group(format!("cell-{number}")),
        2 => Scope::Agent(format!("skill-{number}")),
        3 => Scope::Session(format!("s{number}")),
        4 => Scope::Branch { session: format!("s{number}"), branch: "try 1".into() },
        _ => return JobScope::All,
    };
    JobScope::Of(scope)
}

impl World {
    pub fn new(seed: u64) -> Self {
        // In memory where there is such a folder: what a kill leaves is copied, not torn.
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).expect("a folder");
        let now = Arc::new(AtomicI64::new(START));
        let engine = open(&folder.path().join("run-0.db"), &now);
        let ledger = engine
            .call::<Learn>(LearnRequest {
                insight: "The ledger is green".into(),
                ..Default::default()
            })
            .expect("it learns")
            .memory_id;
        Self {
            dice: Dice(seed.wrapping_mul(2) | 1),
            changes: engine.job_changes(1_000),
            engine,
            now,
            folder,
            runs: 0,
            ledger,
            workers: (0..WORKERS).map(|_| None).collect(),
            known: BTreeMap::new(),
            effects: Vec::new(),
            stops: BTreeSet::new(),
            hash: 0xcbf2_9ce4_8422_2325,
            tally: BTreeMap::new(),
        }
    }

    fn now(&self) -> i64 {
        self.now.load(Ordering::SeqCst)
    }

    /// Notes that something happened: FNV-1a over all of it.
    fn happened(&mut self, what: &'static str, detail: &str) {
        *self.tally.entry(what).or_default() += 1;
        for byte in what.bytes().chain(detail.bytes()).chain([b'\n']) {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// Takes down what was told; every change is one that may be, from where the job was.
    fn listen(&mut self) {
        loop {
            let changes = self.changes.next(Duration::ZERO);
            if changes.is_empty() {
                break;
            }
            for change in changes {
                let job = change.job;
                if let Some(known) = self.known.get_mut(&job.id) {
                    assert_eq!(change.before, Some(known.job.status), "job {}", job.id);
                    assert!(
                        may_follow(known.job.status, job.status),
                        "{change:?}",
                        change = known.job
                    );
                    if known.job.status.is_finished() {
                        known.lives += 1;
                        known.steps = 0;
                    }
                    known.job = job.clone();
                }
                if job.status.is_finished() {
                    self.stops.remove(&job.id);
                }
                let is_put_back = matches!(job.status, JobStatus::Pending | JobStatus::DeadLetter);
                if is_put_back && job.last_error.contains("did not renew its lease") {
                    self.happened("lost", "");
                }
                let text =
                    format!("{} {} {} {}", job.id, job.status, job.attempt_count, job.last_error);
                self.happened("change", &text);
            }
        }
        assert_eq!(self.changes.dropped(), 0);
    }

    fn unfinished(&self) -> impl Iterator<Item = &Known> {
        self.known.values().filter(|known| !known.job.status.is_finished())
    }

    fn queue(&mut self) {
        let scope = scope(self.dice.below(SCOPES));
        let key = format!("{scope} {}", self.dice.below(30));
        let same = self.unfinished().find(|known| known.key == key).map(|known| known.job.id);
        let queued = self.engine.write(|tx| {
            let draft = JobDraft {
                dedup_key: key.clone(),
                ..JobDraft::of(&scope, JobType::Maintenance, "")
            };
            Ok(Outcome::Changed(self.engine.enqueue(tx, &draft)?))
        });
        let queued = queued.expect("it is queued");
        assert_eq!(
            (!queued.created).then_some(queued.job_id),
            same,
            "the same work is queued once"
        );
        if queued.created {
            let newest = self.known.keys().next_back().copied().unwrap_or(0);
            assert!(queued.job_id > newest, "ids rise");
            let job = self.stored(queued.job_id);
            self.known.insert(queued.job_id, Known { job, key, lives: 0, steps: 0 });
            // It is known now; what is told of it says nothing more.
            let changes = self.changes.next(Duration::ZERO);
            assert_eq!(
                (changes.len(), changes[0].before, changes[0].job.id),
                (1, None, queued.job_id)
            );
        }
        self.happened("queue", &queued.job_id.to_string());
    }

    pub fn stored(&self, id: i64) -> Job {
        self.engine.store.read(|tx| tx.job(id)).expect("it is read").expect("it is there")
    }

    /// Whether a worker's lease is the last one of a job that is still held.
    fn is_live(&self, held: &Held) -> bool {
        let job = &self.known[&held.lease.job.id].job;
        job.status.is_held()
            && job.lease_owner == held.lease.job.lease_owner
            && self.workers.iter().flatten().all(|other| {
                other.lease.job.id != job.id || other.lease.number <= held.lease.number
            })
    }

    fn ask(&mut self, worker: usize) {
        let lease = self.engine.claim_job(worker).expect("it is asked");
        self.listen();
        let Some(lease) = lease else {
            self.nothing_is_stuck();
            self.happened("idle", "");
            return;
        };
        let first = self
            .unfinished()
            .filter(|known| known.job.scope == lease.job.scope)
            .map(|known| known.job.id)
            .min();
        assert_eq!(first, Some(lease.job.id), "in order");
        let holders = self
            .unfinished()
            .filter(|known| known.job.scope == lease.job.scope && known.job.status.is_held());
        assert_eq!(holders.count(), 1, "one worker in a scope");
        self.happened("claim", &lease.job.id.to_string());
        // Whoever slept over it wakes up in the midst of this.
        let soon = self.dice.below(6);
        for late in self.workers.iter_mut().flatten() {
            if late.lease.job.id == lease.job.id {
                late.asleep = soon;
            }
        }
        let steps_left = if self.dice.one_in(3) { self.dice.below(4) } else { 0 };
        self.workers[worker] =
            Some(Held { lease, is_begun: false, steps_left, is_disturbed: false, asleep: 0 });
    }

    /// A worker that asked has found nothing: then there is nothing.
    fn nothing_is_stuck(&self) {
        let now = self.now();
        let counted = self.engine.store.read(|tx| tx.job_counts()).expect("it is read");
        assert_eq!(self.engine.jobs.counts(), counted, "what is counted beside the store");
        let scopes: BTreeSet<&JobScope> = self.unfinished().map(|known| &known.job.scope).collect();
        for scope in scopes {
            let head = self.engine.store.read(|tx| tx.head_job(scope)).expect("it is read");
            let head = head.unwrap_or_else(|| panic!("{scope} has work and no head"));
            match head.status {
                JobStatus::RetryWaiting => {
                    let range = now + 1..=now + BACKOFF_MAX;
                    assert!(range.contains(&head.available_at), "job {} is stuck", head.id);
                }
                JobStatus::Leased | JobStatus::Running => {
                    let until = head.lease_until.expect("a lease");
                    assert!((now + 1..=now + LEASE).contains(&until), "job {} is stuck", head.id);
                }
                other => panic!("job {} is {other} and was not found", head.id),
            }
        }
    }

    fn go_on(&mut self, worker: usize) {
        let Some(mut held) = self.workers[worker].take() else { return self.ask(worker) };
        if held.asleep > 0 {
            held.asleep -= 1;
            self.workers[worker] = Some(held);
            return;
        }
        let is_live = self.is_live(&held);
        let id = held.lease.job.id;
        if !is_live && held.is_begun && self.known[&id].job.status == JobStatus::Running {
            self.happened("overtaken", "");
        }
        if self.dice.one_in(12) {
            held.asleep = self.dice.below(100);
            self.workers[worker] = Some(held);
            self.happened("stall", "");
            return;
        }
        if self.dice.one_in(6) {
            let renewed = self.engine.renew_lease(&held.lease).expect("it is asked");
            assert_eq!(renewed, is_live, "job {id}");
            self.happened("renew", "");
        }
        if !held.is_begun {
            let is_stopped = self.stops.contains(&id);
            let begun = self.engine.begin(&held.lease).expect("it is asked");
            assert_eq!(begun, is_live && !is_stopped, "job {id}");
            self.listen();
            if begun {
                held.is_begun = true;
                self.workers[worker] = Some(held);
            }
            self.happened("begin", "");
            return;
        }
        let fault = if held.steps_left > 0 {
            held.steps_left -= 1;
            self.step(&held, is_live)
        } else {
            match self.dice.below(20) {
                0..4 => Err(Fault::Retry("the model is away".into())),
                4 => Err(Fault::Fatal("no such turn".into())),
                5 => Err(Fault::Yielded),
                _ => self.finish(&held, is_live),
            }
        };
        match fault {
            Ok(true) => self.listen(),
            Ok(false) => self.workers[worker] = Some(held),
            Err(fault) => {
                let job = self.engine.end(&held.lease, &fault).expect("it is asked");
                self.listen();
                assert_eq!(job, self.stored(id), "job {id}");
                if is_live {
                    assert!(!job.status.is_held(), "job {id} came to no end by {fault:?}");
                }
                self.happened("fault", job.status.as_str());
            }
        }
    }

    /// Does one step of a long job; answers whether the job has ended.
    fn step(&mut self, held: &Held, is_live: bool) -> Result<bool, Fault> {
        let id = held.lease.job.id;
        let run = JobRun::of(&self.engine, &held.lease, &Busy);
        run.pause()?;
        let Known { lives, steps, .. } = self.known[&id];
        if is_live {
            let position = run.position()?.and_then(|at| at.as_u64()).unwrap_or(0);
            assert_eq!(position, steps, "job {id} goes on where it was");
        }
        let effect = format!("job {id} life {lives} step {steps}");
        let report =
            (JobProgress { step: "on it".into(), done: steps + 1, total: 0 }, json!(steps + 1));
        let committed = run.commit(
            |tx| {
                tx.insert_audit(self.ledger, &effect, "", "", "", Stamp(0))?;
                Ok(report)
            },
            |(progress, position)| Step::More(progress, position),
        );
        assert_eq!(committed.is_ok(), is_live, "job {id}: {committed:?}");
        committed?;
        self.effects.push(effect);
        self.known.get_mut(&id).expect("known").steps += 1;
        self.happened("step", "");
        Ok(false)
    }

    fn finish(&mut self, held: &Held, is_live: bool) -> Result<bool, Fault> {
        let id = held.lease.job.id;
        let effect = format!("job {id} done");
        let run = JobRun::of(&self.engine, &held.lease, &Busy);
        let committed = run.commit(
            |tx| {
                tx.insert_audit(self.ledger, &effect, "", "", "", Stamp(0))?;
                Ok(json!({"done": true}))
            },
            |result| Step::Done(result),
        );
        assert_eq!(committed.is_ok(), is_live && !held.is_disturbed, "job {id}: {committed:?}");
        committed?;
        self.effects.push(effect);
        // The others that still believe to have it, and the scope that has gone on.
        self.happened("done", "");
        Ok(true)
    }

    /// Somebody else changes a scope.
    fn disturb(&mut self) {
        let scope = scope(self.dice.below(SCOPES));
        let raised = self.engine.write(|tx| {
            tx.raise_scope_revision(&scope, self.now())?;
            Ok(Outcome::Changed(()))
        });
        raised.expect("it is raised");
        for held in self.workers.iter_mut().flatten() {
            if held.lease.job.scope == scope && held.is_begun {
                held.is_disturbed = true;
            }
        }
        self.happened("disturb", "");
    }

    fn operate(&mut self) {
        let count = self.known.len() as u64;
        if count == 0 {
            return;
        }
        let held: Vec<i64> = self.workers.iter().flatten().map(|held| held.lease.job.id).collect();
        let id = if held.is_empty() || self.dice.one_in(2) {
            1 + self.dice.below(count).cast_signed()
        } else {
            let one = self.dice.below(held.len() as u64);
            held[usize::try_from(one).expect("few")]
        };
        let status = self.known[&id].job.status;
        let key = &self.known[&id].key;
        let is_queued_again = self.unfinished().any(|known| &known.key == key);
        let asked: (&'static str, Result<()>, bool) = match self.dice.below(3) {
            0 => {
                let asked = self.control(|tx, job| self.engine.cancel_job(tx, job), id);
                let waits = matches!(status, JobStatus::Pending | JobStatus::RetryWaiting);
                ("cancel", asked, waits)
            }
            1 => {
                let asked = self.control(|tx, job| self.engine.retry_job(tx, job), id);
                let is_over = matches!(status, JobStatus::DeadLetter | JobStatus::Cancelled);
                ("retry", asked, is_over && !is_queued_again)
            }
            _ => {
                let will = self.engine.stop_job(id).expect("it is asked");
                assert_eq!(will, !status.is_finished());
                if status.is_held() {
                    self.stops.insert(id);
                }
                ("stop", Ok(()), true)
            }
        };
        let (what, outcome, may_be) = asked;
        assert_eq!(outcome.is_ok(), may_be, "{what} of job {id}, which is {status}: {outcome:?}");
        if let Err(error) = outcome {
            let error = robot_memory_core::api::ApiError::from(error);
            assert_eq!(error.kind, ErrorKind::InvalidState, "{error}");
        }
        self.listen();
        self.happened(what, &id.to_string());
    }

    fn control(&self, f: impl FnOnce(&WriteTx<'_>, &Job) -> Result<Job>, id: i64) -> Result<()> {
        self.engine.write(|tx| {
            let job = tx.job(id)?.expect("it is there");
            f(tx, &job)?;
            Ok(Outcome::Changed(()))
        })
    }

    fn pass_time(&mut self) {
        let passed = match self.dice.below(300) {
            0 => -(self.dice.below(3).cast_signed() + 1) * YEAR,
            1 => (self.dice.below(3).cast_signed() + 1) * YEAR,
            2..10 => -self.dice.below(300_000).cast_signed(),
            10..30 => self.dice.below(300_000).cast_signed(),
            _ => self.dice.below(8_000).cast_signed(),
        };
        self.now.fetch_add(passed, Ordering::SeqCst);
        if passed < 0 {
            self.happened("back", "");
        }
    }

    /// The node is killed: what it left on the disk at this moment is what the next one finds.
    fn kill(&mut self) {
        self.runs += 1;
        let path = |run: u32, ending: &str| -> PathBuf {
            self.folder.path().join(format!("run-{run}.db{ending}"))
        };
        for ending in ["", "-wal"] {
            let from = path(self.runs - 1, ending);
            if from.exists() {
                std::fs::copy(from, path(self.runs, ending)).expect("a copy");
            }
        }
        self.engine = open(&path(self.runs, ""), &self.now);
        self.changes = self.engine.job_changes(1_000);
        std::fs::remove_file(path(self.runs - 1, "")).expect("it was there");
        self.workers.fill_with(|| None);
        self.stops.clear();
        let now = self.now();
        let mut lost = 0;
        for known in self.known.values_mut() {
            let id = known.job.id;
            let found = self.engine.store.read(|tx| tx.job(id)).expect("read").expect("kept");
            if known.job.status.is_held() {
                assert_eq!((found.status, found.updated_at), (JobStatus::Pending, now), "job {id}");
                assert_eq!(found.attempt_count + 1, known.job.attempt_count, "job {id}");
                assert!(found.last_error.starts_with("the node ended"), "{}", found.last_error);
                lost += 1;
            } else {
                assert_eq!(found.status, known.job.status, "job {id}");
                assert_eq!(found.attempt_count, known.job.attempt_count, "job {id}");
            }
            known.job = found;
        }
        self.happened("kill", &lost.to_string());
    }

    /// One thing happens.
    pub fn round(&mut self, is_queueing: bool) {
        match self.dice.below(100) {
            0..14 if is_queueing => self.queue(),
            14..17 => self.operate(),
            17 => self.disturb(),
            18 if self.dice.one_in(30) => self.kill(),
            18..28 => self.pass_time(),
            _ => {
                let worker = self.dice.below(WORKERS as u64);
                self.go_on(usize::try_from(worker).expect("few"));
            }
        }
    }

    /// Lets everything that waits be done, with nobody in the way any more. Answers the rounds that
    /// took.
    pub fn settle(&mut self) -> u64 {
        let mut rounds: u64 = 0;
        while self.unfinished().next().is_some() {
            rounds += 1;
            assert!(rounds < 100_000, "{} jobs came to no end", self.unfinished().count());
            for worker in 0..WORKERS {
                if let Some(held) = &mut self.workers[worker] {
                    held.asleep = 0;
                }
                self.go_on(worker);
            }
            if rounds.is_multiple_of(4) {
                self.now.fetch_add(1_000, Ordering::SeqCst);
            }
        }
        rounds
    }

    pub fn effects_stored(&self) -> Vec<String> {
        let entries = self.engine.store.read(|tx| tx.audit(self.ledger)).expect("it is read");
        entries.into_iter().map(|entry| entry.operation).collect()
    }
}

/// Whether some event leads from one status to another.
fn may_follow(before: JobStatus, status: JobStatus) -> bool {
    let events = [
        Event::Claimed { owner: "" },
        Event::Begun { revision: 0 },
        Event::Succeeded { result: "" },
        Event::Failed { error: "" },
        Event::FailedForGood { error: "" },
        Event::Yielded,
        Event::Lost { error: "" },
        Event::Ended { error: "", count: 0 },
        Event::Stopped,
        Event::Cancelled,
        Event::Retried,
    ];
    let nexts = |is_last| events.map(|event| next_status(before, &event, is_last));
    [nexts(false), nexts(true)].concat().contains(&Some(status))
}
