//! Belief fades with its collection as if each memory were written at each end of a session.

use crate::robot::{Robot, START, sql};
use crate::scope_work::{do_jobs, get, with_workers};
use proptest::prelude::*;
use robot_memory::api::{
    EndSession, EndSessionRequest, Learn, LearnRequest, Recall, RecallRequest, RestoreMemory,
    RestoreMemoryRequest, RunMaintenance, RunMaintenanceRequest, StartSession, StartSessionRequest,
    Update, UpdateRequest,
};
use robot_memory::model::{LedgerChange, Stamp, Status};
use std::collections::BTreeMap;

const COLLECTIONS: [&str; 2] = ["default", "lab"];
const NOUNS: [&str; 12] = [
    "kettle", "door", "gripper", "pallet", "conveyor", "lamp", "crate", "ladder", "magnet",
    "nozzle", "bearing", "camera",
];

#[derive(Debug, Clone)]
enum Step {
    Learn(usize),
    /// Says something else of one of them.
    Update(usize),
    /// Those of a collection that are believed so far are recalled.
    Recall(usize, f64),
    EndSession(usize),
    Sleep(f64),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let sleep = prop::sample::select(vec![0.2, 0.3, 0.4, 0.7, 0.999, 1.001, 5.0, 150.0]);
    let collection = || prop_oneof![4 => Just(0), 1 => Just(1)];
    let step = prop_oneof![
        3 => collection().prop_map(Step::Learn),
        1 => any::<usize>().prop_map(Step::Update),
        2 => (collection(), prop::sample::select(vec![0.0, 0.3, 0.6, 0.75]))
            .prop_map(|(collection, min)| Step::Recall(collection, min)),
        5 => collection().prop_map(Step::EndSession),
        5 => sleep.prop_map(Step::Sleep),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 20..70)
}

/// A memory of which everything is written at once.
#[derive(Debug)]
struct Known {
    collection: &'static str,
    confidence: f64,
    counted_until: Stamp,
    faded: bool,
}

impl Known {
    fn fades(&mut self, now: Stamp) -> bool {
        let days = now.days_since(self.counted_until);
        let is_due = days > 1.0 && self.confidence > 0.05;
        if is_due {
            self.confidence *= 0.99_f64.powf(days);
            self.counted_until = now;
            self.faded = true;
        }
        is_due
    }
}

/// Something new, so that nothing stands for anything else.
fn statement(number: usize) -> String {
    let noun = |number: usize| NOUNS[number % NOUNS.len()];
    format!(
        "The {} numbered {number} waits behind {} {}",
        noun(number),
        noun(number / NOUNS.len() + 5),
        number * 7 + 1
    )
}

fn end_session(robot: &Robot, collection: &str) -> u64 {
    let collection = collection.to_owned();
    let request = StartSessionRequest { collection, ..Default::default() };
    let session_id = robot.call::<StartSession>(request).session_id;
    let request = EndSessionRequest { session_id, ..Default::default() };
    robot.call::<EndSession>(request).decayed_count
}

fn believed(robot: &Robot, collection: &str, min_confidence: f64) -> Vec<i64> {
    let found = robot.call::<Recall>(RecallRequest {
        collection: collection.into(),
        until: Some(Stamp(i64::MAX)),
        min_confidence,
        n: 100,
        ..Default::default()
    });
    let mut ids: Vec<i64> = found.memories.iter().map(|hit| hit.memory.id).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn what_comes_between_two_marks_fades_by_itself() {
    let robot = Robot::words_only();
    let old = robot.learn_with(&statement(1), "");
    robot.sleep_days(1.5);
    let young = robot.learn_with(&statement(2), "");
    robot.sleep_days(0.8);
    assert_eq!(end_session(&robot, "default"), 1);
    robot.sleep_days(0.3);
    assert_eq!(end_session(&robot, "default"), 1);
    let counted_until = |id: i64| {
        let counted_until = get(&robot, id).memory.decayed_until.expect("it faded");
        format!("{:.6}", counted_until.days_since(START))
    };
    assert_eq!((counted_until(old), counted_until(young)), ("2.300000".into(), "2.600000".into()));
    robot.sleep_days(0.8);
    assert_eq!(end_session(&robot, "default"), 1);
    assert_eq!((counted_until(old), counted_until(young)), ("3.400000".into(), "2.600000".into()));
}

#[test]
fn many_that_are_due_between_two_marks_fade_by_a_mark_before_its_time() {
    let robot = Robot::words_only();
    let old = robot.learn_with(&statement(1), "");
    robot.sleep_days(1.5);
    let many: Vec<i64> = (0..501).map(|number| robot.perceive(&statement(number), "")).collect();
    robot.sleep_days(0.8);
    assert_eq!(end_session(&robot, "default"), 1);
    let young = robot.learn_with(&statement(2), "");
    robot.sleep_days(0.3);
    assert_eq!(end_session(&robot, "default"), 502);
    assert_eq!(end_session(&robot, "default"), 0);
    let days = [(old, 2.6), (many[0], 1.1), (many[500], 1.1), (young, 0.0)];
    for (id, days) in days {
        let told = get(&robot, id).memory;
        let born = if id == young { 0.8 } else { believed_at_first(&robot, id) };
        let expected = born * 0.99_f64.powf(days);
        assert!((told.confidence - expected).abs() < 1e-9, "memory {id}: {}", told.confidence);
    }
    let marks = "SELECT count(*) FROM memory WHERE decayed_until IS NOT NULL";
    assert_eq!(sql::<i64>(&robot.store_path(), marks), 0, "none was written one by one");
}

/// What is written of it, as long as nothing else was.
fn believed_at_first(robot: &Robot, id: i64) -> f64 {
    sql(&robot.store_path(), &format!("SELECT confidence FROM memory WHERE id = {id}"))
}

#[test]
fn belief_that_came_to_the_floor_stays_there() {
    let robot = Robot::words_only();
    let id = robot.learn_with(&statement(1), "");
    robot.sleep_days(300.0);
    assert_eq!(end_session(&robot, "default"), 1);
    let low = get(&robot, id).memory.confidence;
    assert!((low - 0.8 * 0.99_f64.powf(300.0)).abs() < 1e-9, "{low}");
    robot.sleep_days(2.0);
    let other = robot.learn_with(&statement(2), "");
    robot.sleep_days(2.0);
    assert_eq!(end_session(&robot, "default"), 1);
    assert!(get(&robot, other).memory.confidence < 0.8);
    assert_eq!(get(&robot, id).memory.confidence, low);
}

#[test]
fn what_is_told_of_earlier_days_does_not_come_faded() {
    let robot = Robot::words_only();
    robot.sleep_days(400.0);
    let old = robot.learn_with(&statement(1), "");
    robot.sleep_days(2.0);
    assert_eq!(end_session(&robot, "default"), 1);
    // A simulation begins, by its own clock.
    robot.sleep_days(-402.0);
    let simulated = robot.learn_with(&statement(2), "");
    assert_eq!(get(&robot, simulated).memory.confidence, 0.8);
    assert_eq!(believed(&robot, "default", 0.79), [simulated]);
    let robot = robot.restart();
    assert_eq!(believed(&robot, "default", 0.79), [simulated]);
    assert_eq!(get(&robot, simulated).memory.confidence, 0.8);
    assert!((get(&robot, old).memory.confidence - 0.8 * 0.99_f64.powf(2.0)).abs() < 1e-9);
}

#[test]
fn what_is_archived_keeps_its_belief_and_fades_on_when_it_is_back() {
    let robot = Robot::with(with_workers);
    let request = LearnRequest {
        insight: "Tray 3 was carried to the door".into(),
        mem_type: "task_log".into(),
        ..Default::default()
    };
    let id = robot.call::<Learn>(request).memory_id;
    let other = robot.learn_with(&statement(1), "");
    robot.sleep_days(10.0);
    assert_eq!(end_session(&robot, "default"), 2);
    robot.sleep_days(62.0);
    forget_weekly(&robot);
    let told = get(&robot, id);
    assert_eq!(told.memory.status, Status::Archived);
    let expected = 0.8 * 0.99_f64.powf(10.0);
    assert!((told.memory.confidence - expected).abs() < 1e-9);
    robot.sleep_days(2.0);
    assert_eq!(end_session(&robot, "default"), 1);
    assert_eq!(get(&robot, id).memory.confidence, told.memory.confidence);
    let request = RestoreMemoryRequest { memory_id: id, ..Default::default() };
    robot.call::<RestoreMemory>(request);
    robot.sleep_days(3.0);
    let robot = robot.restart_with(with_workers);
    assert_eq!(get(&robot, id).memory.confidence, told.memory.confidence);
    assert_eq!(end_session(&robot, "default"), 2);
    let back = get(&robot, id);
    assert!((back.memory.confidence - expected * 0.99_f64.powf(3.0)).abs() < 1e-9);
    let changes: Vec<_> = back.ledger.iter().map(|entry| entry.change).collect();
    let faded = LedgerChange::Faded;
    assert_eq!(changes, [faded, LedgerChange::Archived, LedgerChange::Restored, faded]);
    assert_eq!(back.ledger[0].cause, "end_session");
    assert!(get(&robot, other).memory.confidence < 0.8);
}

fn forget_weekly(robot: &Robot) {
    let mode = "weekly".into();
    robot.call::<RunMaintenance>(RunMaintenanceRequest { mode, ..Default::default() });
    do_jobs(robot);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fading_with_a_collection_is_fading_one_by_one(steps in steps()) {
        let mut robot = Robot::words_only();
        let mut known: BTreeMap<i64, Known> = BTreeMap::new();
        for (number, step) in (1..).zip(steps) {
            let now = robot.clock_now();
            match step {
                Step::Learn(collection) => {
                    let collection = COLLECTIONS[collection];
                    let learned = robot.call::<Learn>(LearnRequest {
                        insight: statement(number),
                        collection: collection.into(),
                        ..Default::default()
                    });
                    let confidence = learned.confidence;
                    let row = Known { collection, confidence, counted_until: now, faded: false };
                    prop_assert!(known.insert(learned.memory_id, row).is_none());
                }
                Step::Update(at) => {
                    let count = known.len().max(1);
                    let Some((id, row)) = known.iter_mut().nth(at % count) else { continue };
                    let updated = robot.call::<Update>(UpdateRequest {
                        memory_id: *id,
                        new_content: statement(number),
                        ..Default::default()
                    });
                    (row.confidence, row.counted_until) = (updated.confidence, now);
                }
                Step::Recall(collection, min_confidence) => {
                    let collection = COLLECTIONS[collection];
                    let expected = known.iter_mut().filter(|(_, row)| {
                        row.collection == collection && row.confidence >= min_confidence
                    });
                    let expected: Vec<i64> = expected
                        .map(|(id, row)| {
                            row.counted_until = now;
                            *id
                        })
                        .collect();
                    prop_assert_eq!(believed(&robot, collection, min_confidence), expected);
                }
                Step::EndSession(collection) => {
                    let collection = COLLECTIONS[collection];
                    let own = known.values_mut().filter(|row| row.collection == collection);
                    let expected = own.map(|row| u64::from(row.fades(now))).sum::<u64>();
                    prop_assert_eq!(end_session(&robot, collection), expected);
                }
                Step::Sleep(days) => {
                    robot.sleep_days(days);
                    // A robot that stores nothing for a year has a clock that cannot be believed.
                    robot.start_session();
                }
                Step::Restart => robot = robot.restart(),
            }
            for (id, row) in &known {
                let told = get(&robot, *id);
                let confidence = told.memory.confidence;
                prop_assert!(
                    (confidence - row.confidence).abs() < 1e-9,
                    "memory {} is believed {}, not {:?} at day {}",
                    id, confidence, row, now.days_since(START)
                );
                prop_assert!(told.ledger.iter().all(|entry| entry.change == LedgerChange::Faded));
                prop_assert_eq!(!told.ledger.is_empty(), row.faded);
            }
        }
    }
}
