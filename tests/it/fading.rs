//! Belief is what was said, the days since it was last said or used, and nothing else.

use crate::robot::{Robot, START, sql};
use crate::scope_work::{do_jobs, get, with_workers};
use proptest::prelude::*;
use robot_memory_core::api::{
    EndSession, EndSessionRequest, Learn, LearnRequest, Recall, RecallRequest, RestoreMemory,
    RestoreMemoryRequest, RunMaintenance, RunMaintenanceRequest, SpatialSort, StartSession,
    StartSessionRequest, Update, UpdateRequest,
};
use robot_memory_core::model::{LedgerChange, Stamp, Status};
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
    /// Those of a group of a collection that are believed so far are asked for, and so used.
    Use(usize, usize, f64),
    /// Those of a collection that are believed so far are looked through, which is no use.
    Look(usize, f64),
    /// One of them is said again.
    Repeat(usize),
    EndSession(usize),
    Sleep(f64),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let sleep = prop::sample::select(vec![0.2, 0.3, 0.4, 0.7, 0.999, 1.001, 5.0, 150.0]);
    let collection = || prop_oneof![4 => Just(0), 1 => Just(1)];
    let min_confidence = || prop::sample::select(vec![0.0, 0.3, 0.6, 0.75]);
    let step = prop_oneof![
        3 => collection().prop_map(Step::Learn),
        1 => any::<usize>().prop_map(Step::Update),
        2 => (collection(), 0..GROUPS, min_confidence())
            .prop_map(|(collection, group, min)| Step::Use(collection, group, min)),
        1 => (collection(), min_confidence())
            .prop_map(|(collection, min)| Step::Look(collection, min)),
        1 => any::<usize>().prop_map(Step::Repeat),
        5 => collection().prop_map(Step::EndSession),
        5 => sleep.prop_map(Step::Sleep),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 20..70)
}

/// Memories are of one of so many groups each, as their context tells.
const GROUPS: usize = 4;

/// A memory of which everything is known.
#[derive(Debug)]
struct Known {
    collection: &'static str,
    text: String,
    group: usize,
    said: f64,
    /// When it was said or used last.
    fades_from: Stamp,
    /// When a session of its collection ended last.
    counted_until: Stamp,
}

impl Known {
    fn left_at(&self, at: Stamp) -> f64 {
        let days = at.days_since(self.fades_from);
        if days > 1.0 { self.said * 0.99_f64.powf(days) } else { self.said }
    }

    fn confidence(&self) -> f64 {
        self.left_at(self.counted_until)
    }

    /// Days are counted once a day, and when there are any for the first time.
    fn is_due(&self, now: Stamp) -> bool {
        let is_fresh = self.confidence() >= self.said;
        (is_fresh || now.days_since(self.counted_until) > 1.0)
            && self.left_at(now) < self.confidence()
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
    found(
        robot,
        RecallRequest {
            collection: collection.into(),
            until: Some(Stamp(i64::MAX)),
            min_confidence,
            n: 100,
            ..Default::default()
        },
    )
}

/// The newest of a group that are believed so far, by which they are used.
fn used(robot: &Robot, collection: &str, group: usize, min_confidence: f64) -> Vec<i64> {
    found(
        robot,
        RecallRequest {
            collection: collection.into(),
            context_filter: format!(r#"{{"task.group": {group}}}"#),
            min_confidence,
            n: 20,
            ..Default::default()
        },
    )
}

fn found(robot: &Robot, request: RecallRequest) -> Vec<i64> {
    let found = robot.call::<Recall>(request);
    let mut ids: Vec<i64> = found.memories.iter().map(|hit| hit.memory.id).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn each_memory_fades_by_its_own_days() {
    let robot = Robot::words_only();
    let old = robot.learn_with(&statement(1), "");
    robot.sleep_days(1.5);
    let young = robot.learn_with(&statement(2), "");
    let is_left = |id: i64, days: f64| {
        let (confidence, expected) = (get(&robot, id).memory.confidence, 0.8 * 0.99_f64.powf(days));
        assert!((confidence - expected).abs() < 1e-9, "memory {id}: {confidence}, not {expected}");
    };
    robot.sleep_days(0.8);
    assert_eq!(end_session(&robot, "default"), 1);
    is_left(old, 2.3);
    is_left(young, 0.0);
    robot.sleep_days(0.3);
    assert_eq!(end_session(&robot, "default"), 1);
    assert_eq!(end_session(&robot, "default"), 0, "all was counted just now");
    is_left(old, 2.6);
    is_left(young, 1.1);
    let counted_until = get(&robot, old).memory.decayed_until.expect("it faded");
    assert_eq!(format!("{:.6}", counted_until.days_since(START)), "2.600000");
    let marks = "SELECT count(*) FROM memory WHERE decayed_until IS NOT NULL";
    assert_eq!(sql::<i64>(&robot.store_path(), marks), 0, "none was written one by one");
}

#[test]
fn what_is_in_use_is_believed_and_what_only_fills_up_an_answer_fades() {
    for robot in [Robot::new(), Robot::words_only()] {
        let used = robot.learn_with("The porcelain mug needs 9 N", "");
        let other = robot.learn_with("Scratch on the bracket at pixel 320 200", "");
        for _ in 0..100 {
            robot.sleep_days(5.0);
            let found = robot.recall("how many newtons does the porcelain mug need");
            assert!(found.memories.iter().any(|hit| hit.memory.id == used));
            end_session(&robot, "default");
            assert_eq!(get(&robot, used).memory.confidence, 0.8);
        }
        let memory = get(&robot, other).memory;
        assert_eq!((memory.access_count, memory.last_accessed), (0, None));
        assert!((memory.confidence - 0.8 * 0.99_f64.powi(500)).abs() < 1e-9);
        // A question about something unknown uses nothing.
        let count = get(&robot, used).memory.access_count;
        robot.recall("谁下周过生日");
        end_session(&robot, "default");
        assert_eq!(get(&robot, used).memory.access_count, count);
        // It comes back with use: what was said is not lost.
        let asked = RecallRequest {
            query: "scratch on the bracket".into(),
            min_confidence: 0.0,
            ..Default::default()
        };
        robot.call::<Recall>(asked);
        end_session(&robot, "default");
        let memory = get(&robot, other).memory;
        assert_eq!((memory.confidence, memory.access_count), (0.8, 1));
        let changes: Vec<_> = get(&robot, other).ledger.iter().map(|it| it.change).collect();
        assert_eq!(changes, [LedgerChange::Faded]);
    }
}

#[test]
fn a_request_without_a_query_uses_what_it_is_about_and_a_list_nothing() {
    let robot = Robot::words_only();
    let context = r#"{"task": {"name": "insert"}, "spatial": {"position": [1, 2]}}"#;
    let about = robot.learn_with(&statement(1), context);
    let other = robot.learn_with(&statement(2), "");
    let filter = || r#"{"task.name": "insert"}"#.to_owned();
    let near = || {
        let (field, target) = ("spatial.position".into(), vec![0.0, 0.0]);
        Some(SpatialSort { field, target, max_distance: 0.0, ..SpatialSort::default() })
    };
    let requests = [
        (RecallRequest { context_filter: filter(), ..Default::default() }, 1),
        (RecallRequest { context_filter: filter(), n: 100, ..Default::default() }, 0),
        (RecallRequest { spatial_sort: near(), ..Default::default() }, 1),
        (RecallRequest { spatial_sort: near(), n: 21, ..Default::default() }, 0),
        (RecallRequest { since: Some(Stamp(1)), ..Default::default() }, 0),
        (RecallRequest { query: "camera".into(), ..Default::default() }, 0),
    ];
    let mut uses = 0;
    for (request, more) in requests {
        robot.call::<Recall>(request);
        robot.engine.upkeep().expect("upkeep");
        uses += more;
        assert_eq!(get(&robot, about).memory.access_count, uses);
        assert_eq!(get(&robot, other).memory.access_count, 0);
    }
}

#[test]
fn what_was_said_with_hardly_any_belief_stays() {
    let robot = Robot::words_only();
    let id = robot.learn_with(&statement(1), "");
    let store = rusqlite::Connection::open(robot.store_path()).expect("the file opens");
    store.execute("UPDATE memory SET confidence = 0.05", []).expect("written");
    drop(store);
    let robot = robot.restart();
    robot.sleep_days(300.0);
    assert_eq!(end_session(&robot, "default"), 0);
    assert_eq!(get(&robot, id).memory.confidence, 0.05);
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
    let archived = get(&robot, id);
    assert_eq!(archived.memory.status, Status::Archived);
    let expected = 0.8 * 0.99_f64.powf(10.0);
    assert!((archived.memory.confidence - expected).abs() < 1e-9);
    robot.sleep_days(2.0);
    assert_eq!(end_session(&robot, "default"), 1);
    assert_eq!(get(&robot, id).memory.confidence, archived.memory.confidence);
    let request = RestoreMemoryRequest { memory_id: id, ..Default::default() };
    robot.call::<RestoreMemory>(request);
    robot.sleep_days(3.0);
    let robot = robot.restart_with(with_workers);
    assert_eq!(get(&robot, id).memory.confidence, archived.memory.confidence);
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
    fn belief_is_what_was_said_and_the_days_since_it_was_said_or_used(steps in steps()) {
        let mut robot = Robot::words_only();
        let mut known: BTreeMap<i64, Known> = BTreeMap::new();
        for (number, step) in (1..).zip(steps) {
            let now = robot.clock_now();
            match step {
                Step::Learn(collection) => {
                    let collection = COLLECTIONS[collection];
                    let (text, group) = (statement(number), number % GROUPS);
                    let learned = robot.call::<Learn>(LearnRequest {
                        insight: text.clone(),
                        context: format!(r#"{{"task": {{"group": {group}}}}}"#),
                        collection: collection.into(),
                        ..Default::default()
                    });
                    let (said, fades_from) = (learned.confidence, now);
                    let row =
                        Known { collection, text, group, said, fades_from, counted_until: now };
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
                    (row.text, row.said, row.fades_from) =
                        (statement(number), updated.confidence, now);
                }
                Step::Repeat(at) => {
                    let count = known.len().max(1);
                    let Some((id, row)) = known.iter_mut().nth(at % count) else { continue };
                    let learned = robot.call::<Learn>(LearnRequest {
                        insight: row.text.clone(),
                        collection: row.collection.into(),
                        ..Default::default()
                    });
                    prop_assert_eq!(learned.existing_id, *id);
                    (row.said, row.fades_from) = (row.said.max(learned.confidence), now);
                }
                Step::Use(collection, group, min_confidence) => {
                    let collection = COLLECTIONS[collection];
                    let own = known.iter_mut().filter(|(_, row)| {
                        row.collection == collection
                            && row.group == group
                            && row.confidence() >= min_confidence
                    });
                    let mut expected: Vec<i64> = own
                        .map(|(id, row)| {
                            row.fades_from = now;
                            *id
                        })
                        .collect();
                    expected.sort_unstable();
                    prop_assert_eq!(used(&robot, collection, group, min_confidence), expected);
                    // What was used is written by upkeep.
                    robot.engine.upkeep().expect("upkeep");
                }
                Step::Look(collection, min_confidence) => {
                    let collection = COLLECTIONS[collection];
                    let own = known.iter().filter(|(_, row)| {
                        row.collection == collection && row.confidence() >= min_confidence
                    });
                    let expected: Vec<i64> = own.map(|(id, _)| *id).collect();
                    prop_assert_eq!(believed(&robot, collection, min_confidence), expected);
                    robot.engine.upkeep().expect("upkeep");
                }
                Step::EndSession(collection) => {
                    let collection = COLLECTIONS[collection];
                    let mut own: Vec<&mut Known> =
                        known.values_mut().filter(|row| row.collection == collection).collect();
                    let expected = own.iter().filter(|row| row.is_due(now)).count();
                    if expected > 0 {
                        own.iter_mut().for_each(|row| row.counted_until = now);
                    }
                    prop_assert_eq!(end_session(&robot, collection), expected as u64);
                }
                Step::Sleep(days) => {
                    robot.sleep_days(days);
                    // A robot that stores nothing for a year has a clock that cannot be believed.
                    robot.start_session();
                }
                Step::Restart => robot = robot.restart(),
            }
            for (id, row) in &known {
                let stored = get(&robot, *id);
                let confidence = stored.memory.confidence;
                prop_assert!(
                    (confidence - row.confidence()).abs() < 1e-9,
                    "memory {} is believed {}, not {:?} at day {}",
                    id, confidence, row, now.days_since(START)
                );
                prop_assert!(stored.ledger.iter().all(|entry| entry.change == LedgerChange::Faded));
                prop_assert!(confidence >= row.said || !stored.ledger.is_empty());
            }
        }
    }
}
