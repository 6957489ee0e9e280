//! Conditions on a memory's context.

mod cell;
mod members;
mod path;

pub use cell::{Cell, Number};
pub use path::{Path, PathError};

use crate::limits::{CONTEXT_BYTES_MAX, FILTER_CONDITIONS_MAX};
use cell::same_elements;
use members::{Json, Members};
use serde_json::Value;
use std::cmp::Ordering;

use super::text_enum;

/// Conditions that must all hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// At most [`FILTER_CONDITIONS_MAX`], in the order in which they were given.
    pub conditions: Vec<Condition>,
}

/// One comparison of what a row has at a path with a given value.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// Where in the context.
    pub path: Path,
    /// How it is compared.
    pub operator: Operator,
    /// With what.
    pub operand: Operand,
}

text_enum! {
    /// How a cell is compared with an operand.
    Operator {
        /// The same value; written without an operator.
        Equal = "=",
        /// Of the operand's type and another value; with a null operand: anything but null.
        NotEqual = "$ne",
        /// Less than the operand.
        Less = "$lt",
        /// The operand or less.
        LessOrEqual = "$lte",
        /// Greater than the operand.
        Greater = "$gt",
        /// The operand or greater.
        GreaterOrEqual = "$gte",
    }
}

/// What cells are compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// JSON null.
    Null,
    /// JSON true or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text; the order of texts is that of their characters' code points.
    Text(String),
    /// An array, compared by structure.
    Array(Vec<Value>),
}

/// Why a text is not a filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// More bytes than [`CONTEXT_BYTES_MAX`].
    #[error("context_filter has {given} bytes, more than {CONTEXT_BYTES_MAX}")]
    TooLong {
        /// How many it has.
        given: usize,
    },
    /// Not JSON, or a number that no float holds.
    #[error("context_filter is not JSON: {reason}")]
    NotJson {
        /// What the reader says.
        reason: String,
    },
    /// JSON, but not an object.
    #[error("context_filter must be a JSON object of path: condition, not {given}")]
    NotAnObject {
        /// The type that was given.
        given: &'static str,
    },
    /// More conditions than [`FILTER_CONDITIONS_MAX`]; every operator counts as one.
    #[error("context_filter has {given} conditions, more than {FILTER_CONDITIONS_MAX}")]
    TooManyConditions {
        /// How many there are.
        given: usize,
    },
    /// A key of the filter is not a path.
    #[error("context_filter: {0}")]
    Path(#[from] PathError),
    /// An object without any operator.
    #[error("context_filter: the condition on \"{path}\" is an object without an operator")]
    NoOperator {
        /// On what.
        path: String,
    },
    /// A key of a condition is not an operator.
    #[error(
        "context_filter: unknown operator \"{operator}\" on \"{path}\"; there are $lt, $lte, $gt, $gte, $ne"
    )]
    UnknownOperator {
        /// On what.
        path: String,
        /// What was given.
        operator: String,
    },
    /// The operator cannot take such an operand.
    #[error("context_filter: {operator} on \"{path}\" needs {expected}, and was given {given}")]
    Operand {
        /// On what.
        path: String,
        /// Of which operator.
        operator: Operator,
        /// What it takes.
        expected: &'static str,
        /// The type that was given.
        given: &'static str,
    },
}

impl Filter {
    /// Reads a `context_filter`: a JSON object of dotted path to value (equality), or to an object
    /// of operator to value.
    ///
    /// # Errors
    /// When it is not such an object, names an unknown operator, or is longer than the limits
    /// allow. Of several faults the first is told.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        if text.len() > CONTEXT_BYTES_MAX {
            return Err(FilterError::TooLong { given: text.len() });
        }
        let filter: Json<Json<Value>> = serde_json::from_str(text)
            .map_err(|error| FilterError::NotJson { reason: error.to_string() })?;
        let Members(members) = match filter {
            Json::Object(members) => members,
            Json::Other(value) => {
                return Err(FilterError::NotAnObject { given: type_name(&value) });
            }
        };
        let given = members.iter().map(|(_, condition)| condition.count()).sum();
        if given > FILTER_CONDITIONS_MAX {
            return Err(FilterError::TooManyConditions { given });
        }
        let mut conditions = Vec::with_capacity(given);
        for (key, condition) in members {
            let path = Path::parse(&key)?;
            match condition {
                Json::Object(Members(operations)) if operations.is_empty() => {
                    return Err(FilterError::NoOperator { path: key });
                }
                Json::Object(Members(operations)) => {
                    for (name, value) in operations {
                        let operator = written_operator(&key, &name)?;
                        conditions.push(Condition::of(path.clone(), operator, value)?);
                    }
                }
                Json::Other(value) => {
                    conditions.push(Condition::of(path, Operator::Equal, value)?);
                }
            }
        }
        Ok(Self { conditions })
    }

    /// Whether a context meets every condition.
    pub fn matches(&self, context: &Value) -> bool {
        self.conditions.iter().all(|c| c.matches(&Cell::of(c.path.resolve(context))))
    }
}

impl Condition {
    fn of(path: Path, operator: Operator, value: Value) -> Result<Self, FilterError> {
        let refused = |expected, given| FilterError::Operand {
            path: path.to_string(),
            operator,
            expected,
            given,
        };
        let given = type_name(&value);
        let operand = match value {
            Value::Null => Operand::Null,
            Value::Bool(value) => Operand::Bool(value),
            Value::Number(number) => Operand::Number(Number::of(&number)),
            Value::String(text) => Operand::Text(text),
            Value::Array(elements) => Operand::Array(elements),
            Value::Object(_) => {
                return Err(refused("null, true, false, a number, a text or an array", given));
            }
        };
        let orders = !matches!(operator, Operator::Equal | Operator::NotEqual);
        if orders && !matches!(operand, Operand::Number(_) | Operand::Text(_)) {
            return Err(refused("a number or a text", given));
        }
        Ok(Self { path, operator, operand })
    }

    /// Whether a row with this cell at the path meets the condition.
    ///
    /// A row that lacks the path never does, nor does one whose value is of another type than the
    /// operand, whatever the operator.
    pub fn matches(&self, cell: &Cell<'_>) -> bool {
        match (&self.operand, cell) {
            (_, Cell::Absent) => false,
            (Operand::Null, cell) => self.operator.accepts_equal() == (*cell == Cell::Null),
            (Operand::Bool(a), Cell::Bool(b)) => self.operator.accepts_equal() == (a == b),
            (Operand::Number(a), Cell::Number(b)) => self.operator.accepts(b.compare(*a)),
            (Operand::Text(a), Cell::Text(b)) => self.operator.accepts((*b).cmp(a)),
            (Operand::Array(a), Cell::Array(b)) => {
                self.operator.accepts_equal() == same_elements(a, b)
            }
            _ => false,
        }
    }
}

impl Operator {
    /// Whether it holds for a cell that stands so to the operand.
    pub fn accepts(self, cell_to_operand: Ordering) -> bool {
        match self {
            Self::Equal => cell_to_operand.is_eq(),
            Self::NotEqual => cell_to_operand.is_ne(),
            Self::Less => cell_to_operand.is_lt(),
            Self::LessOrEqual => cell_to_operand.is_le(),
            Self::Greater => cell_to_operand.is_gt(),
            Self::GreaterOrEqual => cell_to_operand.is_ge(),
        }
    }

    fn accepts_equal(self) -> bool {
        self.accepts(Ordering::Equal)
    }
}

/// The operator that a condition's key is; equality has none to write.
fn written_operator(path: &str, name: &str) -> Result<Operator, FilterError> {
    Operator::parse(name).filter(|&operator| operator != Operator::Equal).ok_or_else(|| {
        FilterError::UnknownOperator {
            path: path.to_owned(),
            // Long enough for any operator, short enough for a message.
            operator: name.chars().take(32).collect(),
        }
    })
}

impl Json<Value> {
    /// How many conditions a value in a filter makes.
    fn count(&self) -> usize {
        match self {
            Self::Object(Members(operations)) => operations.len(),
            Self::Other(_) => 1,
        }
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn matches(filter: Value, context: &Value) -> bool {
        Filter::parse(&filter.to_string()).unwrap().matches(context)
    }

    #[test]
    fn conditions_mean_what_they_say() {
        let context = json!({
            "task": {"success": true, "name": "pick"},
            "params": {"force": 12.5, "count": 5, "big": 9_007_199_254_740_993_i64},
            "spatial": {"position": [1.0, 2, 3]},
            "note": null,
        });
        let holds = [
            json!({}),
            json!({"task.success": true}),
            json!({"task.name": "pick", "params.force": 12.5}),
            json!({"params.count": 5.0}),
            json!({"params.force": {"$lt": 15, "$gt": 12}}),
            json!({"params.force": {"$lte": 12.5, "$gte": 12.5, "$ne": 12}}),
            json!({"params.big": {"$gt": 9_007_199_254_740_992_i64}}),
            json!({"task.name": {"$gte": "p", "$lt": "q", "$ne": "place"}}),
            json!({"task.success": {"$ne": false}}),
            json!({"spatial.position": [1, 2, 3]}),
            json!({"spatial.position": {"$ne": [1, 2]}}),
            json!({"spatial.position.1": {"$gt": 1.5}}),
            json!({"note": null}),
            json!({"task": {"$ne": null}}),
        ];
        for filter in holds {
            assert!(matches(filter.clone(), &context), "{filter}");
        }
        let fails = [
            json!({"task.success": 1}),
            json!({"task.success": false}),
            json!({"params.count": true}),
            json!({"params.count": "5"}),
            json!({"params.count": {"$ne": "5"}}),
            json!({"params.count": {"$lt": "9"}}),
            json!({"params.force": {"$lt": 12.5}}),
            json!({"params.force": {"$gt": 12.5}}),
            json!({"params.force": 12.5, "task.name": "place"}),
            json!({"params.big": 9_007_199_254_740_992_i64}),
            json!({"params.mass": {"$ne": 3}}),
            json!({"params.mass": null}),
            json!({"params.mass": {"$ne": null}}),
            json!({"note": {"$ne": null}}),
            json!({"note": {"$ne": 5}}),
            json!({"note": 0}),
            json!({"task": {"$ne": 5}}),
            json!({"task": {"$ne": [1]}}),
            json!({"spatial.position": [1, 2]}),
            json!({"spatial.position": {"$ne": [1, 2, 3]}}),
        ];
        for filter in fails {
            assert!(!matches(filter.clone(), &context), "{filter}");
        }
        assert!(!matches(json!({"a": 1}), &json!("no object")));
    }

    #[test]
    fn faults_are_told_apart_and_name_what_was_given() {
        let eleven = json!({
            "a": {"$gt": 1, "$lt": 9}, "b": {"$gt": 1, "$lt": 9}, "c": {"$gt": 1, "$lt": 9},
            "d": {"$gt": 1, "$lt": 9}, "e": {"$gt": 1, "$lt": 9}, "f": 1,
        });
        let cases = [
            ("{\"a\": }".to_owned(), "is not JSON: expected value at line 1 column 7"),
            (String::new(), "is not JSON: EOF"),
            ("{\"a\": 1e999}".to_owned(), "is not JSON: number out of range"),
            ("[1]".to_owned(), "must be a JSON object of path: condition, not an array"),
            (eleven.to_string(), "has 11 conditions, more than 10"),
            (json!({"": 1}).to_string(), "the path \"\" has an empty key"),
            (json!({"a.b": {}}).to_string(), "on \"a.b\" is an object without an operator"),
            (json!({"a.b": {"$in": [1]}}).to_string(), "unknown operator \"$in\" on \"a.b\""),
            (json!({"a": {"lt": 1}}).to_string(), "unknown operator \"lt\" on \"a\""),
            (json!({"a": {"=": 1}}).to_string(), "unknown operator \"=\" on \"a\""),
            (
                json!({"a": {"$lt": true}}).to_string(),
                "$lt on \"a\" needs a number or a text, and was given true or false",
            ),
            (json!({"a": {"$gte": [1]}}).to_string(), "$gte on \"a\" needs a number or a text"),
            (json!({"a": {"$ne": {"b": 1}}}).to_string(), "and was given an object"),
        ];
        for (text, expected) in cases {
            let message = Filter::parse(&text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
        let long = format!("{{\"a\": \"{}\"}}", "x".repeat(CONTEXT_BYTES_MAX));
        assert!(matches!(Filter::parse(&long), Err(FilterError::TooLong { .. })));
    }

    #[test]
    fn conditions_on_one_path_do_not_replace_each_other() {
        let text = r#"{"x": {"$ne": 1, "$ne": 2}, "x": {"$lt": 9}}"#;
        let filter = Filter::parse(text).unwrap();
        assert_eq!(filter.conditions.len(), 3);
        let found: Vec<i32> = (0..11).filter(|x| filter.matches(&json!({"x": x}))).collect();
        assert_eq!(found, [0, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn ten_conditions_are_allowed() {
        let ten = json!({"a": {"$gt": 1, "$lt": 9, "$ne": 3}, "b": 1, "c": 1, "d": 1, "e": 1,
            "f": 1, "g": 1, "h": 1});
        assert_eq!(Filter::parse(&ten.to_string()).unwrap().conditions.len(), 10);
    }
}
