//! What detectors publish, read by the definition of its type: `vision_msgs` as it was and as it is, and
//! AprilTags.

use super::{Body, Fault};
use crate::Value;
use crate::objects::Detection;
use robot_memory_core::limits::{DETECTIONS_MAX, LABEL_CHARS_MAX, OBJECT_LABELS_MAX};
use robot_memory_messages::{Interface, TypeName};
use serde_json::Value as Json;

/// Types whose messages are detections.
const VISION_TYPES: [&str; 5] = [
    "Detection2DArray",
    "Detection3DArray",
    "Detection2D",
    "Detection3D",
    "ObjectHypothesisWithPose",
];
const TAG_TYPE: &str = "AprilTagDetectionArray";
/// The fields that are read, on every level.
const FIELDS: [&str; 20] = [
    "detections",
    "results",
    "hypothesis",
    "class_id",
    "id",
    "score",
    "pose",
    "position",
    "orientation",
    "x",
    "y",
    "z",
    "w",
    "covariance",
    "bbox",
    "center",
    "size",
    "size_x",
    "size_y",
    "family",
];
/// A score below is one that nobody gave.
const SCORE_MIN: f64 = 0.05;

/// Whether messages of a type are detections.
pub fn are_detections(type_name: &str) -> bool {
    TypeName::parse(type_name).is_some_and(|type_name| is_of(&type_name))
}

pub(super) fn is_of(type_name: &TypeName) -> bool {
    let name = type_name.name();
    type_name.folder() == "msg"
        && (type_name.package() == "vision_msgs" && VISION_TYPES.contains(&name)
            || name == TAG_TYPE)
}

/// Reads detections of a type with this definition.
pub(super) fn detections(interface: &Interface) -> Body {
    let interface = interface.clone();
    Box::new(move |reader| {
        let message = interface.to_json_of(reader.message(), &FIELDS)?;
        let found = match &message["detections"] {
            Json::Array(detections) => detections.iter().filter_map(detection).collect(),
            // As many as that are told by their number alone.
            Json::String(_) => return Err(Fault::TooManyDetections),
            _ => detection(&message).into_iter().collect(),
        };
        Ok(Value::Detections(found))
    })
}

/// One detection; `None`: it does not say of what.
fn detection(json: &Json) -> Option<Detection> {
    let own = [json.clone()];
    let results = json["results"].as_array().map_or(&own[..], Vec::as_slice);
    let mut labels: Vec<(String, f64)> = results.iter().filter_map(label).collect();
    labels.sort_by(|a, b| b.1.total_cmp(&a.1));
    labels.truncate(OBJECT_LABELS_MAX);
    let best = labels.first()?.0.clone();
    let hypothesis = results.iter().find(|it| label(it).is_some_and(|(label, _)| label == best));
    let given = hypothesis.map_or(&Json::Null, |it| &it["pose"]);
    let boxed = &json["bbox"]["center"];
    // A picture's box has a place in pixels, which has no z.
    let posed = pose(boxed).or_else(|| pose(given)).or_else(|| pose(&given["pose"]));
    let posed = posed.or_else(|| pose(&given["pose"]["pose"]));
    let child_frame = tag_frame(json).filter(|_| posed.is_none());
    let (position, orientation) = posed.unzip();
    Some(Detection {
        labels,
        position,
        orientation: orientation.flatten(),
        variance_m2: variance_m2(given),
        size_m: numbers(&json["bbox"]["size"], ["x", "y", "z"]).filter(|size| is_some(size)),
        child_frame,
    })
}

/// What a hypothesis, or a tag, says it is, and how sure it is.
fn label(json: &Json) -> Option<(String, f64)> {
    if let Some(frame) = tag_frame(json) {
        return Some((frame, 1.0));
    }
    let of = if json["hypothesis"].is_object() { &json["hypothesis"] } else { json };
    let named = [&of["class_id"], &of["id"]].into_iter().find_map(|name| match name {
        Json::String(name) => Some(name.trim().to_owned()),
        Json::Number(number) => Some(number.to_string()),
        // Of a bundle of tags, the first.
        Json::Array(numbers) => numbers.first().map(|number| format!("tag:{number}")),
        _ => None,
    });
    let name: String = named?.chars().filter(|c| !c.is_control()).take(LABEL_CHARS_MAX).collect();
    let score = of["score"].as_f64().unwrap_or(1.0).clamp(SCORE_MIN, 1.0);
    (!name.is_empty()).then_some((name, score))
}

/// The name of a tag, which is also that of its frame (apriltag_ros).
fn tag_frame(json: &Json) -> Option<String> {
    let family = json["family"].as_str().filter(|family| !family.is_empty())?;
    let name = format!("{family}:{}", json["id"].as_i64()?);
    Some(name.chars().take(LABEL_CHARS_MAX).collect())
}

/// A pose that somebody filled in.
fn pose(json: &Json) -> Option<([f64; 3], Option<[f64; 4]>)> {
    let position = numbers(&json["position"], ["x", "y", "z"]).filter(|place| is_some(place))?;
    let orientation = numbers(&json["orientation"], ["x", "y", "z", "w"]);
    Some((position, orientation.filter(|rotation| is_some(rotation))))
}

fn numbers<const N: usize>(json: &Json, names: [&str; N]) -> Option<[f64; N]> {
    let mut numbers = [0.0; N];
    for (number, name) in numbers.iter_mut().zip(names) {
        *number = json[name].as_f64()?;
    }
    Some(numbers)
}

fn is_some(numbers: &[f64]) -> bool {
    numbers.iter().any(|number| *number != 0.0)
}

/// The largest variance of x, y and z that a hypothesis gives; `None` when it gives none.
fn variance_m2(pose: &Json) -> Option<f64> {
    let covariance = pose["covariance"].as_array()?;
    let axes = [0, 7, 14].map(|at| covariance.get(at).and_then(Json::as_f64).unwrap_or(0.0));
    let largest = axes.into_iter().fold(0.0, f64::max);
    (largest > 0.0).then_some(largest)
}

/// Messages with more are told by how many they have.
const _: () = assert!(DETECTIONS_MAX < robot_memory_core::limits::MESSAGE_VALUES_MAX);
