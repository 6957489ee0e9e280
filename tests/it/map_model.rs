//! Random operations against a plain map, with restarts in between. Prints its seed.

use crate::robot::Robot;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use robot_memory_core::api::{
    ClearMemories, ClearMemoriesRequest, DeleteMemory, DeleteMemoryRequest, EndSession,
    EndSessionRequest, ErrorKind, Forget, ForgetRequest, GetMemory, GetMemoryRequest, Learn,
    LearnRequest, LearnStatus, Recall, RecallRequest, SavePerception, SavePerceptionRequest,
    Update, UpdateRequest,
};
use robot_memory_core::model::Stamp;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Step {
    Learn { what: u32, in_session: bool },
    Perceive { what: u32 },
    Forget { which: usize },
    Delete { which: usize },
    ClearSince { which: usize },
    Update { which: usize, what: u32 },
    StartSession,
    EndSession,
    SleepDays(f64),
    Recall { what: u32 },
    Upkeep,
    Restart,
    PullThePlug,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..400_u32, any::<bool>()).prop_map(|(what, in_session)| Step::Learn { what, in_session }),
        4 => (0..400_u32).prop_map(|what| Step::Perceive { what }),
        3 => (0..200_usize).prop_map(|which| Step::Forget { which }),
        2 => (0..200_usize).prop_map(|which| Step::Delete { which }),
        1 => (0..200_usize).prop_map(|which| Step::ClearSince { which }),
        3 => (0..200_usize, 0..400_u32).prop_map(|(which, what)| Step::Update { which, what }),
        1 => Just(Step::StartSession),
        1 => Just(Step::EndSession),
        1 => (0.0..3.0).prop_map(Step::SleepDays),
        3 => (0..400_u32).prop_map(|what| Step::Recall { what }),
        1 => Just(Step::Upkeep),
        1 => Just(Step::Restart),
        1 => Just(Step::PullThePlug),
    ]
}

/// Statements that are told apart by their number.
fn statement(what: u32) -> String {
    format!("shelf {what} holds a cup")
}

#[derive(Default)]
struct Model {
    /// Active rows: what they say, and whether they are facts.
    rows: BTreeMap<i64, (String, bool)>,
    /// When each row was made that there ever was.
    created_at: BTreeMap<i64, Stamp>,
    highest_id: i64,
}

impl Model {
    fn fact(&self, content: &str) -> Option<i64> {
        let same = |row: &(String, bool)| row.1 && row.0 == content;
        self.rows.iter().find(|(_, row)| same(row)).map(|(id, _)| *id)
    }

    fn nth(&self, which: usize) -> Option<i64> {
        let place = which.checked_rem(self.rows.len())?;
        self.rows.keys().nth(place).copied()
    }

    fn insert(&mut self, id: i64, content: String, is_fact: bool, created_at: Stamp) {
        assert!(id > self.highest_id, "ids rise and are never used again");
        self.highest_id = id;
        self.created_at.insert(id, created_at);
        self.rows.insert(id, (content, is_fact));
    }
}

fn run(steps: Vec<Step>) {
    let mut robot = Robot::new();
    let mut model = Model::default();
    let mut session: Option<String> = None;
    for step in steps {
        match step {
            Step::Learn { what, in_session } => {
                let content = statement(what);
                let response = robot.call::<Learn>(LearnRequest {
                    insight: content.clone(),
                    session_id: session.clone().filter(|_| in_session).unwrap_or_default(),
                    ..Default::default()
                });
                match model.fact(&content) {
                    Some(existing) => {
                        assert_eq!(response.status, LearnStatus::Duplicate);
                        assert_eq!(response.existing_id, existing);
                    }
                    None => {
                        assert_eq!(response.status, LearnStatus::Created, "{content}");
                        model.insert(response.memory_id, content, true, robot.clock_now());
                    }
                }
            }
            Step::Perceive { what } => {
                let description = statement(what);
                let response = robot.call::<SavePerception>(SavePerceptionRequest {
                    description: description.clone(),
                    ..Default::default()
                });
                model.insert(response.memory_id, description, false, robot.clock_now());
            }
            Step::Forget { which } => {
                let id = model.nth(which).unwrap_or(model.highest_id + 1);
                let request = ForgetRequest {
                    memory_id: id,
                    reason: "x".into(),
                    scope: String::new(),
                    agent: String::new(),
                };
                match model.rows.remove(&id) {
                    Some((content, _)) => {
                        assert_eq!(robot.call::<Forget>(request).content, content);
                    }
                    None => assert_eq!(robot.refused::<Forget>(request).0, ErrorKind::NotFound),
                }
            }
            Step::Delete { which } => {
                let id = model.nth(which).unwrap_or(model.highest_id + 1);
                let request = DeleteMemoryRequest { memory_id: id, ..Default::default() };
                match model.rows.remove(&id) {
                    Some(_) => assert_eq!(robot.call::<DeleteMemory>(request).memory_id, id),
                    None => {
                        let (kind, _) = robot.refused::<DeleteMemory>(request);
                        assert_eq!(kind, ErrorKind::NotFound);
                    }
                }
                let request = GetMemoryRequest { memory_id: id, ..Default::default() };
                assert_eq!(robot.refused::<GetMemory>(request).0, ErrorKind::NotFound);
            }
            Step::ClearSince { which } => {
                let Some(since) = model.nth(which).map(|id| model.created_at[&id]) else {
                    continue;
                };
                let before = model.rows.len();
                model.rows.retain(|id, _| model.created_at[id] < since);
                let response = robot.call::<ClearMemories>(ClearMemoriesRequest {
                    level: "knowledge".into(),
                    collection: "default".into(),
                    since: Some(since),
                    ..Default::default()
                });
                // Those that were forgotten go too.
                assert!(response.deleted_count >= (before - model.rows.len()) as u64);
            }
            Step::Update { which, what } => {
                let Some(id) = model.nth(which) else { continue };
                let content = statement(what);
                let request = UpdateRequest {
                    memory_id: id,
                    new_content: content.clone(),
                    ..Default::default()
                };
                let (before, is_fact) = model.rows[&id].clone();
                let other =
                    model.rows.iter().any(|(other, row)| *other != id && row.1 && row.0 == content);
                if is_fact && other {
                    let (kind, _) = robot.refused::<Update>(request);
                    assert_eq!(kind, ErrorKind::InvalidState);
                } else {
                    assert_eq!(robot.call::<Update>(request).old_content, before);
                    model.rows.insert(id, (content, is_fact));
                }
            }
            Step::StartSession => session = Some(robot.start_session()),
            Step::EndSession => {
                if let Some(session) = session.take() {
                    let response = robot.call::<EndSession>(EndSessionRequest {
                        session_id: session,
                        ..Default::default()
                    });
                    assert_eq!(response.superseded_count, 0, "numbers keep rows apart");
                }
            }
            Step::SleepDays(days) => robot.sleep_days(days),
            Step::Recall { what } => {
                let content = statement(what);
                let response = robot.call::<Recall>(RecallRequest {
                    query: content.clone(),
                    n: 100,
                    min_confidence: 0.0,
                    ranking: "rrf".into(),
                    ..Default::default()
                });
                for hit in &response.memories {
                    let (known, _) = &model.rows[&hit.memory.id];
                    assert_eq!(&hit.memory.content, known);
                }
                let best = response.memories.first().map(|hit| hit.memory.content.clone());
                if model.rows.values().any(|row| row.0 == content) {
                    assert_eq!(best, Some(content));
                }
            }
            Step::Upkeep => {
                robot.engine.upkeep().expect("upkeep");
            }
            Step::Restart => robot = robot.restart(),
            Step::PullThePlug => robot = robot.pull_the_plug(),
        }
        let active = robot.engine.health().expect("health").active_count;
        assert_eq!(active, model.rows.len() as u64);
    }
    let integrity: String = crate::robot::sql(&robot.store_path(), "PRAGMA integrity_check");
    assert_eq!(integrity, "ok");
}

#[test]
fn random_histories_agree_with_a_map() {
    let seed = match std::env::var("ROBOT_MEMORY_TEST_SEED") {
        Ok(seed) => seed.parse().expect("ROBOT_MEMORY_TEST_SEED is a number"),
        Err(_) => u64::from(std::process::id()),
    };
    println!("ROBOT_MEMORY_TEST_SEED={seed}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases: 12, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, rng)
        .run(&prop::collection::vec(step(), 20..200), |steps| {
            run(steps);
            Ok(())
        })
        .expect("every history agrees");
}
