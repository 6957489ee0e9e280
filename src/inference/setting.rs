//! What a statement's context says it is about.

use serde_json::{Map, Value};
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
    parameters: Vec<String>,
}

/// Keys whose values belong to one occasion, not to what the statement is about.
const OCCASIONAL: &[&str] = &[
    "id",
    "task_id",
    "run_id",
    "trace_id",
    "job_id",
    "session_id",
    "turn_id",
    "request_id",
    "uuid",
    "time",
    "timestamp",
    "stamp",
    "date",
    "note",
    "notes",
    "comment",
    "reason",
    "status",
    "result",
    "sim_or_real",
    "frame",
    "frame_id",
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
                }
                Value::Object(parameters) if key == "params" => {
                    setting.parameters = parameters.keys().cloned().collect();
                }
                Value::String(name) => setting.note(key.clone(), key, name),
                _ => {}
            }
        }
        setting.parameters.sort_unstable();
        setting
    }

    /// Whether both can be about the same: no path has another name in each, and when both name
    /// parameters, they have one in common.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let has_common =
            || self.parameters.iter().any(|it| other.parameters.binary_search(it).is_ok());
        self.names.iter().all(|(path, name)| other.names.get(path).is_none_or(|it| it == name))
            && (self.parameters.is_empty() || other.parameters.is_empty() || has_common())
    }

    /// Whether both name the same.
    pub fn names_the_same_as(&self, other: &Self) -> bool {
        self.names == other.names
    }

    fn read(&mut self, path: &str, part: &Map<String, Value>, depth: usize) {
        for (key, value) in part {
            let path = format!("{path}.{key}");
            match value {
                Value::String(name) => self.note(path, key, name),
                Value::Object(inner) if depth > 0 => self.read(&path, inner, depth - 1),
                _ => {}
            }
        }
    }

    fn note(&mut self, path: String, key: &str, name: &str) {
        if !OCCASIONAL.contains(&key) && !name.trim().is_empty() {
            self.names.insert(path, name.trim().to_lowercase());
        }
    }
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
