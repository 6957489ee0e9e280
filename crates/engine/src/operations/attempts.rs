//! Attempts as memories: how their fields stand in a context.

use super::check::{self, invalid};
use crate::Result;
use robot_memory_core::limits::{CONTEXT_BYTES_MAX, EXPERIENCE_NAME_CHARS_MAX};
use serde_json::{Map, Value, json};

/// `task.outcome` of an attempt that has not ended.
pub(super) const RUNNING: &str = "running";
/// The same of one that an earlier run left open.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// The context of an attempt, taken apart.
pub(crate) struct AttemptContext(Map<String, Value>);

impl AttemptContext {
    /// Of a memory; empty when there is none.
    pub(crate) fn of(context: &str) -> Self {
        match serde_json::from_str(context) {
            Ok(Value::Object(fields)) => Self(fields),
            _ => Self(Map::new()),
        }
    }

    /// Sets a part.
    pub(super) fn set(&mut self, part: &str, value: Value) {
        self.0.insert(part.to_owned(), value);
    }

    /// Sets a field of an object among the parts.
    pub(crate) fn set_in(&mut self, part: &str, field: &str, value: Value) {
        let object = self.0.entry(part).or_insert_with(|| json!({}));
        if let Value::Object(fields) = object {
            fields.insert(field.to_owned(), value);
        }
    }

    /// Takes a field of the task away.
    pub(super) fn remove_of_task(&mut self, field: &str) {
        if let Some(Value::Object(task)) = self.0.get_mut("task") {
            task.remove(field);
        }
    }

    /// A text of the task.
    pub(crate) fn of_task(&self, field: &str) -> &str {
        self.0.get("task").and_then(|task| task.get(field)?.as_str()).unwrap_or_default()
    }

    /// How it ended, as it is written; `success` or `failure` where only `task.success` says it.
    pub(super) fn outcome(&self) -> &str {
        let is_success = self.0.get("task").and_then(|task| task.get("success")?.as_bool());
        match (self.of_task("outcome"), is_success) {
            ("", Some(true)) => "success",
            ("", Some(false)) => "failure",
            ("", None) => "unknown",
            (outcome, _) => outcome,
        }
    }

    /// A part as JSON; empty when there is none.
    pub(super) fn part(&self, part: &str) -> String {
        self.0.get(part).map(Value::to_string).unwrap_or_default()
    }

    /// The parameters.
    pub(crate) fn params(&self) -> Map<String, Value> {
        self.0.get("params").and_then(Value::as_object).cloned().unwrap_or_default()
    }

    /// As it is stored.
    pub(crate) fn text(self) -> Result<String> {
        let text = Value::Object(self.0).to_string();
        if text.len() > CONTEXT_BYTES_MAX {
            return Err(invalid(format!(
                "context: with the other fields of the attempt it has {} bytes, at most {CONTEXT_BYTES_MAX} are \
                 stored",
                text.len()
            )));
        }
        Ok(text)
    }
}

/// A name of a task, object or place, trimmed; may be empty.
pub(super) fn attempt_name<'a>(field: &str, name: &'a str) -> Result<&'a str> {
    let name = name.trim();
    check::name(field, name)?;
    let count = name.chars().count();
    if count > EXPERIENCE_NAME_CHARS_MAX {
        return Err(invalid(format!(
            "{field}: at most {EXPERIENCE_NAME_CHARS_MAX} characters, got {count}"
        )));
    }
    Ok(name)
}

/// The same of one that must be there.
pub(super) fn required_name<'a>(field: &str, name: &'a str) -> Result<&'a str> {
    match attempt_name(field, name)? {
        "" => Err(invalid(format!("{field}: must not be empty"))),
        name => Ok(name),
    }
}
