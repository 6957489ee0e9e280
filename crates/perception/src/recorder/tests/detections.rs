//! Detections of types that are only known by their definitions.

use super::*;
use crate::settings::of_topic;
use robot_memory_core::object::TrackedObject;
use robot_memory_messages::testing::to_cdr;
use serde_json::{Value, json};

/// What several definitions end with.
const COMMON: &str = "
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
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
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
================================================================================
MSG: vision_msgs/ObjectHypothesisWithPose
ObjectHypothesis hypothesis
geometry_msgs/PoseWithCovariance pose
================================================================================
MSG: vision_msgs/ObjectHypothesis
string class_id
float64 score
";
const DETECTIONS_3D: &str = "std_msgs/Header header
Detection3D[] detections
================================================================================
MSG: vision_msgs/Detection3D
std_msgs/Header header
ObjectHypothesisWithPose[] results
BoundingBox3D bbox
string id
================================================================================
MSG: vision_msgs/BoundingBox3D
geometry_msgs/Pose center
geometry_msgs/Vector3 size";
const DETECTIONS_2D: &str = "std_msgs/Header header
Detection2D[] detections
================================================================================
MSG: vision_msgs/Detection2D
std_msgs/Header header
ObjectHypothesisWithPose[] results
BoundingBox2D bbox
string id
================================================================================
MSG: vision_msgs/BoundingBox2D
Pose2D center
float64 size_x
float64 size_y
================================================================================
MSG: vision_msgs/Pose2D
Point2D position
float64 theta
================================================================================
MSG: vision_msgs/Point2D
float64 x
float64 y";
const TAGS: &str = "std_msgs/Header header
AprilTagDetection[] detections
================================================================================
MSG: apriltag_msgs/AprilTagDetection
string family
int32 id
int32 hamming
float32 goodness
float32 decision_margin
Point centre
Point[4] corners
float64[9] homography
================================================================================
MSG: apriltag_msgs/Point
float64 x
float64 y";
const TRANSFORMS: &str = "geometry_msgs/TransformStamped[] transforms
================================================================================
MSG: geometry_msgs/TransformStamped
std_msgs/Header header
string child_frame_id
Transform transform
================================================================================
MSG: geometry_msgs/Transform
Vector3 translation
Quaternion rotation";

fn interface(type_name: &str, definition: &str) -> Interface {
    Interface::parse(type_name, &format!("{definition}{COMMON}")).expect("a definition")
}

fn header(secs: f64, frame_id: &str) -> Value {
    let (sec, nanosec) = at(secs).to_parts();
    json!({"stamp": {"sec": sec, "nanosec": nanosec}, "frame_id": frame_id})
}

fn point(xyz: [f64; 3]) -> Value {
    json!({"x": xyz[0], "y": xyz[1], "z": xyz[2]})
}

fn pose(xyz: [f64; 3]) -> Value {
    json!({"position": point(xyz), "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}})
}

/// Of a hypothesis with a score of 0.9: 4 m^2 along y.
fn covariance(score: f64) -> Vec<f64> {
    (0..36).map(|at| if at == 7 && score == 0.9 { 4.0 } else { 0.0 }).collect()
}

fn results(labels: &[(&str, f64)], xyz: [f64; 3]) -> Value {
    let one = |(label, score): &(&str, f64)| {
        json!({
            "hypothesis": {"class_id": label, "score": score},
            "pose": {"pose": pose(xyz), "covariance": covariance(*score)},
        })
    };
    labels.iter().map(one).collect()
}

fn transform(secs: f64, parent: &str, child: &str, xyz: [f64; 3]) -> Received {
    let interface = interface("tf2_msgs/msg/TFMessage", TRANSFORMS);
    let rotation = json!({"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0});
    let message = json!({"transforms": [{
        "header": header(secs, parent),
        "child_frame_id": child,
        "transform": {"translation": point(xyz), "rotation": rotation},
    }]});
    let message = to_cdr(&interface, &message, false).into();
    Received { source: Source::Pose, received: at(secs), message }
}

/// What a recorder that hears the robot at x = 10 and its camera 1 m above it makes of these messages.
fn objects_of(
    topic: &str,
    interface: Interface,
    messages: impl Fn(f64) -> Value,
) -> (Vec<TrackedObject>, Recorder) {
    let pose = PoseSettings {
        pose_frame: "map".into(),
        base_frame: "base_link".into(),
        map_id: "hall".into(),
        age_secs_max: 1.0,
        std_dev_m_max: 0.0,
        settle_secs: 0.0,
        is_auto: true,
    };
    let settings = RecorderSettings { pose: Some(pose), ..RecorderSettings::default() };
    let type_name = interface.type_name().to_owned();
    let stream = of_topic(topic, &type_name).expect("it is heard by itself");
    let mut recorder = Recorder::new(settings, vec![stream]);
    recorder.set_type(0, &type_name, Some(interface.clone())).expect("it is read");
    recorder.set_pose_type(Source::Pose, "tf2_msgs/msg/TFMessage", None).expect("it is known");
    let mut out = Vec::new();
    for step in 0..30 {
        let secs = f64::from(step) * 0.1;
        recorder.take(transform(secs, "map", "base_link", [10.0, 0.0, 0.0]));
        recorder.take(transform(secs, "base_link", "camera", [0.0, 0.0, 1.0]));
        recorder.take(transform(secs, "camera", "tag36h11:7", [0.5, 0.0, 0.0]));
        let message = to_cdr(&interface, &messages(secs), false);
        recorder.take(heard(0, secs, message));
        recorder.advance(at(secs), &mut out);
    }
    recorder.advance(at(4.0), &mut out);
    assert_eq!(out, [], "detections are no events");
    (recorder.take_objects().objects, recorder)
}

#[test]
fn boxes_in_space_become_objects_where_they_are() {
    let interface = interface("vision_msgs/msg/Detection3DArray", DETECTIONS_3D);
    let message = |secs| {
        let boxed = |xyz| json!({"center": pose(xyz), "size": point([0.1, 0.1, 0.2])});
        let detection = |labels: &[(&str, f64)], xyz| {
            json!({
                "header": header(secs, "camera"),
                "results": results(labels, [0.0; 3]),
                "bbox": boxed(xyz),
                "id": "",
            })
        };
        json!({"header": header(secs, "camera"), "detections": [
            detection(&[("bowl", 0.2), ("cup", 0.7)], [2.0, 1.0, -0.5]),
            detection(&[("cup", 0.9)], [2.0, -1.0, -0.5]),
        ]})
    };
    let (objects, recorder) = objects_of("/detections", interface, message);
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[0].labels.top(), "cup");
    assert_eq!((objects[0].frame.as_str(), objects[0].map_id.as_str()), ("map", "hall"));
    let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(near(objects[0].position_m, [12.0, 1.0, 0.5]), "{:?}", objects[0]);
    assert!(near(objects[1].position_m, [12.0, -1.0, 0.5]));
    assert!(near(objects[0].robot_m, [10.0, 0.0, 0.0]));
    // As the depth camera's, and as the second one's covariance says, after some sightings.
    assert!(objects[0].sigma_m < 0.06 && objects[1].sigma_m > 0.3, "{objects:?}");
    assert_eq!((objects[0].size_m, objects[0].count), (Some([0.1, 0.1, 0.2]), 30));
    assert_eq!(recorder.counts()[0].undecodable, 0);
}

#[test]
fn boxes_in_a_picture_are_seen_from_the_robot_unless_they_have_a_pose() {
    let type_name = "vision_msgs/msg/Detection2DArray";
    let message = |xyz: [f64; 3]| {
        move |secs| {
            let center = json!({"position": {"x": 320.0, "y": 200.0}, "theta": 0.0});
            json!({"header": header(secs, "camera"), "detections": [{
                "header": header(secs, "camera"),
                "results": results(&[("cup", 0.7)], xyz),
                "bbox": {"center": center, "size_x": 40.0, "size_y": 50.0},
                "id": "4",
            }]})
        }
    };
    let (flat, _) = objects_of("/boxes", interface(type_name, DETECTIONS_2D), message([0.0; 3]));
    assert!(flat[0].is_seen_from);
    assert_eq!(flat[0].position_m, [10.0, 0.0, 0.0]);
    let posed = message([1.0, 0.0, 0.0]);
    let (posed, _) = objects_of("/boxes", interface(type_name, DETECTIONS_2D), posed);
    assert!(!posed[0].is_seen_from);
    assert!((posed[0].position_m[0] - 11.0).abs() < 1e-6, "{posed:?}");
}

#[test]
fn tags_are_where_their_frames_are() {
    let message = |secs| {
        let point = json!({"x": 1.0, "y": 2.0});
        json!({"header": header(secs, "camera"), "detections": [{
            "family": "tag36h11", "id": 7, "hamming": 0, "goodness": 0.0, "decision_margin": 60.0,
            "centre": point, "corners": [point, point, point, point], "homography": vec![0.0; 9],
        }]})
    };
    let interface = interface("apriltag_msgs/msg/AprilTagDetectionArray", TAGS);
    let (tags, _) = objects_of("/tags", interface, message);
    assert_eq!(tags[0].labels.top(), "tag36h11:7");
    assert!((tags[0].position_m[0] - 10.5).abs() < 1e-6 && !tags[0].is_seen_from, "{tags:?}");
}

#[test]
fn without_a_pose_detections_are_counted_as_of_no_use() {
    let interface = interface("vision_msgs/msg/Detection3DArray", DETECTIONS_3D);
    let stream = of_topic("/detections", interface.type_name()).expect("it is heard");
    let mut recorder = Recorder::new(RecorderSettings::default(), vec![stream]);
    recorder.set_type(0, interface.type_name(), Some(interface.clone())).expect("it is read");
    let message = json!({"header": header(0.0, "camera"), "detections": []});
    recorder.take(heard(0, 0.0, to_cdr(&interface, &message, false)));
    recorder.advance(at(5.0), &mut Vec::new());
    let counts = &recorder.counts()[0];
    assert_eq!(counts.undecodable, 1);
    assert!(counts.problem.contains("pose_topic"), "{}", counts.problem);
    assert!(recorder.take_objects().is_empty());
}
