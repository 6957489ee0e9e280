//! What the result of a goal says, whatever its type.

use robot_memory_core::limits::ATTEMPT_VALUES_MAX;
use serde_json::{Map, Value, json};

/// Fields that say in words why a goal failed, the first one first.
const REASONS: [&str; 6] =
    ["error_msg", "error_string", "error_message", "error", "message", "reason"];

/// The numbers and flags of a result, also of what is nested in it once, by their names. Texts and lists are left out; a duration is a number of seconds. `taken`: values that
/// an attempt has beside them.
pub(super) fn measured(result: &Value, taken: usize) -> Map<String, Value> {
    let mut left = ATTEMPT_VALUES_MAX.saturating_sub(taken);
    scalars(result, 1, &mut left)
}

/// Why it failed; empty when it does not say.
pub(super) fn reason(result: &Value) -> &str {
    let mut texts = REASONS.iter().filter_map(|name| result.get(name)?.as_str());
    texts.find(|text| !text.trim().is_empty()).unwrap_or_default()
}

fn scalars(value: &Value, depth: usize, left: &mut usize) -> Map<String, Value> {
    let mut values = Map::new();
    for (name, field) in value.as_object().into_iter().flatten() {
        let (name, value) = match field {
            Value::Number(_) | Value::Bool(_) => (name.clone(), field.clone()),
            Value::Object(parts) => match seconds(parts) {
                Some(secs) => (format!("{name}_secs"), json!(secs)),
                None if depth > 0 => (name.clone(), Value::Object(scalars(field, depth - 1, left))),
                None => continue,
            },
            Value::Null | Value::String(_) | Value::Array(_) => continue,
        };
        if value.as_object().is_some_and(Map::is_empty) {
            continue;
        }
        if *left == 0 {
            break;
        }
        *left -= usize::from(!value.is_object());
        values.insert(name, value);
    }
    values
}

/// A duration or time.
fn seconds(parts: &Map<String, Value>) -> Option<f64> {
    let (secs, nanos) = (parts.get("sec")?.as_f64()?, parts.get("nanosec")?.as_f64()?);
    (parts.len() == 2).then_some(secs + nanos / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_measured_and_words_are_a_reason() {
        let result = json!({
            "error_code": 207, "error_msg": "no valid path", "ok": false, "path": [1, 2], "result": {},
            "total_elapsed_time": {"sec": 3, "nanosec": 500_000_000},
            "pose": {"x": 1.5, "frame": "map", "stamp": {"sec": 1, "nanosec": 0}, "deep": {"y": 1}}
        });
        let values = Value::Object(measured(&result, 0));
        let expected = json!({
            "error_code": 207, "ok": false, "total_elapsed_time_secs": 3.5,
            "pose": {"x": 1.5, "stamp_secs": 1.0}
        });
        assert_eq!(values, expected);
        assert_eq!(reason(&result), "no valid path");
        assert_eq!(
            (measured(&json!({"text": "a"}), 0), reason(&json!({"error": " "}))),
            (Map::new(), "")
        );
        let many: Map<String, Value> = (0..200).map(|i| (format!("v{i}"), json!(i))).collect();
        assert_eq!(measured(&Value::Object(many), 2).len(), ATTEMPT_VALUES_MAX - 2);
    }
}
