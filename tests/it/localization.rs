//! Places of other maps and frames: never taken for places here, and never left out silently.

use crate::robot::{Robot, START};
use proptest::prelude::RngExt as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use robot_memory_core::api::{ErrorKind, MapRelation, Recall, RecallRequest, SpatialSort};
use robot_memory_core::model::Stamp;
use robot_memory_engine::{FrameTransform, Localization};
use serde_json::json;
use std::sync::{Arc, Mutex};

const MEMORIES: usize = 300;
const QUESTIONS: usize = 1_000;

/// A robot in a map that a test sets. `odom` is a quarter turn to the left and 10 m ahead of `map`.
#[derive(Debug, Default)]
pub struct Placed(Mutex<Option<&'static str>>);

impl Placed {
    pub fn set(&self, map_id: &'static str) {
        *self.0.lock().expect("a lock") = Some(map_id);
    }
}

impl Localization for Placed {
    fn map_id(&self) -> Option<String> {
        self.0.lock().expect("a lock").map(str::to_owned)
    }

    fn transform(&self, from: &str, to: &str) -> Option<FrameTransform> {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let odom_in_map = FrameTransform {
            translation_m: [10.0, 0.0, 0.0],
            rotation: [0.0, 0.0, half, half],
            since: None,
        };
        let map_in_odom = FrameTransform {
            translation_m: [0.0, 10.0, 0.0],
            rotation: [0.0, 0.0, -half, half],
            since: Some(START),
        };
        match (from, to) {
            ("odom", "map") => Some(odom_in_map),
            ("map", "odom") => Some(map_in_odom),
            _ => None,
        }
    }
}

/// What a test knows of a memory.
struct Known {
    id: i64,
    map_id: &'static str,
    /// In the frame `map`, when it has a place there.
    in_map: Option<[f64; 3]>,
}

fn filled(robot: &Robot, rng: &mut TestRng) -> Vec<Known> {
    let mut known = Vec::with_capacity(MEMORIES);
    for number in 0..MEMORIES {
        let at = [0, 1, 2].map(|_| f64::from(rng.random_range(-200..200)) / 10.0);
        let map_id = ["hall", "cellar", ""][rng.random_range(0..3)];
        let frame = ["map", "/map", "odom", "arm", ""][rng.random_range(0..5)];
        let mut spatial = json!({"object_position": at});
        for (name, text) in [("map_id", map_id), ("frame", frame)] {
            if !text.is_empty() {
                spatial[name] = json!(text);
            }
        }
        let context = json!({"spatial": spatial}).to_string();
        let id = robot.learn_with(&format!("Box {number} weighs {number} kg"), &context);
        let [x, y, z] = at;
        let in_map = match frame {
            "map" | "/map" => Some(at),
            "odom" => Some([10.0 - y, x, z]),
            _ => None,
        };
        known.push(Known { id, map_id, in_map });
    }
    known
}

fn question(target: [f64; 3], max_distance: f64, frame: &str) -> RecallRequest {
    let sort = SpatialSort {
        field: "spatial.object_position".into(),
        target: target.into(),
        max_distance,
        frame: frame.into(),
        ..SpatialSort::default()
    };
    RecallRequest { spatial_sort: Some(sort), n: 10, ..Default::default() }
}

#[test]
fn nothing_of_another_map_is_near_and_frames_are_compared_through_transforms() {
    let robot = Robot::words_only();
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let known = filled(&robot, &mut rng);
    let placed = Arc::new(Placed::default());
    robot.engine.set_localization(Some(placed.clone()));
    for number in 0..QUESTIONS {
        let here = if number % 2 == 0 { "hall" } else { "cellar" };
        placed.set(here);
        let target = [0, 1, 2].map(|_| f64::from(rng.random_range(-250..250)) / 10.0);
        let max_distance = if number % 3 == 0 { 12.0 } else { 0.0 };
        let answer = robot.call::<Recall>(question(target, max_distance, "map"));
        let is_here = |it: &&Known| it.map_id.is_empty() || it.map_id == here;
        let mut near: Vec<(f64, i64)> = known
            .iter()
            .filter(is_here)
            .filter_map(|it| {
                let at = it.in_map?;
                let square = |i: usize| (at[i] - target[i]).powi(2);
                Some(((0..3).map(square).sum::<f64>().sqrt(), it.id))
            })
            .filter(|(distance, _)| max_distance == 0.0 || *distance <= max_distance)
            .collect();
        near.sort_by(|a, b| a.partial_cmp(b).expect("finite numbers"));
        assert_eq!(answer.total, near.len() as u64);
        for (hit, (distance, _)) in answer.memories.iter().zip(&near) {
            let told = hit.spatial_distance.expect("a distance");
            assert!((told - distance).abs() < 1e-9, "{told} {distance}");
            let it = known.iter().find(|it| it.id == hit.memory.id).expect("a known one");
            assert!(is_here(&it), "of another map");
            let relation =
                if it.map_id.is_empty() { MapRelation::Unknown } else { MapRelation::Same };
            assert_eq!(hit.map_relation, Some(relation));
        }
        assert_eq!(answer.memories.len(), near.len().min(10));
        assert_eq!(answer.unresolved_frames, ["", "arm"]);
        assert!(answer.other_map_count > 50);
    }
}

#[test]
fn a_transform_holds_for_places_since_it_was_told() {
    let robot = Robot::words_only();
    robot.engine.set_localization(Some(Arc::new(Placed::default())));
    let context = r#"{"spatial": {"object_position": [0.0, 10.0, 0.0], "frame": "odom"}}"#;
    robot.clock.set(Stamp(START.0 - 1));
    robot.learn_with("Seen before the odometry began", context);
    robot.clock.set(START);
    let later = robot.learn_with("Seen since", context);
    let answer = robot.call::<Recall>(question([0.0; 3], 0.0, "map"));
    let ids: Vec<i64> = answer.memories.iter().map(|hit| hit.memory.id).collect();
    assert_eq!((ids, answer.memories[0].spatial_distance), (vec![later], Some(0.0)));
    assert_eq!(answer.unresolved_frames, ["odom"]);
}

#[test]
fn what_is_of_another_map_is_said_to_be_and_found_when_asked_for() {
    let robot = Robot::new();
    let of = |map_id| json!({"spatial": {"object_position": [1.0, 2.0], "map_id": map_id}});
    robot.learn_with("The red mug is on the shelf", &of("hall").to_string());
    robot.learn_with("The blue mug is on the table", &of("cellar").to_string());
    let near = |map_id: &str, frame: &str| {
        let sort = SpatialSort {
            field: "spatial.object_position".into(),
            target: vec![0.0, 0.0],
            frame: frame.into(),
            ..SpatialSort::default()
        };
        let request =
            RecallRequest { spatial_sort: Some(sort), map_id: map_id.into(), ..Default::default() };
        let answer = robot.call::<Recall>(request);
        (answer.memories.len(), answer.other_map_count, answer.unresolved_frames)
    };
    // As long as nobody knows where the robot is, numbers are numbers.
    assert_eq!(near("", ""), (2, 0, vec![]));
    assert_eq!(near("", "map"), (0, 0, vec![String::new()]));
    let placed = Arc::new(Placed(Mutex::new(Some("hall"))));
    robot.engine.set_localization(Some(placed));
    assert_eq!(near("", ""), (1, 1, vec![]));
    assert_eq!(near("cellar", ""), (1, 0, vec![]));
    let relations: Vec<_> = robot
        .recall("mug")
        .memories
        .iter()
        .map(|hit| (hit.memory.content.contains("red"), hit.map_relation))
        .collect();
    assert!(relations.contains(&(true, Some(MapRelation::Same))), "{relations:?}");
    assert!(relations.contains(&(false, Some(MapRelation::Other))), "{relations:?}");
    let long = question([0.0; 3], 0.0, &"x".repeat(300));
    let refused = robot.engine.call::<Recall>(long).expect_err("refused");
    assert_eq!(refused.kind, ErrorKind::InvalidArgument);
    assert!(refused.message.starts_with("spatial_sort.frame"), "{}", refused.message);
}
