//! The bounds of a constraint: those given in its context, else those in its words.

use crate::inference::{self, Amount};
use robot_memory_core::limits::{LIMITS_PER_MEMORY_MAX, NAME_BYTES_MAX};
use robot_memory_core::model::{Limit, LimitOp, Path, nearest, quoted};
use serde_json::{Map, Value};

/// Bounds are not well formed. The message names the place, the rule and what was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LimitsError(String);

/// Stands for any object, place or task, whatever the context says.
const ANY: &str = "*";

const KEYS: &[&str] = &["path", "op", "value", "unit", "object", "place", "task"];

/// What the context of a memory says by convention of what it is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Subject {
    /// `task.object`, else `params.object`.
    pub object: String,
    /// `spatial.place`.
    pub place: String,
    /// `task.name`, else `task.type`.
    pub task: String,
}

impl Subject {
    pub fn of(context: &Value) -> Self {
        let text = |pointers: &[&str]| {
            let found = pointers.iter().filter_map(|at| context.pointer(at)?.as_str());
            found.map(str::trim).find(|text| !text.is_empty()).unwrap_or_default().to_owned()
        };
        Self {
            object: text(&["/task/object", "/params/object"]),
            place: text(&["/spatial/place"]),
            task: text(&["/task/name", "/task/type"]),
        }
    }
}

/// The bounds that a constraint of these words with this context sets, and whether they were given:
/// those of `context.limits`, when it is there, else those that can be read from its words. Of what a
/// bound does not name, object, place or task, it takes that of the context's conventions.
///
/// # Errors
/// When `context.limits` is not well formed.
pub fn limits_of(content: &str, context: &Value) -> Result<(Vec<Limit>, bool), LimitsError> {
    let subject = Subject::of(context);
    let (mut limits, is_given) = match context.get("limits") {
        Some(given) => (given_limits(given)?, true),
        None => (inference::limits(content), false),
    };
    for limit in &mut limits {
        complete(&mut limit.object, &subject.object);
        complete(&mut limit.place, &subject.place);
        complete(&mut limit.task, &subject.task);
    }
    Ok((limits, is_given))
}

fn complete(name: &mut String, convention: &str) {
    if name.is_empty() {
        name.push_str(convention);
    } else if name == ANY {
        name.clear();
    }
}

fn given_limits(given: &Value) -> Result<Vec<Limit>, LimitsError> {
    let Value::Array(given) = given else {
        return Err(LimitsError("context.limits: must be an array of objects".into()));
    };
    if given.len() > LIMITS_PER_MEMORY_MAX {
        return Err(LimitsError(format!(
            "context.limits: at most {LIMITS_PER_MEMORY_MAX} bounds, got {}",
            given.len()
        )));
    }
    let limit = |(index, given)| {
        limit(given).map_err(|(key, fault)| {
            let dot = if key.is_empty() { "" } else { "." };
            LimitsError(format!("context.limits[{index}]{dot}{key}: {fault}"))
        })
    };
    given.iter().enumerate().map(limit).collect()
}

/// A bound, or the key that is at fault, empty for the whole, and what is wrong with it.
fn limit(given: &Value) -> Result<Limit, (String, String)> {
    let Value::Object(given) = given else {
        return Err((String::new(), "must be an object".into()));
    };
    if let Some(key) = given.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let meant = nearest(key, KEYS.iter().copied());
        let hint = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
        return Err((String::new(), format!("unknown key {}{hint}", quoted(key))));
    }
    let op = text(given, "op")?;
    let op = LimitOp::parse(&op).ok_or_else(|| {
        let fault = format!("must be one of {}; got {}", LimitOp::spellings(), quoted(&op));
        ("op".to_owned(), fault)
    })?;
    let value = given.get("value").and_then(Value::as_f64).filter(|value| value.is_finite());
    let value = value.ok_or_else(|| ("value".to_owned(), "must be a number".to_owned()))?;
    let unit = text(given, "unit")?;
    if Amount::new(value, &unit).is_none() {
        return Err(("unit".into(), format!("unknown unit {}", quoted(&unit))));
    }
    let path = text(given, "path")?;
    if path.is_empty() && unit.is_empty() {
        return Err(("path".into(), "must be given for a bound without a unit".into()));
    }
    if !path.is_empty() {
        Path::parse(&path).map_err(|error| ("path".to_owned(), error.to_string()))?;
    }
    Ok(Limit {
        path,
        op,
        value,
        unit,
        object: text(given, "object")?,
        place: text(given, "place")?,
        task: text(given, "task")?,
    })
}

/// The text of a key; empty when there is none.
fn text(given: &Map<String, Value>, key: &str) -> Result<String, (String, String)> {
    let fault = |fault: &str| (key.to_owned(), fault.to_owned());
    match given.get(key) {
        None => Ok(String::new()),
        Some(Value::String(text)) if text.len() > NAME_BYTES_MAX => {
            Err(fault(&format!("at most {NAME_BYTES_MAX} bytes, got {}", text.len())))
        }
        Some(Value::String(text)) if text.chars().any(char::is_control) => {
            Err(fault("must not contain control characters"))
        }
        Some(Value::String(text)) => Ok(text.trim().to_owned()),
        Some(_) => Err(fault("must be a text")),
    }
}
