//! Spatial sorts by the root mean square distance against brute force over all rows.

use crate::localization::Placed;
use crate::robot::Robot;
use proptest::prelude::RngExt as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use robot_memory_core::api::{
    ErrorKind, Recall, RecallRequest, SpatialSort, Update, UpdateRequest,
};
use serde_json::{Value, json};
use std::sync::Arc;

const MEMORIES: usize = 200;
const QUESTIONS: usize = 500;
/// Every so many questions rows get another standard deviation, and the trees are built again.
const UPDATES_EVERY: usize = 50;

/// What a test knows of a memory.
struct Known {
    id: i64,
    number: usize,
    at: Vec<f64>,
    frame: &'static str,
    /// What its context has as the standard deviation; `Null`: nothing.
    std_dev: Value,
}

impl Known {
    fn context(&self) -> String {
        let mut spatial = json!({"at": self.at, "frame": self.frame});
        if !self.std_dev.is_null() {
            spatial["std_dev_m"] = self.std_dev.clone();
        }
        json!({"spatial": spatial}).to_string()
    }

    /// Its root mean square distance from a target of the frame `map`, or of its own numbers.
    fn distance(&self, target: &[f64], is_in_map: bool) -> Option<f64> {
        let at = match (is_in_map, self.frame, self.at.as_slice()) {
            (false, ..) | (true, "map", _) => self.at.clone(),
            (true, "odom", [x, y, rest @ ..]) => [&[10.0 - y, *x], rest].concat(),
            _ => return None,
        };
        let variance = self.std_dev.as_f64().filter(|s| *s >= 0.0).unwrap_or(0.0).powi(2);
        // The trace of the covariance: the variance of one axis after another.
        let squares = at.iter().zip(target).map(|(a, b)| (a - b).powi(2) + variance);
        (at.len() == target.len()).then(|| squares.sum::<f64>().sqrt())
    }
}

fn std_dev(rng: &mut TestRng) -> Value {
    match rng.random_range(0..7) {
        0 => Value::Null,
        1 => json!("0.5"),
        2 => json!(-3.0),
        3 => json!([4.0]),
        _ => json!(f64::from(rng.random_range(0..80)) / 10.0),
    }
}

fn point(rng: &mut TestRng, dimension: usize) -> Vec<f64> {
    (0..dimension).map(|_| f64::from(rng.random_range(-200..200)) / 10.0).collect()
}

fn filled(robot: &Robot, rng: &mut TestRng) -> Vec<Known> {
    let known = (0..MEMORIES).map(|number| {
        let dimension = rng.random_range(2..4);
        let (at, std_dev) = (point(rng, dimension), std_dev(rng));
        let frame = ["map", "odom", "arm"][rng.random_range(0..3)];
        let mut it = Known { id: 0, number, at, frame, std_dev };
        it.id = robot.learn_with(&format!("Box {number} weighs {number} kg"), &it.context());
        it
    });
    known.collect()
}

fn change(robot: &Robot, rng: &mut TestRng, known: &mut [Known]) {
    for _ in 0..20 {
        let it = &mut known[rng.random_range(0..MEMORIES)];
        it.std_dev = std_dev(rng);
        let new_content = format!("Box {0} weighs {0} kg", it.number);
        let context = it.context();
        robot.call::<Update>(UpdateRequest {
            memory_id: it.id,
            new_content,
            context,
            ..Default::default()
        });
    }
    assert!(robot.engine.upkeep().is_ok());
}

fn request(target: &[f64], max_distance: f64, frame: &str, std_dev_field: &str) -> RecallRequest {
    let sort = SpatialSort {
        field: "spatial.at".into(),
        target: target.into(),
        max_distance,
        frame: frame.into(),
        std_dev_field: std_dev_field.into(),
    };
    RecallRequest { spatial_sort: Some(sort), n: 20, explain: true, ..Default::default() }
}

#[test]
fn the_nearest_by_root_mean_square_are_those_of_all_rows() {
    let robot = Robot::words_only();
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut known = filled(&robot, &mut rng);
    robot.engine.set_localization(Some(Arc::new(Placed::default())));
    for number in 0..QUESTIONS {
        if number % UPDATES_EVERY == UPDATES_EVERY - 1 {
            change(&robot, &mut rng, &mut known);
        }
        let target = point(&mut rng, 2 + number % 2);
        let is_in_map = number % 4 < 2;
        let max_distance = if number % 3 == 0 { 12.0 } else { 0.0 };
        let frame = if is_in_map { "map" } else { "" };
        let answer =
            robot.call::<Recall>(request(&target, max_distance, frame, "spatial.std_dev_m"));
        let mut near: Vec<(f64, i64)> = known
            .iter()
            .filter_map(|it| Some((it.distance(&target, is_in_map)?, it.id)))
            .filter(|(distance, _)| max_distance == 0.0 || *distance <= max_distance)
            .collect();
        near.sort_by(|a, b| a.partial_cmp(b).expect("finite numbers"));
        assert_eq!(answer.total, near.len() as u64);
        assert_eq!(answer.memories.len(), near.len().min(20));
        for (hit, (distance, _)) in answer.memories.iter().zip(&near) {
            let told = hit.spatial_distance.expect("a distance");
            assert!((told - distance).abs() < 1e-9, "{told} {distance}");
            let own = near.iter().find(|(_, id)| *id == hit.memory.id).expect("a near one").0;
            assert!((told - own).abs() < 1e-9, "{told} {own}");
        }
        let unresolved: &[&str] = if is_in_map { &["arm"] } else { &[] };
        assert_eq!(answer.unresolved_frames, unresolved);
        assert!(answer.plan.contains("standard deviation spatial.std_dev_m"), "{}", answer.plan);
    }
}

#[test]
fn a_standard_deviation_counts_only_where_it_is_asked_for() {
    let robot = Robot::words_only();
    let at = |x: f64, s: f64| {
        let context = json!({"spatial": {"at": [x, 0.0, 0.0], "std_dev_m": s}});
        robot.learn_with(&format!("A box at {x} m"), &context.to_string())
    };
    let (vague, certain) = (at(1.0, 2.0), at(3.0, 0.1));
    let told = |std_dev_field: &str| {
        let answer = robot.call::<Recall>(request(&[0.0; 3], 0.0, "", std_dev_field));
        let hits = answer.memories.iter();
        hits.map(|hit| (hit.memory.id, hit.spatial_distance.expect("a distance")))
            .collect::<Vec<_>>()
    };
    for _ in 0..2 {
        assert_eq!(told(""), [(vague, 1.0), (certain, 3.0)]);
        assert_eq!(told("spatial.std_dev_m")[0].0, certain);
        assert!((told("spatial.std_dev_m")[1].1 - 13_f64.sqrt()).abs() < 1e-12);
        assert_eq!(told("spatial.none_such"), [(vague, 1.0), (certain, 3.0)]);
    }
}

#[test]
fn a_wrong_field_and_a_target_without_room_are_refused() {
    let robot = Robot::words_only();
    let cases = [
        (request(&[0.0; 3], 0.0, "", "a..b"), "spatial_sort.std_dev_field: the path"),
        (
            request(&[0.0; 16], 0.0, "", "s"),
            "spatial_sort.target: must have 1 to 15 numbers beside std_dev_field, got 16",
        ),
        (request(&[], 0.0, "", "s"), "spatial_sort.target: must have 1 to 15 numbers"),
    ];
    for (request, told) in cases {
        let (kind, message) = robot.refused::<Recall>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument);
        assert!(message.starts_with(told), "{message}");
    }
    let most = request(&[0.0; 15], 0.0, "", "s");
    assert!(robot.call::<Recall>(most).memories.is_empty());
}
