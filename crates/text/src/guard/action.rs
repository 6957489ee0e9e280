//! An action that is planned, as constraints see it.

use super::given::Subject;
use super::name::{Name, NameKind};
use crate::inference::{Amount, Doing, ParameterName, SameDoing, listed};
use robot_memory_core::limits::{ACTION_PARAMETERS_MAX, PATH_DEPTH_MAX};
use robot_memory_core::model::{cut, quoted};
use serde_json::{Map, Value};

/// Plain elements of an array that are parameters of their own, as those of joints are; a longer array
/// of them is data.
const PLAIN_ELEMENTS_MAX: usize = 32;

/// An action: its parameters, and what it is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Action {
    pub(super) parameters: Vec<Parameter>,
    pub(super) object: Named,
    pub(super) place: Named,
    pub(super) task: Named,
    /// All that it is told to be on, with what and where.
    pub(super) named_slots: Vec<NamedSlot>,
    /// Said not to be: `"suction": false`.
    pub(super) not: Vec<Name>,
    /// What is done.
    pub(super) doings: Vec<Doing>,
    /// What tools of these names are for.
    pub(super) tool_doings: Vec<Doing>,
}

/// The names that an action gives to one of its slots.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NamedSlot {
    pub slot: Slot,
    pub names: Vec<Name>,
}

/// What it is to the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Object,
    Place,
    Tool,
    /// No key tells.
    Other,
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
    pub value: ParameterValue,
    /// Whether nobody said the unit, and the SI unit of its quantity was taken (REP-103).
    pub is_unit_assumed: bool,
}

/// What was given for a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ParameterValue {
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

    /// Reads the parameters: an object of numbers, of `{"value": 12.5, "unit": "N"}`, of `{"value": [1,
    /// 2.5], "unit": "N"}`, and of such objects and arrays of them; or a whole context with them in
    /// `params`, from which what is empty of object, place and
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
        let named = |given: &str, convention: &str, kind| {
            let text = if given.is_empty() { convention } else { given };
            Named { text: text.to_owned(), name: Name::of(text, kind) }
        };
        let mut action = Self {
            parameters: Vec::new(),
            object: named(object, &subject.object, NameKind::Object),
            place: named(place, &subject.place, NameKind::Place),
            task: named(task, &subject.task, NameKind::Task),
            ..Self::default()
        };
        for (slot, named) in [
            (Slot::Object, &action.object),
            (Slot::Place, &action.place),
            (Slot::Other, &action.task),
        ] {
            // The robot itself is what is done with.
            let is_own = listed("own").contains(&named.text.trim().to_lowercase());
            if !named.name.is_empty() && !is_own {
                action.named_slots.push(NamedSlot { slot, names: vec![named.name.clone()] });
            }
        }
        action.doings = Doing::all_in(&action.task.text);
        action.read_object(params, "params", 0)?;
        Ok(action)
    }

    /// Whether something is gripped, or nothing is told of what is done.
    pub(super) fn may_grip(&self) -> bool {
        let grips = Doing::all_in("grip");
        let is_grip = |doing: &Doing| grips.iter().any(|it| it.compare(doing) == SameDoing::Yes);
        self.doings.is_empty() || self.doings.iter().any(is_grip)
    }

    /// Takes in what a text tells of the action.
    fn add_text(&mut self, path: &str, text: &str) {
        let key = name_of(path).key;
        let is_of =
            |list: &str| listed(list).iter().any(|it| key.split('_').any(|word| word == it));
        let name = |text: &str, kind| Name::of(text, kind);
        if is_of("keys of doing") {
            self.doings.extend(Doing::all_in(text));
            self.named_slots
                .push(NamedSlot { slot: Slot::Other, names: vec![name(text, NameKind::Object)] });
        } else if is_of("keys of tools") {
            self.tool_doings.extend(Doing::all_in(text));
            // The vacuum that is told of a gripper is a vacuum gripper.
            let with_key = name(&format!("{text} {}", key.replace('_', " ")), NameKind::Object);
            let names = vec![name(text, NameKind::Object), with_key];
            self.named_slots.push(NamedSlot { slot: Slot::Tool, names });
        } else {
            let (slot, kind) = if is_of("keys of objects") {
                (Slot::Object, NameKind::Object)
            } else if is_of("keys of places") {
                (Slot::Place, NameKind::Place)
            } else {
                (Slot::Other, NameKind::Object)
            };
            self.named_slots.push(NamedSlot { slot, names: vec![name(text, kind)] });
        }
    }

    /// Takes in what is told by a name alone: `"use_suction": true`.
    fn tell_flag(&mut self, path: &str, is_set: bool) {
        let key = path.rsplit('.').next().unwrap_or_default().replace("use", "");
        let name = Name::of(&key.replace('_', " "), NameKind::Object);
        if name.is_empty() {
        } else if is_set {
            self.tool_doings.extend(Doing::all_in(&key));
            self.named_slots.push(NamedSlot { slot: Slot::Other, names: vec![name] });
        } else {
            self.not.push(name);
        }
    }

    fn read_object(
        &mut self,
        object: &Map<String, Value>,
        path: &str,
        depth: usize,
    ) -> Result<(), ActionError> {
        for (key, value) in object {
            self.read_value(value, format!("{path}.{key}"), depth)?;
        }
        Ok(())
    }

    /// Reads a value with all that is in it: what is passed over would be allowed.
    fn read_value(&mut self, value: &Value, path: String, depth: usize) -> Result<(), ActionError> {
        if depth > PATH_DEPTH_MAX {
            return Err(ActionError(format!(
                "{}: nested deeper than {PATH_DEPTH_MAX} objects and arrays",
                cut(&path)
            )));
        }
        match value {
            Value::Null => Ok(()),
            Value::Object(inner) => match inner.get("value") {
                Some(number) if !number.is_object() => {
                    let unit = match inner.get("unit") {
                        None | Some(Value::Null) => "",
                        Some(Value::String(unit)) => unit,
                        Some(_) => {
                            return Err(ActionError(format!(
                                "{}.unit: must be a text",
                                cut(&path)
                            )));
                        }
                    };
                    self.read_amounts(number, &path, unit)?;
                    for (key, value) in inner {
                        if key != "value" && key != "unit" {
                            self.read_value(value, format!("{path}.{key}"), depth + 1)?;
                        }
                    }
                    Ok(())
                }
                _ => self.read_object(inner, &path, depth + 1),
            },
            Value::Array(elements) => {
                self.push(path.clone(), value, "")?;
                let is_data = elements.len() > PLAIN_ELEMENTS_MAX;
                for (index, element) in elements.iter().enumerate() {
                    if element.is_object() || element.is_array() || !is_data {
                        self.read_value(element, format!("{path}.{index}"), depth + 1)?;
                    }
                }
                Ok(())
            }
            value => self.push(path, value, ""),
        }
    }

    /// Reads a value of this unit, or several of them in an array, each of which is the parameter.
    fn read_amounts(&mut self, value: &Value, path: &str, unit: &str) -> Result<(), ActionError> {
        match value {
            Value::Null => Ok(()),
            Value::Array(all) if !unit.is_empty() && all.iter().all(Value::is_number) => {
                all.iter().try_for_each(|value| self.push(path.to_owned(), value, unit))
            }
            value => self.push(path.to_owned(), value, unit),
        }
    }

    fn push(&mut self, path: String, value: &Value, unit: &str) -> Result<(), ActionError> {
        if self.parameters.len() >= ACTION_PARAMETERS_MAX {
            return Err(ActionError(format!("params: at most {ACTION_PARAMETERS_MAX} parameters")));
        }
        let name = name_of(&path);
        let mut is_unit_assumed = false;
        let value = match value {
            Value::Bool(is_set) => {
                self.tell_flag(&path, *is_set);
                ParameterValue::Other("a boolean")
            }
            Value::Array(_) => ParameterValue::Other("an array"),
            Value::String(text) => match Amount::parse(text) {
                Some(amount) => {
                    let said = if unit.is_empty() { amount.unit() } else { unit };
                    let unit = unit_of(&path, &name, said, &mut is_unit_assumed)?;
                    amount_of(&path, amount.value(), &unit)?
                }
                None => {
                    self.add_text(&path, text);
                    ParameterValue::Other("a text")
                }
            },
            value => match value.as_f64() {
                Some(number) => {
                    let unit = unit_of(&path, &name, unit, &mut is_unit_assumed)?;
                    amount_of(&path, number, &unit)?
                }
                None => ParameterValue::Other("no number"),
            },
        };
        self.parameters.push(Parameter { key: path_key(&path), path, value, is_unit_assumed });
        Ok(())
    }
}

/// An amount; what is no finite number is none.
fn amount_of(path: &str, value: f64, unit: &str) -> Result<ParameterValue, ActionError> {
    if !value.is_finite() {
        return Ok(ParameterValue::Other("no number"));
    }
    Amount::new(value, unit)
        .map(ParameterValue::Number)
        .ok_or_else(|| ActionError(format!("{}.unit: unknown unit {}", cut(path), quoted(unit))))
}

/// The unit of a value: what is said with it, else what the parameter's name ends with, else the SI unit
/// of the quantity that the name tells.
fn unit_of(
    path: &str,
    name: &ParameterName,
    said: &str,
    is_assumed: &mut bool,
) -> Result<String, ActionError> {
    if said.is_empty() {
        *is_assumed = name.unit.is_empty() && !name.si_unit.is_empty();
        return Ok(if name.unit.is_empty() { name.si_unit } else { name.unit }.to_owned());
    }
    let Some(amount) = Amount::new(1.0, said) else { return Ok(said.to_owned()) };
    if amount.dimension() == "°" && name.is_temperature() {
        return Ok("°C".to_owned());
    }
    if let Some(named) = Amount::new(1.0, name.unit).filter(|_| !name.unit.is_empty())
        && named.compare(&amount) != Some(std::cmp::Ordering::Equal)
    {
        return Err(ActionError(format!(
            "{}: its name has the unit {}, and its unit is {}; give one of them",
            cut(path),
            cut(name.unit),
            cut(said)
        )));
    }
    Ok(said.to_owned())
}

/// What the last part of a path says of its parameter; an element of an array is called as the array is.
fn name_of(path: &str) -> ParameterName {
    let path = path.strip_suffix(".value").unwrap_or(path);
    ParameterName::parse(path.rsplit('.').find(|part| !is_index(part)).unwrap_or_default())
}

/// Whether a part of a path is a place in an array.
fn is_index(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// The form in which paths of parameters are compared: `params.grip_force.value`, `params.gripForce`,
/// `grip_force_n` and 抓取力 are one. Parts above the last one are compared as they are written but for
/// case and hyphens.
pub(super) fn path_key(path: &str) -> String {
    let path = path.strip_prefix("params.").unwrap_or(path);
    let path = path.strip_suffix(".value").unwrap_or(path);
    let parts: Vec<&str> = path.split('.').collect();
    let last = parts.iter().rposition(|part| !is_index(part)).unwrap_or(0);
    let key = |(at, part): (usize, &&str)| {
        if at == last {
            ParameterName::parse(part).key
        } else {
            part.to_lowercase().replace(['-', ' '], "_")
        }
    };
    parts.iter().enumerate().map(key).collect::<Vec<_>>().join(".")
}
