//! The steps of an attempt, as a request gives them.

use super::attempts::attempt_name;
use super::check::{self, invalid};
use crate::Result;
use robot_memory_core::api::Verdict;
use robot_memory_core::limits::{CONTEXT_BYTES_MAX, STEPS_MAX};
use serde_json::{Map, Value};

/// What a step may have.
const FIELDS: &[&str] = &["name", "params", "anchor", "pose", "duration_secs", "verdict"];
/// What a pose has: metres, and a unit quaternion x, y, z, w.
const POSE: &[(&str, usize)] = &[("position_m", 3), ("orientation", 4)];

/// The steps of a request; none of an empty text.
pub(super) fn given_steps(text: &str) -> Result<Vec<Value>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    if text.len() > CONTEXT_BYTES_MAX {
        let bytes = text.len();
        return Err(invalid(format!("steps: at most {CONTEXT_BYTES_MAX} bytes, got {bytes}")));
    }
    let steps: Vec<Value> = serde_json::from_str(text)
        .map_err(|error| invalid(format!("steps: must be a JSON array of objects: {error}")))?;
    if steps.len() > STEPS_MAX {
        let count = steps.len();
        return Err(invalid(format!("steps: at most {STEPS_MAX}, got {count}")));
    }
    for (place, step) in steps.iter().enumerate() {
        let at = format!("steps[{place}]");
        let Value::Object(fields) = step else {
            return Err(invalid(format!("{at}: must be a JSON object")));
        };
        check_step(&at, fields)?;
    }
    Ok(steps)
}

fn check_step(at: &str, fields: &Map<String, Value>) -> Result<()> {
    if let Some(odd) = fields.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        let known = FIELDS.join(", ");
        return Err(invalid(format!("{at}: has no field {odd:?}, only {known}")));
    }
    let name = text(at, fields, "name")?.unwrap_or_default();
    if name.is_empty() {
        return Err(invalid(format!("{at}.name: must not be empty")));
    }
    let anchor = text(at, fields, "anchor")?.unwrap_or_default();
    if fields.get("params").is_some_and(|it| !it.is_object()) {
        return Err(invalid(format!("{at}.params: must be a JSON object")));
    }
    if let Some(pose) = fields.get("pose") {
        if anchor.is_empty() {
            return Err(invalid(format!("{at}.pose: needs the anchor that it is relative to")));
        }
        check_pose(at, pose)?;
    }
    if let Some(secs) = fields.get("duration_secs")
        && !secs.as_f64().is_some_and(|it| it.is_finite() && it >= 0.0)
    {
        return Err(invalid(format!("{at}.duration_secs: must be 0 or more, got {secs}")));
    }
    let verdict = text(at, fields, "verdict")?.unwrap_or_default();
    check::parse_enum(&format!("{at}.verdict"), verdict, Verdict::parse, Verdict::spellings)?;
    Ok(())
}

/// A text of a step, when there is one.
fn text<'a>(at: &str, fields: &'a Map<String, Value>, field: &str) -> Result<Option<&'a str>> {
    let Some(value) = fields.get(field) else { return Ok(None) };
    let Value::String(text) = value else {
        return Err(invalid(format!("{at}.{field}: must be a text, got {value}")));
    };
    attempt_name(&format!("{at}.{field}"), text).map(Some)
}

fn check_pose(at: &str, pose: &Value) -> Result<()> {
    let is_numbers = |field: &Value, count: usize| {
        let numbers = field.as_array();
        numbers.is_some_and(|it| it.len() == count && it.iter().all(Value::is_number))
    };
    let fields = pose.as_object();
    let is_pose = fields.is_some_and(|fields| {
        fields.contains_key("position_m")
            && fields.iter().all(|(key, value)| {
                POSE.iter().any(|(name, count)| key == name && is_numbers(value, *count))
            })
    });
    if is_pose {
        return Ok(());
    }
    Err(invalid(format!(
        "{at}.pose: must be an object with position_m (x, y, z) and perhaps orientation (x, y, z, w), got {pose}"
    )))
}
