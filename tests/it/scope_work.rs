//! Jobs on a scope of memories, done step by step.

use crate::robot::Robot;
use robot_memory_core::api::{GetMemory, GetMemoryRequest, Learn, LearnRequest, StoredMemory};
use robot_memory_core::model::{Job, JobStatus};
use robot_memory_engine::{Config, JobControl, JobDecision};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The scope that tests work on.
pub const BRANCH: &str = "branch:s1/main";

/// Lets a job take so many steps, and then go back into the queue.
pub struct Steps(AtomicUsize);

impl Steps {
    pub fn at_most(count: usize) -> Self {
        Self(AtomicUsize::new(count))
    }
}

impl JobControl for Steps {
    fn between_steps(&self) -> JobDecision {
        let left =
            self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left.is_ok() { JobDecision::On } else { JobDecision::Yield }
    }
}

/// Copies a store, as a kill would leave it, between two steps of a job.
pub struct Kill {
    left: AtomicUsize,
    store: PathBuf,
    folder: PathBuf,
}

impl Kill {
    /// After so many steps, into this folder.
    pub fn after(steps: usize, store: PathBuf, folder: &Path) -> Self {
        Self { left: AtomicUsize::new(steps), store, folder: folder.to_owned() }
    }
}

impl JobControl for Kill {
    fn between_steps(&self) -> JobDecision {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            for ending in ["", "-wal"] {
                let file = |path: &Path| PathBuf::from(format!("{}{ending}", path.display()));
                let copy = self.folder.join("memory.db");
                std::fs::copy(file(&self.store), file(&copy)).expect("the file is copied");
            }
        }
        JobDecision::On
    }
}

pub fn with_workers(config: &mut Config) {
    config.jobs.has_workers = true;
}

/// A robot with workers, that can embed.
pub fn robot() -> Robot {
    let robot = Robot::with(with_workers);
    robot.plug_in_embedder();
    robot
}

/// Closes the store, changes its file, and opens it again with the same workers.
pub fn changed(robot: Robot, change: impl FnOnce(&rusqlite::Connection)) -> Robot {
    changed_with(robot, change, with_workers)
}

/// The same with another configuration.
pub fn changed_with(
    robot: Robot,
    change: impl FnOnce(&rusqlite::Connection),
    configure: impl FnOnce(&mut Config),
) -> Robot {
    robot.engine.close().expect("it closes");
    let connection = rusqlite::Connection::open(robot.store_path()).expect("the file opens");
    change(&connection);
    drop(connection);
    let robot = robot.restart_with(configure);
    robot.plug_in_embedder();
    robot
}

/// Stores what is not compared with anything, and answers its id.
pub fn note(robot: &Robot, scope: &str, collection: &str, text: &str) -> i64 {
    let request = LearnRequest {
        insight: text.into(),
        scope: scope.into(),
        collection: collection.into(),
        mem_type: "task_log".into(),
        ..Default::default()
    };
    robot.call::<Learn>(request).memory_id
}

/// Makes short summaries of memories, of the steps of these numbers.
pub fn make_micros(connection: &rusqlite::Connection, micros: &[(i64, u32)]) {
    for (id, turn_no) in micros {
        connection
            .execute(
                "UPDATE memory SET type = 'summary', category = NULL, quantity_key = 0, \
                 source = 'agent_output', trust = 'medium' WHERE id = ?1",
                [id],
            )
            .expect("the row changes");
        connection
            .execute(
                "INSERT INTO summary (memory_id, kind, scope, token_count, first_turn_no, last_turn_no) \
                 SELECT id, 'micro', scope, word_count, ?2, ?2 \
                 FROM memory WHERE id = ?1",
                [*id, i64::from(*turn_no)],
            )
            .expect("the summary is there");
    }
}

/// A robot whose branch has these short summaries, of the steps 1, 2, and so on, and their ids.
pub fn robot_with_micros(texts: &[&str]) -> (Robot, Vec<i64>) {
    let robot = robot();
    let ids: Vec<i64> = texts.iter().map(|text| note(&robot, BRANCH, "", text)).collect();
    let micros: Vec<(i64, u32)> = ids.iter().copied().zip(1..).collect();
    (changed(robot, |connection| make_micros(connection, &micros)), ids)
}

/// Works on the next job, for so many steps; `None`: there is none.
pub fn work_steps(robot: &Robot, steps: usize) -> Option<Job> {
    let lease = robot.engine.claim_job(0).expect("a job can be claimed")?;
    Some(robot.engine.work(&lease, &Steps::at_most(steps)).expect("it is worked on"))
}

/// Does all jobs that can be done now, all of which must succeed; answers them in order, and what came
/// of each.
pub fn do_jobs(robot: &Robot) -> Vec<(Job, Value)> {
    let mut done = Vec::new();
    while let Some(job) = work_steps(robot, usize::MAX) {
        assert_eq!(job.status, JobStatus::Succeeded, "{}: {}", job.job_type, job.last_error);
        let result = serde_json::from_str(&job.result).expect("a result is JSON");
        done.push((job, result));
    }
    done
}

pub fn get(robot: &Robot, memory_id: i64) -> StoredMemory {
    robot.call::<GetMemory>(GetMemoryRequest { memory_id, ..Default::default() })
}
