//! What tests of the write queue share.

use crate::robot::Robot;
use robot_memory_core::api::{
    ApiError, DeleteMemory, DeleteMemoryRequest, Forget, ForgetRequest, Learn, LearnRequest,
    LearnStatus, SavePerception, SavePerceptionRequest, SaveStatus, StartSession,
    StartSessionRequest, Update, UpdateRequest,
};
use robot_memory_core::model::Stamp;
use robot_memory_engine::{Config, Engine, StoreState, WriteQueueHealth, WriteQueueSettings};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Bytes of the queue.
pub const QUEUE_BYTES: u64 = 256 * 1024;
/// How long anything may take that is to happen by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// A robot with a write queue, which is beside the store.
pub fn robot_at(store_path: &Path) -> Robot {
    robot_with(store_path, |_| {})
}

/// The same, configured.
pub fn robot_with(store_path: &Path, configure: impl FnOnce(&mut Config)) -> Robot {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let robot = Robot::at(folder, |config| {
        config.store_path = store_path.to_owned();
        config.write_queue = WriteQueueSettings { path: None, bytes_max: QUEUE_BYTES };
        configure(config);
    });
    robot.plug_in_embedder();
    robot
}

/// The queue's file beside a store.
pub fn queue_path(store_path: &Path) -> PathBuf {
    let mut name = store_path.as_os_str().to_owned();
    name.push(".write_queue.jsonl");
    name.into()
}

pub fn state(robot: &Robot) -> StoreState {
    robot.engine.health().expect("health").store
}

pub fn queue(robot: &Robot) -> WriteQueueHealth {
    robot.engine.health().expect("health").write_queue
}

/// Does the upkeep until it is so.
pub fn until(robot: &Robot, what: &str, mut is_so: impl FnMut(&Robot) -> bool) {
    let begun = Instant::now();
    while !is_so(robot) {
        assert!(begun.elapsed() < PATIENCE, "never {what}: {:?}", robot.engine.health());
        if !matches!(robot.engine.upkeep(), Ok(true)) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

pub fn until_reserved(robot: &Robot) {
    until(robot, "reserved", |robot| queue(robot).is_reserved);
}

/// Until the store can be written and nothing waits.
pub fn until_well(robot: &Robot) {
    until(robot, "well", |robot| state(robot) == StoreState::Writable && queue(robot).queued == 0);
}

pub fn learn(engine: &Engine, insight: &str) -> Result<LearnStatus, ApiError> {
    let request = LearnRequest { insight: insight.into(), ..Default::default() };
    engine.call::<Learn>(request).map(|answer| answer.status)
}

pub fn perceive(engine: &Engine, description: &str) -> Result<SaveStatus, ApiError> {
    let request = SavePerceptionRequest { description: description.into(), ..Default::default() };
    engine.call::<SavePerception>(request).map(|answer| answer.status)
}

pub fn update(engine: &Engine, memory_id: i64, content: &str) -> Result<String, ApiError> {
    let request = UpdateRequest { memory_id, new_content: content.into(), ..Default::default() };
    engine.call::<Update>(request).map(|answer| answer.status)
}

pub fn forget(engine: &Engine, memory_id: i64) -> Result<String, ApiError> {
    let request = ForgetRequest { memory_id, reason: "it moved".into(), ..Default::default() };
    engine.call::<Forget>(request).map(|answer| answer.status)
}

/// Two memories, to be changed and forgotten while the store cannot be written.
pub struct Before {
    pub changed: i64,
    pub forgotten: i64,
}

pub fn before(robot: &Robot) -> Before {
    Before {
        changed: robot.learn_with("the drill hangs on hook 3", ""),
        forgotten: robot.learn_with("the kettle stands on the stove", ""),
    }
}

/// What each call answers while the store cannot be written, and what waits.
pub fn assert_all_wait(robot: &Robot, Before { changed, forgotten }: &Before) {
    let engine = &robot.engine;
    assert_eq!(learn(engine, "the ladder leans on the east wall"), Ok(LearnStatus::Queued));
    assert_eq!(perceive(engine, "a red box on the conveyor"), Ok(SaveStatus::Queued));
    assert_eq!(update(engine, *changed, "the drill hangs on hook 7").as_deref(), Ok("queued"));
    assert_eq!(forget(engine, *forgotten).as_deref(), Ok("queued"));
    // Bad input never gets into it, nor what is never stored, nor what is no memory.
    assert_eq!(learn(engine, "").expect_err("refused").kind.as_str(), "invalid_argument");
    let secret = learn(engine, "password: hunter2hunter2").expect_err("refused");
    assert_eq!(secret.kind.as_str(), "refused");
    assert_eq!(forget(engine, 9_999).expect_err("refused").kind.as_str(), "not_found");
    // What waits is not found yet; all else is.
    assert!(robot.recall("where does the drill hang").memories[0].memory.content.ends_with('3'));
    assert!(!contents(robot, "ladder on the east wall").iter().any(|it| it.contains("ladder")));
    let deleted = engine
        .call::<DeleteMemory>(DeleteMemoryRequest { memory_id: *forgotten, ..Default::default() });
    assert_eq!(deleted.expect_err("refused").kind.as_str(), "unavailable");
    let started = engine.call::<StartSession>(StartSessionRequest::default());
    assert_eq!(started.expect_err("refused").kind.as_str(), "unavailable");
}

/// What [`assert_all_wait`] left waiting is stored, with its time.
pub fn assert_all_stored(robot: &Robot, before: &Before, at: Stamp) {
    let drill = robot.recall("where does the drill hang");
    let drill = drill.memories.iter().find(|hit| hit.memory.id == before.changed);
    assert_eq!(drill.expect("it is there").memory.content, "the drill hangs on hook 7");
    assert!(!contents(robot, "kettle on the stove").iter().any(|it| it.contains("kettle")));
    for (query, content) in [
        ("ladder on the east wall", "the ladder leans on the east wall"),
        ("red box on the conveyor", "a red box on the conveyor"),
    ] {
        let found = robot.recall(query);
        let found: Vec<_> =
            found.memories.iter().filter(|hit| hit.memory.content == content).collect();
        assert_eq!(found.len(), 1, "{content}");
        assert_eq!(found[0].memory.created_at, at, "{content}");
    }
}

pub fn contents(robot: &Robot, query: &str) -> Vec<String> {
    robot.recall(query).memories.into_iter().map(|hit| hit.memory.content).collect()
}

/// How long half of fifty recalls take at most. One alone may have waited for a core.
pub fn usual_recall(robot: &Robot) -> Duration {
    let mut took: Vec<Duration> = (0..50)
        .map(|_| {
            let begun = Instant::now();
            robot.recall("where does the drill hang");
            begun.elapsed()
        })
        .collect();
    took.sort();
    took[took.len() / 2]
}
