//! Conditions on the context as SQL: exactly what [`Filter::matches`] says of a row.

use crate::error::{Error, Result};
use crate::reader::Query;
use crate::said::{has_nul, spell_numbers};
use robot_memory_core::model::{Condition, Filter, Number, Operand, Operator, Path};
use serde_json::{Map, Value};

/// Refuses what no row can have, and the database cannot read.
pub(crate) fn check(filter: &Filter) -> Result<()> {
    let unreadable = |condition: &Condition| {
        condition.path.as_str().contains('\0')
            || match &condition.operand {
                Operand::Text(text) => text.contains('\0'),
                Operand::Array(elements) => elements.iter().any(has_nul),
                _ => false,
            }
    };
    match filter.conditions.iter().any(unreadable) {
        true => Err(Error::invalid("context_filter: must not contain the character NUL")),
        false => Ok(()),
    }
}

/// Adds the conditions to a statement whose rows are `s`.
pub(crate) fn push(query: &mut Query, filter: &Filter) {
    for condition in &filter.conditions {
        query.push(" AND (");
        push_one(query, condition);
        query.push(")");
    }
}

fn push_one(query: &mut Query, condition: &Condition) {
    let cell = cell(query, &condition.path);
    let sign = sign(condition.operator);
    let text = match &condition.operand {
        // Whatever is there and is not null is not equal to it.
        Operand::Null => format!("{cell} {sign} 'null'::jsonb"),
        Operand::Bool(value) => {
            let is = *value == (condition.operator == Operator::Equal);
            format!("{cell} = '{is}'::jsonb")
        }
        Operand::Number(number) => {
            let value = query.bind(number_text(*number));
            format!("jsonb_typeof({cell}) = 'number' AND {cell} {sign} {value}::text::jsonb")
        }
        Operand::Text(text) => {
            let value = query.bind(text.clone());
            format!(
                "jsonb_typeof({cell}) = 'string' AND ({cell} #>> '{{}}') COLLATE \"C\" {sign} {value}::text"
            )
        }
        Operand::Array(elements) => {
            let value = query.bind(array_of(elements).to_string());
            format!("jsonb_typeof({cell}) = 'array' AND {cell} {sign} {value}::text::jsonb")
        }
    };
    query.push(&text);
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Equal => "=",
        Operator::NotEqual => "<>",
        Operator::Less => "<",
        Operator::LessOrEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterOrEqual => ">=",
    }
}

fn number_text(number: Number) -> String {
    match number {
        Number::Integer(integer) => integer.to_string(),
        Number::Unsigned(integer) => integer.to_string(),
        Number::Float(float) => Value::from(float).to_string(),
    }
}

fn array_of(elements: &[Value]) -> Value {
    let mut array = Value::Array(elements.to_vec());
    spell_numbers(&mut array);
    array
}

/// What a row has at a path. `#>` takes `-1`, `+1` and ` 1` as indexes of an array too, where only digits are one: such keys
/// are looked up as names.
fn cell(query: &mut Query, path: &Path) -> String {
    let mut cell = "s.context".to_owned();
    let mut keys: Vec<String> = Vec::new();
    let walk = |query: &mut Query, keys: &mut Vec<String>, cell: &mut String| {
        if !keys.is_empty() {
            *cell = format!("({cell} #> {}::text[])", query.bind(std::mem::take(keys)));
        }
    };
    for key in path.as_str().split('.') {
        if is_plain(key) {
            keys.push(key.to_owned());
        } else {
            walk(query, &mut keys, &mut cell);
            cell = format!("({cell} -> {}::text)", query.bind(key.to_owned()));
        }
    }
    walk(query, &mut keys, &mut cell);
    cell
}

/// Whether `#>` reads a key as a path does.
fn is_plain(key: &str) -> bool {
    let number = key.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let number = number.strip_prefix(['+', '-']).unwrap_or(number);
    number.len() == key.len() || number.is_empty() || !number.bytes().all(|it| it.is_ascii_digit())
}

/// What every row that meets the equalities on names contains, for the index; `None`: there are none.
pub(crate) fn contained(filter: &Filter) -> Option<Value> {
    let mut all = Map::new();
    for Condition { path, operator, operand } in &filter.conditions {
        let value = match operand {
            Operand::Null => Value::Null,
            Operand::Bool(value) => Value::Bool(*value),
            Operand::Number(number) => serde_json::from_str(&number_text(*number)).ok()?,
            Operand::Text(text) => Value::String(text.clone()),
            Operand::Array(elements) => array_of(elements),
        };
        let keys: Vec<&str> = path.as_str().split('.').collect();
        // An index is no part of what is contained.
        let has_index = keys.iter().any(|key| key.bytes().all(|it| it.is_ascii_digit()));
        if *operator == Operator::Equal && !has_index {
            put(&mut all, &keys, value);
        }
    }
    (!all.is_empty()).then_some(Value::Object(all))
}

fn put(members: &mut Map<String, Value>, keys: &[&str], value: Value) {
    match keys {
        [] => {}
        [last] => drop(members.entry(*last).or_insert(value)),
        [first, rest @ ..] => {
            let inner = members.entry(*first).or_insert_with(|| Value::Object(Map::new()));
            // Another condition wants something else there: then no row meets both, and one is enough for the index.
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}
