//! What says the same is merged by maintenance, by words and by vectors, once and safely.

use crate::robot::{Robot, sql};
use crate::scope_work::{changed, do_jobs, get, with_workers};
use proptest::prelude::*;
use robot_memory_core::api::{
    Learn, LearnRequest, RunMaintenance, RunMaintenanceRequest, Update, UpdateRequest,
};
use robot_memory_core::model::{Stamp, Status, SupersededRule};
use robot_memory_embedding::{EmbedError, Embedder};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Gives each text the direction that a test wants; a text that it does not know stands alone.
pub struct Directions(pub BTreeMap<&'static str, f32>);

impl Embedder for Directions {
    fn model_id(&self) -> &str {
        "directions"
    }

    fn dimension(&self) -> usize {
        3
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(match self.0.get(text) {
            Some(degrees) => vec![degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0],
            None => vec![0.0, 0.0, 1.0],
        })
    }
}

/// A robot that has these words-only memories in the scope `global`, then gets an embedder.
pub fn robot_knowing(rows: &[(&'static str, f32)]) -> (Robot, Vec<i64>) {
    let robot = Robot::with(with_workers);
    let ids = rows.iter().map(|(text, _)| robot.learn_with(text, "")).collect();
    plug_in(&robot, rows);
    (robot, ids)
}

pub fn plug_in(robot: &Robot, rows: &[(&'static str, f32)]) {
    let directions = Directions(rows.iter().copied().collect());
    robot.engine.set_embedder(Ok(Some(Arc::new(directions)))).expect("the embedder is taken");
}

/// Looks after the scope `global`, and answers what one step says of it.
pub fn maintained(robot: &Robot, mode: &str, step: &str) -> Value {
    robot.call::<RunMaintenance>(RunMaintenanceRequest {
        scope: "global".into(),
        mode: mode.into(),
        ..Default::default()
    });
    let done = do_jobs(robot).pop().expect("a job").1;
    find_step(&done, step).unwrap_or_else(|| panic!("{step} is in {done}")).clone()
}

fn find_step<'v>(value: &'v Value, step: &str) -> Option<&'v Value> {
    match value {
        Value::Object(fields) => fields
            .get(step)
            .filter(|it| it.get("counts").is_some())
            .or_else(|| fields.values().find_map(|it| find_step(it, step))),
        Value::Array(items) => items.iter().find_map(|it| find_step(it, step)),
        _ => None,
    }
}

pub fn count(report: &Value, what: &str) -> u64 {
    report["counts"][what].as_u64().unwrap_or(0)
}

const KETTLE: &str = "kettle hangs above sink";
const BOILER: &str = "a water boiler is mounted over this basin";
const HEATER: &str = "somebody put one hot pot onto that tap";
const OTHER: &str = "the north gate squeaks";

fn kept_by(robot: &Robot, id: i64) -> Option<i64> {
    get(robot, id).memory.superseded_by
}

/// Lets all be compared anew.
fn forget_comparisons(robot: Robot, rows: &[(&'static str, f32)]) -> Robot {
    let robot = changed(robot, |connection| {
        connection
            .execute_batch(
                "UPDATE maintenance_state SET compared_upto = 0; DELETE FROM memory_pair;",
            )
            .expect("it is forgotten");
    });
    plug_in(&robot, rows);
    robot
}

#[test]
fn near_vectors_are_merged_and_every_pair_of_a_group_agrees() {
    // 20 degrees are a cosine of 0.94, 40 of 0.77: the first is like both others, which are not alike.
    let rows = [(BOILER, 20.0), (KETTLE, 0.0), (HEATER, 40.0), (OTHER, 90.0)];
    let (robot, ids) = robot_knowing(&rows);
    let report = maintained(&robot, "daily", "merge");
    assert_eq!((count(&report, "merged_groups"), count(&report, "superseded")), (1, 1), "{report}");
    // Of equals the lowest id stays, and the end of the chain is not like the other.
    assert_eq!(
        ids.iter().map(|id| kept_by(&robot, *id)).collect::<Vec<_>>(),
        [None, Some(ids[0]), None, None]
    );
    assert_eq!(get(&robot, ids[1]).superseded_rule, Some(SupersededRule::Consolidation));
    assert_eq!(report["findings"][0]["memory_ids"], serde_json::json!([ids[0], ids[1]]));
    for again in 0..2 {
        let report = maintained(&robot, "daily", "merge");
        assert_eq!(count(&report, "superseded"), 0, "{again}: {report}");
    }
    let robot = forget_comparisons(robot, &rows);
    assert_eq!(count(&maintained(&robot, "daily", "merge"), "superseded"), 0);
    assert_eq!(kept_by(&robot, ids[2]), None);
}

#[test]
fn what_is_told_apart_is_not_merged_however_near() {
    for (a, b) in [
        ("kettle needs 3 minutes", "the boiler takes 4 minutes"),
        ("the kettle must be used", "a boiler is never switched on"),
        ("The human follows the robot", "The robot follows the human"),
        ("gripper dropped its cup", "gripper dropped its cup again"),
        ("kettle leans to the left side", "boiler stands on the right"),
    ] {
        let rows = [(a, 0.0), (b, 1.0), (OTHER, 90.0), ("the south gate is new", 180.0)];
        let robot = Robot::with(with_workers);
        // Learn would take some of them for one, so the second comes from another scope.
        let first = robot.learn_with(a, "");
        let second = robot.call::<Learn>(LearnRequest {
            insight: b.into(),
            scope: "group:elsewhere".into(),
            ..Default::default()
        });
        robot.learn_with(rows[2].0, "");
        robot.learn_with(rows[3].0, "");
        let robot = changed(robot, |connection| {
            connection.execute("UPDATE memory SET scope = 'global'", []).expect("it moves");
        });
        plug_in(&robot, &rows);
        let report = maintained(&robot, "daily", "merge");
        assert_eq!(count(&report, "superseded"), 0, "{a} / {b}: {report}");
        assert_eq!(get(&robot, first).memory.status, Status::Active);
        assert_eq!(get(&robot, second.memory_id).memory.status, Status::Active);
    }
}

#[test]
fn contexts_tell_apart() {
    let robot = Robot::with(with_workers);
    let said = "glass cup slips out of gripper";
    let nearly = "glass cup slips out of gripper in `grip`";
    let first = robot.learn_with(said, r#"{"task": {"object": "cup-1"}}"#);
    let second = robot.learn_with(nearly, r#"{"task": {"object": "cup-2"}}"#);
    robot.learn(OTHER);
    assert_eq!(count(&maintained(&robot, "daily", "merge"), "superseded"), 0);
    robot.call::<Update>(UpdateRequest {
        memory_id: second,
        new_content: nearly.into(),
        context: r#"{"task": {"object": "cup-1"}}"#.into(),
        ..Default::default()
    });
    // It changed, and so it is held against the others once more.
    assert_eq!(count(&maintained(&robot, "daily", "merge"), "superseded"), 1);
    assert!(kept_by(&robot, first).or(kept_by(&robot, second)).is_some());
}

#[test]
fn only_what_came_or_changed_is_compared() {
    let rows = [(KETTLE, 0.0), (HEATER, 40.0), (OTHER, 90.0), (BOILER, 20.0)];
    let robot = Robot::with(with_workers);
    let kettle = robot.learn_with(KETTLE, "");
    robot.learn_with(HEATER, "");
    robot.learn_with(OTHER, "");
    maintained(&robot, "daily", "merge");
    let upto: i64 = sql(&robot.store_path(), "SELECT compared_upto FROM maintenance_state");
    assert_eq!(upto, 3);
    let marks = |robot: &Robot| -> i64 {
        sql(&robot.store_path(), "SELECT count(*) FROM memory_to_compare")
    };
    assert_eq!(marks(&robot), 0);
    // Their vectors come later, and so does one that says the same.
    plug_in(&robot, &rows);
    let boiler = robot.learn_with(BOILER, "");
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(marks(&robot), 3);
    maintained(&robot, "daily", "merge");
    assert_eq!((kept_by(&robot, kettle), kept_by(&robot, boiler)), (None, Some(kettle)));
    assert_eq!(marks(&robot), 0);
}

const LEVELS: [&str; 2] = ["knowledge", "core"];
const CLASSES: [&str; 3] = ["fact", "knowledge", "lesson"];
const TRUSTS: [&str; 2] = ["medium", "high"];
const TEXTS: [(&str, f32); 8] = [
    ("kettle hangs above sink", 0.0),
    ("a water boiler is mounted over this basin", 15.0),
    ("somebody put one hot pot onto that tap", 30.0),
    ("glass cup slips out of gripper near door", 90.0),
    ("glass cup slips out of gripper in `grip`", 90.0),
    ("glass cup slips out of gripper by 3 mm", 90.0),
    ("constraint: water must never touch electronics", 10.0),
    ("the old shaker sits below a lamp", 45.0),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn merging_is_done_once_and_only_among_equals(
        rows in prop::collection::vec((0..8_usize, 0..2_usize, 0..3_usize, 0..2_usize, 0..2_usize), 4..14),
    ) {
        let mut outcomes = Vec::new();
        for is_reversed in [false, true] {
            let robot = Robot::with(with_workers);
            let mut order: Vec<usize> = (0..rows.len()).collect();
            if is_reversed {
                order.reverse();
            }
            let mut learned = BTreeMap::new();
            for place in order {
                let (text, level, class, trust, collection) = rows[place];
                let answer = robot.call::<Learn>(LearnRequest {
                    insight: TEXTS[text].0.into(),
                    level: LEVELS[level].into(),
                    mem_type: CLASSES[class].into(),
                    trust: TRUSTS[trust].into(),
                    collection: ["one", "two"][collection].into(),
                    // What would be a duplicate of what is there comes from elsewhere.
                    scope: format!("group:g{place}"),
                    ..Default::default()
                });
                learned.insert(place, answer.memory_id);
            }
            let robot = changed(robot, |connection| {
                for (place, id) in &learned {
                    let made = Stamp::from_secs(1_750_000_000 + *place as i64).0;
                    connection
                        .execute(
                            "UPDATE memory SET scope = 'global', created_at = ?2, updated_at = ?2 WHERE id = ?1",
                            [*id, made],
                        )
                        .expect("it moves");
                }
            });
            plug_in(&robot, &TEXTS);
            maintained(&robot, "daily", "merge");
            let places: BTreeMap<i64, usize> = learned.iter().map(|(place, id)| (*id, *place)).collect();
            let mut outcome = BTreeMap::new();
            for (id, place) in &places {
                let stored = get(&robot, *id);
                let row = stored.memory;
                if let Some(by) = row.superseded_by {
                    let by = get(&robot, by).memory;
                    prop_assert_eq!(&row.scope, &by.scope);
                    prop_assert_eq!(&row.collection, &by.collection);
                    prop_assert_eq!((row.level, row.mem_type), (by.level, by.mem_type));
                    prop_assert!(row.trust <= by.trust);
                    prop_assert!(!row.category.is_some_and(|category| category.is_protected()));
                    prop_assert!(row.mem_type.as_str() != "lesson");
                }
                outcome.insert(*place, row.superseded_by.and_then(|by| places.get(&by).copied()));
            }
            let again = maintained(&robot, "daily", "merge");
            prop_assert_eq!(count(&again, "superseded"), 0, "{}", again);
            let robot = forget_comparisons(robot, &TEXTS);
            let report = maintained(&robot, "daily", "merge");
            prop_assert_eq!(count(&report, "superseded"), 0, "{}", report);
            outcomes.push(outcome);
        }
        prop_assert_eq!(&outcomes[0], &outcomes[1]);
    }
}
