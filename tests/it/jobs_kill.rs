//! kill -9 in random moments, while steps are handed over and taken in: afterwards each of them was
//! taken in exactly once.

use crate::robot::{config, sql};
use crate::sampled::sampled;
use crate::steps::Unhurried;
use robot_memory_core::api::{CommitTurn, CommitTurnRequest, StartSession, StartSessionRequest};
use robot_memory_core::model::{Clock, JobStatus, Stamp};
use robot_memory_embedding::HashedEmbedder;
use robot_memory_engine::Engine;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

const KILLS: u64 = 25;
const WORKERS: usize = 2;
/// Names the store of the child process; set, this test binary is that child.
const STORE: &str = "ROBOT_MEMORY_WORKED_STORE";

struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Option<Stamp> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_nanos()).ok().map(Stamp)
    }
}

fn opened(store: &Path) -> Engine {
    let mut config = config(store);
    config.jobs.has_workers = true;
    // It is killed more often than a job may fail.
    config.jobs.attempts_max = 1_000;
    let (engine, opened) = Engine::open(config, Arc::new(WallClock)).expect("it opens");
    assert!(opened.damaged_aside.is_none(), "the store was damaged");
    engine.set_embedder(Ok(Some(Arc::new(HashedEmbedder::new(16))))).expect("taken");
    engine
}

/// Does what can be done; answers whether there was anything.
fn work(engine: &Engine, worker: usize) -> bool {
    let Some(lease) = engine.claim_job(worker).expect("it is asked") else { return false };
    let job = engine.work(&lease, &Unhurried).expect("it is worked on");
    assert_eq!(job.status, JobStatus::Succeeded, "{}", job.last_error);
    true
}

/// Hands over steps of two branches without end while workers take them in, and says what was taken
/// over from it.
#[test]
fn shift() {
    let Some(store) = std::env::var_os(STORE).map(PathBuf::from) else { return };
    let engine = opened(&store);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (engine, is_over) = (&engine, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    if !work(engine, worker) {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
            });
        }
        let session = engine.call::<StartSession>(StartSessionRequest::default());
        let session_id = session.expect("it begins").session_id;
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nopen").expect("the parent listens");
        // Bounded, so that a child whose parent died ends.
        for turn_no in 1..5_000_u32 {
            let request = CommitTurnRequest {
                session_id: session_id.clone(),
                branch_id: if turn_no % 2 == 0 { "left" } else { "right" }.into(),
                turn_no,
                text: format!("The tray {turn_no} is on shelf B{turn_no}. It weighs {turn_no} kg."),
                ..Default::default()
            };
            let turn = engine.call::<CommitTurn>(request).expect("it is handed over");
            writeln!(out, "turn {}", turn.turn_id).expect("the parent listens");
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

/// Lets a child work for a moment and kills it; answers the steps that it took over.
fn work_and_kill(store: &Path, moment: Duration) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().expect("this binary"))
        .args(["jobs_kill::shift", "--exact", "--nocapture", "--test-threads=1"])
        .env(STORE, store)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the child starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output"));
    let mut line = String::new();
    while line.trim() != "open" {
        line.clear();
        assert_ne!(lines.read_line(&mut line).expect("it speaks"), 0, "the child died by itself");
    }
    std::thread::sleep(moment);
    child.kill().expect("it is killed");
    let mut turns = Vec::new();
    loop {
        line.clear();
        if lines.read_line(&mut line).expect("it speaks") == 0 || !line.ends_with('\n') {
            break;
        }
        if let Some(turn_id) = line.trim().strip_prefix("turn ") {
            turns.push(turn_id.to_owned());
        }
    }
    let status = child.wait().expect("it is gone");
    assert!(!status.success() && status.code().is_none(), "the child died by itself");
    turns
}

#[test]
fn every_step_is_taken_in_exactly_once_whenever_the_node_is_killed() {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    let mut turns = Vec::new();
    for kill in sampled(0..KILLS, 3) {
        // 0 to 96 ms, spread by steps that visit all of them.
        let moment = Duration::from_millis(kill * 7 % KILLS * 4);
        turns.extend(work_and_kill(&store, moment));
    }
    let interrupted: i64 = sql(&store, "SELECT count(*) FROM job WHERE claim_count > 1");
    let engine = opened(&store);
    while work(&engine, 0) {}
    engine.close().expect("it closes");

    let count = |what: &str| sql::<i64>(&store, &format!("SELECT count(*) FROM {what}"));
    for turn_id in &turns {
        let of_turn = format!("turn WHERE turn_id = '{turn_id}' AND ingested = 1");
        assert_eq!(count(&of_turn), 1, "an acknowledged step is lost");
    }
    let all = count("turn");
    assert!(all >= i64::try_from(turns.len()).expect("few"));
    let ingests = "job WHERE job_type = 'ingest_turn'";
    assert_eq!(count(ingests), all);
    assert_eq!(count("job WHERE status != 'succeeded'"), 0);
    // Each job raised its scope once.
    let raised: i64 = sql(&store, "SELECT sum(revision) FROM scope_state WHERE scope = 'branch'");
    assert_eq!(raised, count("job WHERE scope = 'branch'"));
    assert_eq!(count("summary WHERE kind = 'micro'"), all, "one summary a step");
    let twice = "(SELECT content, scope FROM memory WHERE type = 'fact' AND status = 'active' \
                 GROUP BY content, scope HAVING count(*) > 1)";
    assert_eq!(count(twice), 0);
    let without = "turn WHERE turn_id NOT IN (SELECT turn_id FROM turn_memory)";
    assert_eq!(count(without), 0, "every step said something");
    assert_eq!(sql::<String>(&store, "PRAGMA integrity_check"), "ok");
    println!("{KILLS} kills, {all} steps, {interrupted} jobs taken up again");
}
