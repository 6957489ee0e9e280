//! Detections of a bag, whose type only the bag defines, become objects; imported again nothing changes.

use crate::cli::memory;
use crate::import::{Place, bag_of, message};
use crate::import_pose::{Cdr, DATED, SECOND, transform};
use robot_memory_perception::ClipMessage;
use serde_json::{Value, json};

const DEFINITION: &str = "std_msgs/Header header
Detection3D[] detections
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: vision_msgs/Detection3D
std_msgs/Header header
ObjectHypothesisWithPose[] results
BoundingBox3D bbox
string id
================================================================================
MSG: vision_msgs/ObjectHypothesisWithPose
ObjectHypothesis hypothesis
geometry_msgs/PoseWithCovariance pose
================================================================================
MSG: vision_msgs/ObjectHypothesis
string class_id
float64 score
================================================================================
MSG: geometry_msgs/PoseWithCovariance
Pose pose
float64[36] covariance
================================================================================
MSG: geometry_msgs/Pose
Point position
Quaternion orientation
================================================================================
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
================================================================================
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
================================================================================
MSG: vision_msgs/BoundingBox3D
geometry_msgs/Pose center
geometry_msgs/Vector3 size
================================================================================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
";

fn detections(at: i64, things: &[(&str, [f64; 3])]) -> ClipMessage {
    let mut cdr = Cdr::new().header(at, "base_link").int(things.len() as u32);
    for (label, [x, y, z]) in things {
        cdr = cdr
            .header(at, "base_link")
            .int(1)
            .text(label)
            .doubles(&[0.9])
            .doubles(&[0.0; 43])
            .doubles(&[*x, *y, *z, 0.0, 0.0, 0.0, 1.0])
            .doubles(&[0.1, 0.1, 0.1])
            .text("");
    }
    ClipMessage {
        definition: DEFINITION.into(),
        ..message("/detections", "vision_msgs/msg/Detection3DArray", at, &cdr.0)
    }
}

/// A robot at x = 5 that looks at two cups and a bowl for two seconds.
fn bag(place: &Place) -> std::path::PathBuf {
    let things = [("cup", [2.0, 0.5, 0.8]), ("cup", [2.0, -0.5, 0.8]), ("bowl", [3.0, 0.0, 0.8])];
    let messages = (0..20).flat_map(|tenth| {
        let at = DATED + tenth * SECOND / 10;
        [transform(at, "map", "base_link", 5.0), detections(at, &things)]
    });
    bag_of(place, "kitchen", messages.collect())
}

fn located(place: &Place, what: &str) -> Value {
    memory(&place.store(), &["locate", what, "--json"]).json()
}

#[test]
fn detections_of_a_bag_become_objects_once() {
    let place = Place::new();
    let bag = bag(&place);
    let report = place.import(&bag, &[]).json();
    assert_eq!(report["notes"], json!([]), "{report}");
    let first = located(&place, "杯子");
    assert_eq!(first["total"], 2, "{first}");
    assert_eq!(first["is_known"], true);
    let position = first["places"][0]["position_m"].as_array().expect("a place").clone();
    let near = |value: &Value, at: f64| (value.as_f64().expect("a number") - at).abs() < 1e-6;
    assert!(near(&position[0], 7.0) && near(&position[2], 0.8), "{first}");
    assert_eq!(
        (&first["places"][0]["frame"], &first["places"][0]["label"]),
        (&json!("map"), &json!("cup"))
    );
    // Messages from before the first pose have no place.
    let count = first["places"][0]["count"].as_u64().expect("a count");
    assert!((18..=20).contains(&count), "{count}");
    place.import(&bag, &[]);
    let again = located(&place, "杯子");
    assert_eq!(again["total"], 2);
    assert_eq!(again["places"][0]["count"], count);
    let answer = memory(&place.store(), &["locate", "bowl"]);
    let text = answer.text();
    assert!(text.contains("bowl was seen at (8.00, 0.00, 0.80) map"), "{text}");
    assert!(memory(&place.store(), &["locate", "anvil"]).text().contains("anvil: not known"));
}

#[test]
fn a_dry_run_stores_no_objects() {
    let place = Place::new();
    let bag = bag(&place);
    place.import(&bag, &[]);
    let other = Place::new();
    let bag_again = self::bag(&other);
    other.import(&bag_again, &["--dry-run"]);
    assert_eq!(located(&place, "")["total"], 3);
    assert!(!other.store().exists());
}
