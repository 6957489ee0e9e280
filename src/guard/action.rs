//! An action that is planned, as constraints see it.

use super::given::Subject;
use super::name::Name;
use crate::inference::Amount;
use crate::limits::{ACTION_PARAMETERS_MAX, PATH_DEPTH_MAX};
use serde_json::{Map, Value};

/// An action: its parameters, and what it is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Action {
    pub(super) parameters: Vec<Parameter>,
    pub(super) object: Named,
    pub(super) place: Named,
    pub(super) task: Named,
}

/// A name as it was given, and as it is compared.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Named {
    pub text: String,
    pub name: Name,
}

/// A parameter of an action.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameter {
    /// Where it is: `params.grip_force`.
    pub path: String,
    /// As paths are compared: [`path_key`].
    pub key: String,
    pub value: Given,
}

/// What was given for a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Given {
    Number(Amount),
    /// No number: what it is.
    Other(&'static str),
}

/// Parameters cannot be read. The message names the parameter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ActionError(String);

impl Action {
    /// What it is about: object, place and task.
    pub(super) fn names(&self) -> [&Name; 3] {
        [&self.object.name, &self.place.name, &self.task.name]
    }

    /// Reads the parameters: an object of numbers, of `{"value": 12.5, "unit": "N"}`, and of such
    /// objects; or a whole context with them in `params`, from which what is empty of object, place and
    /// task is then taken as from the context of a memory.
    ///
    /// # Errors
    /// When a unit is not known, or there are too many or too deep parameters.
    pub fn read(
        params: &Map<String, Value>,
        object: &str,
        place: &str,
        task: &str,
    ) -> Result<Self, ActionError> {
        let (params, subject) = match params.get("params") {
            Some(Value::Object(inner)) => (inner, Subject::of(&Value::Object(params.clone()))),
            _ => (params, Subject::default()),
        };
        let named = |given: &str, convention: &str| {
            let text = if given.is_empty() { convention } else { given };
            Named { text: text.to_owned(), name: Name::of(text) }
        };
        let mut action = Self {
            parameters: Vec::new(),
            object: named(object, &subject.object),
            place: named(place, &subject.place),
            task: named(task, &subject.task),
        };
        action.read_object(params, "params", 0)?;
        Ok(action)
    }

    fn read_object(
        &mut self,
        object: &Map<String, Value>,
        path: &str,
        depth: usize,
    ) -> Result<(), ActionError> {
        if depth > PATH_DEPTH_MAX {
            return Err(ActionError(format!(
                "{path}: nested deeper than {PATH_DEPTH_MAX} objects"
            )));
        }
        for (key, value) in object {
            let path = format!("{path}.{key}");
            match value {
                Value::Null => {}
                Value::Object(inner) if inner.contains_key("value") => {
                    let unit = match inner.get("unit") {
                        None | Some(Value::Null) => "",
                        Some(Value::String(unit)) => unit,
                        Some(_) => {
                            return Err(ActionError(format!("{path}.unit: must be a text")));
                        }
                    };
                    if let Some(value) = inner.get("value").filter(|value| !value.is_null()) {
                        self.push(path, value, unit)?;
                    }
                }
                Value::Object(inner) => self.read_object(inner, &path, depth + 1)?,
                value => self.push(path, value, "")?,
            }
        }
        Ok(())
    }

    fn push(&mut self, path: String, value: &Value, unit: &str) -> Result<(), ActionError> {
        if self.parameters.len() >= ACTION_PARAMETERS_MAX {
            return Err(ActionError(format!("params: at most {ACTION_PARAMETERS_MAX} parameters")));
        }
        let value = match value {
            Value::Bool(_) => Given::Other("a boolean"),
            Value::String(_) => Given::Other("a text"),
            Value::Array(_) => Given::Other("an array"),
            value => match value.as_f64().map(|value| Amount::new(value, unit)) {
                Some(Some(amount)) => Given::Number(amount),
                Some(None) => {
                    let unit: String = unit.chars().take(64).collect();
                    return Err(ActionError(format!("{path}.unit: unknown unit {unit:?}")));
                }
                None => Given::Other("no number"),
            },
        };
        self.parameters.push(Parameter { key: path_key(&path), path, value });
        Ok(())
    }
}

/// The form in which paths of parameters are compared: `params.grip_force.value`, `params.Grip-Force` and
/// `grip_force` are one.
pub(super) fn path_key(path: &str) -> String {
    let key = path.to_lowercase().replace(['-', ' '], "_");
    let key = key.strip_prefix("params.").unwrap_or(&key);
    key.strip_suffix(".value").unwrap_or(key).to_owned()
}
