//! What detectors publish, read by the definition of its type: `vision_msgs` as it was and as it is, and
//! AprilTags.

use super::{Body, Fault};
use crate::Value;
use crate::objects::Detection;
use robot_memory_core::limits::{DETECTIONS_MAX, LABEL_CHARS_MAX, OBJECT_LABELS_MAX};
use robot_memory_messages::{Interface, PathValue, TypeName};
use serde_json::Value as Json;
use std::slice::ChunksExact;

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
const FIELDS: [&str; 19] = [
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
    "bbox",
    "center",
    "size",
    "size_x",
    "size_y",
    "family",
];
/// The covariances of all hypotheses, whichever of these there is: as numbers alone they cost little.
const COVARIANCES: [&str; 3] =
    ["detections[*].results[*].pose.covariance", "results[*].pose.covariance", "pose.covariance"];
/// Numbers of one, by rows.
const COVARIANCE: usize = 36;
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
    let covariances = COVARIANCES.into_iter().find_map(|path| interface.find(path).ok());
    Box::new(move |reader| {
        let message = interface.to_json_of(reader.message(), &FIELDS)?;
        let given = covariances.as_ref().and_then(|path| path.read(reader.message()).ok());
        let numbers = match given {
            Some(PathValue::Numbers { values, .. }) => values,
            _ => Vec::new(),
        };
        let mut covariances = numbers.chunks_exact(COVARIANCE);
        let found = match &message["detections"] {
            Json::Array(detections) => {
                detections.iter().filter_map(|it| detection(it, &mut covariances)).collect()
            }
            // As many as that are told by their number alone.
            Json::String(_) => return Err(Fault::TooManyDetections),
            _ => detection(&message, &mut covariances).into_iter().collect(),
        };
        Ok(Value::Detections(found))
    })
}

/// One detection, and from the covariances those of its hypotheses; `None`: it does not say of what.
fn detection(json: &Json, covariances: &mut ChunksExact<'_, f64>) -> Option<Detection> {
    let own = [json.clone()];
    let results = json["results"].as_array().map_or(&own[..], Vec::as_slice);
    let covariances: Vec<&[f64]> = covariances.take(results.len()).collect();
    let named = results.iter().enumerate().filter_map(|(at, it)| Some((at, label(it)?)));
    let mut named: Vec<(usize, (String, f64))> = named.collect();
    named.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    named.truncate(OBJECT_LABELS_MAX);
    let best = named.first()?.0;
    let given = results.get(best).map_or(&Json::Null, |it| &it["pose"]);
    let boxed = &json["bbox"]["center"];
    // A picture's box has a place in pixels, which has no z.
    let posed = pose(boxed).or_else(|| pose(given)).or_else(|| pose(&given["pose"]));
    let posed = posed.or_else(|| pose(&given["pose"]["pose"]));
    let child_frame = tag_frame(json).filter(|_| posed.is_none());
    let (position, orientation) = posed.unzip();
    Some(Detection {
        labels: named.into_iter().map(|(_, named)| named).collect(),
        position,
        orientation: orientation.flatten(),
        variance_m2: covariances.get(best).and_then(|it| variance_m2(it)),
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

/// The largest variance of x, y and z in a covariance; `None` when it gives none.
fn variance_m2(covariance: &[f64]) -> Option<f64> {
    let axes = [0, 7, 14].map(|at| covariance.get(at).copied().unwrap_or(0.0));
    let largest = axes.into_iter().fold(0.0, f64::max);
    (largest > 0.0).then_some(largest)
}

/// Messages with more are told by how many they have.
const _: () = assert!(DETECTIONS_MAX < robot_memory_core::limits::MESSAGE_VALUES_MAX);
