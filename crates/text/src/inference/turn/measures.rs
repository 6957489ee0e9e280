//! The parameters that a clause gives: names, numbers and units.

use std::ops::Range;

use serde_json::{Map, Number, Value, json};

use super::super::items::{ItemKind, Quantity};
use super::super::limits::words::parameter_of;
use super::parsed_sentence::ParsedSentence;
use super::words::LexicalClass::*;

/// Items between the name of a parameter and its number.
const NAME_ITEMS_BACK_MAX: usize = 6;

/// Which parameter a unit tells by itself.
#[rustfmt::skip]
const BY_UNIT: &[(&str, &str)] = &[
    ("N", "force"), ("N·m", "torque"), ("m/s", "speed"), ("°/s", "angular_speed"), ("rad/s", "angular_speed"), ("m/s2", "acceleration"),
    ("Pa", "pressure"), ("°C", "temperature"), ("°F", "temperature"), ("s", "duration"), ("V", "voltage"), ("A", "current"), ("W", "power"),
    ("Hz", "frequency"), ("g", "mass"), ("°", "angle"), ("rad", "angle"), ("rpm", "rotation_speed"), ("l", "volume"),
];

/// What the items in `range` give: `{"force": {"value": 12, "unit": "N"}}`.
pub(super) fn parameters(sentence: &ParsedSentence, range: &Range<usize>) -> Map<String, Value> {
    let mut found = Map::new();
    for index in range.clone() {
        let ItemKind::Quantity(quantity) = &sentence.items[index].kind else { continue };
        if quantity.unit.is_empty() {
            continue;
        }
        let Some((value, unit)) = written(quantity) else { continue };
        let Some(name) = name(sentence, range, index, &quantity.unit) else { continue };
        found.entry(name).or_insert_with(|| json!({"value": value, "unit": unit}));
    }
    found
}

/// A quantity [as it is written](Quantity::as_written), as JSON.
fn written(quantity: &Quantity) -> Option<(Value, &str)> {
    let (number, unit) = quantity.as_written();
    let digits = number.to_string();
    let whole = digits.parse::<i64>().ok().map(Value::from);
    let number = whole.or_else(|| Number::from_f64(digits.parse().ok()?).map(Value::Number));
    Some((number?, unit))
}

/// What the value at `index` is called, and the value as a context holds it. What no word and no unit names is
/// called by what the unit measures.
pub(super) fn parameter(
    sentence: &ParsedSentence,
    range: &Range<usize>,
    index: usize,
    quantity: &Quantity,
) -> Option<(String, Value)> {
    let (value, unit) = written(quantity)?;
    let behind = || {
        let next = index + 1;
        let (cue, used) = (*sentence.cues.get(next)?)?;
        let is_name = matches!(cue, Parameter | Handling) && next + used <= range.end;
        let spelled = sentence.spelled(next..next + used);
        let spelled =
            parameter_of(&spelled).map_or_else(|| spelled.replace(' ', "_"), str::to_owned);
        (is_name && !["took", "lasted"].contains(&spelled.as_str())).then_some(spelled)
    };
    let other = || {
        let row = BY_UNIT_ELSE.iter().find(|(base, _)| *base == quantity.unit);
        row.map_or_else(|| "value".to_owned(), |(_, name)| (*name).to_owned())
    };
    let named = match quantity.unit.as_str() {
        "m" | "%" | "°" | "l" | "g" => {
            behind().or_else(|| name(sentence, range, index, &quantity.unit))
        }
        _ => name(sentence, range, index, &quantity.unit),
    };
    Some((named.unwrap_or_else(other), json!({"value": value, "unit": unit})))
}

/// The same, of units that measure many things.
const BY_UNIT_ELSE: &[(&str, &str)] = &[("m", "distance"), ("%", "share")];

fn name(
    sentence: &ParsedSentence,
    range: &Range<usize>,
    index: usize,
    unit: &str,
) -> Option<String> {
    let from = range.start.max(index.saturating_sub(NAME_ITEMS_BACK_MAX));
    // A number before it has the name that stands before that.
    let from = (from..index)
        .rev()
        .find(|&at| matches!(sentence.items[at].kind, ItemKind::Quantity(_)))
        .map_or(from, |at| at + 1);
    let named = (from..index).rev().find_map(|at| {
        let (cue, used) = sentence.cues[at]?;
        matches!(cue, Parameter | Handling).then_some(at..at + used)
    });
    if let Some(spelled) = named.map(|words| sentence.spelled(words)) {
        if let Some(name) = parameter_of(&spelled) {
            return Some(name.to_owned());
        }
        let is_verb = ["took", "lasted", "用时", "耗时", "停留"].contains(&spelled.as_str());
        if !is_verb {
            return Some(spelled.replace(' ', "_"));
        }
    }
    BY_UNIT.iter().find(|(base, _)| *base == unit).map(|(_, name)| (*name).to_owned())
}
