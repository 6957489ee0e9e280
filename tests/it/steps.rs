//! Steps of an episode, handed over and taken in.

use crate::robot::Robot;
use robot_memory_chat::{Chat, ChatError};
use robot_memory_core::api::{
    CommitTurn, CommitTurnRequest, CommitTurnResponse, GetMemory, GetMemoryRequest, Recall,
    RecallRequest, StoredMemory,
};
use robot_memory_core::model::{Job, JobStatus, Stamp};
use robot_memory_engine::{Config, JobControl, JobDecision, MachineClock};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Does not wait between the steps of a job.
pub struct Unhurried;

impl JobControl for Unhurried {
    fn between_steps(&self) -> JobDecision {
        JobDecision::On
    }
}

/// The machine's clock of a robot, which the test sets.
#[derive(Clone)]
pub struct JobClock(Arc<AtomicI64>);

impl JobClock {
    pub fn new() -> Self {
        Self(Arc::new(AtomicI64::new(1_000_000)))
    }

    pub fn pass_millis(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }

    /// Configures a robot that has workers and this clock.
    pub fn configure(&self, config: &mut Config) {
        let now = Arc::clone(&self.0);
        config.jobs.clock = MachineClock::new(move || now.load(Ordering::SeqCst));
        config.jobs.has_workers = true;
    }
}

/// A step of the branch `main`.
pub fn step(session_id: &str, turn_no: u32, text: &str) -> CommitTurnRequest {
    CommitTurnRequest {
        session_id: session_id.into(),
        turn_no,
        text: text.into(),
        ..Default::default()
    }
}

/// Hands over a step of the branch `main`.
pub fn commit(robot: &Robot, session_id: &str, turn_no: u32, text: &str) -> CommitTurnResponse {
    robot.call::<CommitTurn>(step(session_id, turn_no, text))
}

/// Does every job that can be done now; answers them as they ended.
pub fn do_jobs(robot: &Robot) -> Vec<Job> {
    let mut done = Vec::new();
    while let Some(lease) = robot.engine.claim_job(0).expect("a job can be claimed") {
        done.push(robot.engine.work(&lease, &Unhurried).expect("it is worked on"));
    }
    done
}

/// The same, all of which must succeed; answers what came of them.
pub fn take_in(robot: &Robot) -> Vec<Value> {
    let results = do_jobs(robot).into_iter().map(|job| {
        assert_eq!(job.status, JobStatus::Succeeded, "{}", job.last_error);
        serde_json::from_str(&job.result).expect("a result is JSON")
    });
    results.collect()
}

/// What is active in the branch `main` of a session, of any kind: id and words, in order of id.
pub fn in_branch(robot: &Robot, session_id: &str) -> Vec<(i64, String)> {
    let response = robot.call::<Recall>(RecallRequest {
        scope: format!("branch:{session_id}/main"),
        until: Some(Stamp(i64::MAX)),
        min_confidence: 0.0,
        n: 100,
        ..Default::default()
    });
    let of_branch = response.memories.into_iter().map(|hit| hit.memory);
    let of_branch = of_branch.filter(|memory| memory.scope.to_string().starts_with("branch:"));
    let mut found: Vec<(i64, String)> = of_branch.map(|it| (it.id, it.content)).collect();
    found.sort();
    found
}

pub fn stored(robot: &Robot, memory_id: i64) -> StoredMemory {
    robot.call::<GetMemory>(GetMemoryRequest { memory_id, ..Default::default() })
}

/// A chat endpoint that does what the test says, with the prompt.
pub struct FakeChat<F>(pub F);

impl<F: Fn(&str) -> Result<String, ChatError> + Send + Sync> Chat for FakeChat<F> {
    fn id(&self) -> &str {
        "fake"
    }

    fn complete(&self, _system: &str, user: &str) -> Result<String, ChatError> {
        (self.0)(user)
    }
}

/// Lets the robot ask an endpoint that does this.
pub fn set_chat(
    robot: &Robot,
    answer: impl Fn(&str) -> Result<String, ChatError> + Send + Sync + 'static,
) {
    robot.engine.set_chat(Some(Arc::new(FakeChat(answer))));
}

/// Answers every sentence as a fact.
pub fn every_sentence(prompt: &str) -> Result<String, ChatError> {
    let facts: Vec<Value> = prompt
        .lines()
        .filter_map(|line| {
            let (number, text) = line.strip_prefix('[')?.split_once("] ")?;
            let number: u64 = number.parse().ok()?;
            Some(json!({"kind": "object", "text": text, "sentence": number}))
        })
        .collect();
    Ok(json!({ "facts": facts }).to_string())
}
