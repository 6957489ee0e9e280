//! What a statement's context says it is about.

use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

/// What a statement is about by its context: the names that the context gives (of the object, the
/// place, the robot, the task), and the names of its parameters.
///
/// A context is a JSON object, by convention with the parts `task`, `spatial`, `robot`, `env` and
/// `params`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Setting {
    /// By dotted path.
    names: BTreeMap<String, String>,
    /// With their values, as they are written.
    parameters: BTreeMap<String, Value>,
    /// Where it was, and whether on the real robot: of one occasion, by dotted path.
    occasion: BTreeMap<String, Value>,
}

/// Keys whose values belong to one occasion, not to what the statement is about.
#[rustfmt::skip]
const OCCASIONAL: &[&str] = &[
    "id", "task_id", "run_id", "trace_id", "job_id", "session_id", "turn_id", "request_id", "uuid", "time",
    "timestamp", "stamp", "date", "note", "notes", "comment", "reason", "status", "result", "sim_or_real",
    "frame", "frame_id",
];
/// Parts of a context that name what it is about; so do texts directly in it.
const PARTS: &[&str] = &["task", "spatial", "robot", "env"];
const DEPTH_MAX: usize = 4;

impl Setting {
    /// Reads a context: a JSON object, or empty. What is no object names nothing.
    pub fn parse(context: &str) -> Self {
        let mut setting = Self::default();
        let Ok(Value::Object(context)) = serde_json::from_str(context) else { return setting };
        for (key, value) in &context {
            match value {
                Value::Object(part) if PARTS.contains(&key.as_str()) => {
                    setting.read(key, part, DEPTH_MAX);
                    setting.note_occasion(key, part);
                }
                Value::Object(parameters) if key == "params" => {
                    setting.parameters = parameters.clone().into_iter().collect();
                    // The one parameter that says what is meant, not how.
                    if let Some(Value::String(object)) = parameters.get("object") {
                        setting.note("params.object".to_owned(), "object", object);
                    }
                }
                Value::String(name) => setting.note(key.clone(), key, name),
                Value::Number(number) => setting.note_number(key.clone(), key, number),
                _ => {}
            }
        }
        setting
    }

    /// Whether both can be about the same: no path has another name in each, and when both name
    /// parameters, they have one in common.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let has_common = || self.parameters.keys().any(|it| other.parameters.contains_key(it));
        self.names.iter().all(|(path, name)| other.names.get(path).is_none_or(|it| it == name))
            && (self.parameters.is_empty() || other.parameters.is_empty() || has_common())
    }

    /// Whether what is said in both can be one and the same: besides, no parameter that both give has
    /// another value, and both are of the same place, and of the same world (simulated or real), as far
    /// as they say it.
    pub fn may_be_same(&self, other: &Self) -> bool {
        fn agree(a: &BTreeMap<String, Value>, b: &BTreeMap<String, Value>) -> bool {
            a.iter().all(|(key, value)| b.get(key).is_none_or(|it| is_equal(it, value)))
        }
        self.agrees_with(other)
            && agree(&self.parameters, &other.parameters)
            && agree(&self.occasion, &other.occasion)
    }

    /// Whether both name the same.
    pub fn names_the_same_as(&self, other: &Self) -> bool {
        self.names == other.names
    }

    /// What tells two occasions apart: all of a place, and the world.
    fn note_occasion(&mut self, key: &str, part: &Map<String, Value>) {
        for (inner, value) in part {
            if key == "spatial" || key == "env" && inner == "sim_or_real" {
                self.occasion.insert(format!("{key}.{inner}"), value.clone());
            }
        }
    }

    fn read(&mut self, path: &str, part: &Map<String, Value>, depth: usize) {
        for (key, value) in part {
            let path = format!("{path}.{key}");
            match value {
                Value::String(name) => self.note(path, key, name),
                Value::Number(number) => self.note_number(path, key, number),
                Value::Object(inner) if depth > 0 => self.read(&path, inner, depth - 1),
                _ => {}
            }
        }
    }

    fn note(&mut self, path: String, key: &str, name: &str) {
        // The id of a robot, a place or an object says which it is.
        let is_of_thing = ["id", "uuid"].contains(&key) && path.contains('.') && !is_of_task(&path);
        if (is_of_thing || !OCCASIONAL.contains(&key)) && !name.trim().is_empty() {
            self.names.insert(path, name.trim().to_lowercase());
        }
    }

    /// Numbers are measured, and so of one occasion, unless they name something.
    fn note_number(&mut self, path: String, key: &str, number: &Number) {
        if key == "id" || key.ends_with("_id") {
            self.note(path, key, &number.to_string());
        }
    }
}

/// Whether two values are the same; numbers by what they are, not by how they are written.
fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        _ => a == b,
    }
}

/// Whether a path leads to what belongs to the task itself, which is done once.
fn is_of_task(path: &str) -> bool {
    path.strip_prefix("task.").is_some_and(|key| !key.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_agree_unless_they_name_something_else() {
        let cases = [
            (true, "", ""),
            (true, r#"{"task": {"object": "cup"}}"#, ""),
            (
                true,
                r#"{"task": {"object": "cup"}}"#,
                r#"{"task": {"object": "Cup", "place": "lab"}}"#,
            ),
            (false, r#"{"task": {"object": "cup"}}"#, r#"{"task": {"object": "plate"}}"#),
            (false, r#"{"robot": {"id": "r1"}}"#, r#"{"robot": {"id": "r2"}}"#),
            (false, r#"{"robot": {"id": 1}}"#, r#"{"robot": {"id": 2}}"#),
            (false, r#"{"robot_id": 1}"#, r#"{"robot_id": 2}"#),
            (true, r#"{"robot": {"battery": 80}}"#, r#"{"robot": {"battery": 20}}"#),
            (true, r#"{"task": {"id": "t1"}}"#, r#"{"task": {"id": "t2"}}"#),
            (false, r#"{"task": {"object": {"id": 4}}}"#, r#"{"task": {"object": {"id": 5}}}"#),
            (true, r#"{"task": {"task_id": 4}}"#, r#"{"task": {"task_id": 5}}"#),
            (
                false,
                r#"{"params": {"object": "cup", "force": 1}}"#,
                r#"{"params": {"object": "plate", "force": 2}}"#,
            ),
            (false, r#"{"spatial": {"place": "lab"}}"#, r#"{"spatial": {"place": "kitchen"}}"#),
            (false, r#"{"object": "cup"}"#, r#"{"object": "plate"}"#),
            (true, r#"{"task": {"id": "t-1"}}"#, r#"{"task": {"id": "t-2"}}"#),
            (true, r#"{"env": {"sim_or_real": "sim"}}"#, r#"{"env": {"sim_or_real": "real"}}"#),
            (false, r#"{"params": {"force": 1}}"#, r#"{"params": {"speed": 1}}"#),
            (true, r#"{"params": {"force": 1, "speed": 2}}"#, r#"{"params": {"speed": 1}}"#),
            (true, "no json", r#"{"task": {"object": "cup"}}"#),
        ];
        for (expected, a, b) in cases {
            let (a, b) = (Setting::parse(a), Setting::parse(b));
            assert_eq!(a.agrees_with(&b), expected, "{a:?} {b:?}");
            assert_eq!(b.agrees_with(&a), expected, "{b:?} {a:?}");
        }
    }
}
