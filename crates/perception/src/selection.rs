//! Which of the records of a message are looked at: `where` of an entry.

use super::ReportLevel;
use robot_memory_core::limits::CONDITIONS_MAX;
use robot_memory_messages::{PathValue, RecordFilter};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Conditions on the fields of a record, all of which must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    conditions: Vec<Condition>,
}

#[derive(Debug, Clone, PartialEq)]
struct Condition {
    /// `status.name`.
    field: String,
    test: Test,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    /// A text, with `*` for any letters.
    Like(String),
    /// A comparison of levels, or of numbers.
    Level(Order, ReportLevel),
    Number(Order, f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Less,
    AtMost,
    Equal,
    Not,
    AtLeast,
    More,
}

/// The longer ones first: `>=` begins with `>`.
const ORDERS: [(&str, Order); 6] = [
    (">=", Order::AtLeast),
    ("<=", Order::AtMost),
    ("!=", Order::Not),
    (">", Order::More),
    ("<", Order::Less),
    ("=", Order::Equal),
];

impl Order {
    fn holds<T: PartialOrd>(self, one: &T, other: &T) -> bool {
        match self {
            Self::Less => one < other,
            Self::AtMost => one <= other,
            Self::Equal => one == other,
            Self::Not => one != other,
            Self::AtLeast => one >= other,
            Self::More => one > other,
        }
    }
}

impl Selection {
    /// Reads a map from fields to conditions: `{status.name: lidar*, level: >=ERROR}`. A map in it holds the
    /// fields of a field.
    ///
    /// # Errors
    /// Which condition is not understood, and what it must be like.
    pub fn parse(map: &Map<String, Value>) -> Result<Self, String> {
        let mut selection = Self::default();
        selection.read("", map)?;
        if selection.conditions.len() > CONDITIONS_MAX {
            let given = selection.conditions.len();
            return Err(format!("has {given} conditions, at most {CONDITIONS_MAX} can be given"));
        }
        Ok(selection)
    }

    fn read(&mut self, within: &str, map: &Map<String, Value>) -> Result<(), String> {
        for (name, value) in map {
            let field = format!("{within}{name}");
            let test = match value {
                Value::Object(fields) => {
                    self.read(&format!("{field}."), fields)?;
                    continue;
                }
                Value::Number(number) => {
                    Some(Test::Number(Order::Equal, number.as_f64().unwrap_or(f64::NAN)))
                }
                Value::String(text) => test(text.trim()),
                _ => None,
            };
            let Some(test) = test else {
                return Err(format!(
                    "{field:?} must be a name as lidar*, a level as >=ERROR or a number as >=20, was {value}"
                ));
            };
            self.conditions.push(Condition { field, test });
        }
        Ok(())
    }

    /// The same with a level where none is given for this field.
    #[must_use]
    pub fn or_level(mut self, field: &str, level: ReportLevel) -> Self {
        if !self.conditions.iter().any(|condition| condition.is_of(field)) {
            let test = Test::Level(Order::AtLeast, level);
            self.conditions.push(Condition { field: field.to_owned(), test });
        }
        self
    }

    /// The first field of the conditions that is none of these.
    pub fn unknown_field(&self, known: &[&str]) -> Option<&str> {
        let is_known = |condition: &&Condition| !known.iter().any(|field| condition.is_of(field));
        self.conditions.iter().find(is_known).map(|condition| condition.field.as_str())
    }

    /// Whether what is asked of a field holds for a text.
    pub fn takes_text(&self, field: &str, text: &str) -> bool {
        self.of(field).all(|test| match test {
            Test::Like(pattern) => is_like(pattern, text),
            Test::Level(order, level) => order.holds(&text, &level.as_str()),
            Test::Number(order, number) => {
                text.trim().parse::<f64>().is_ok_and(|given| order.holds(&given, number))
            }
        })
    }

    /// The same for a level.
    pub fn takes_level(&self, field: &str, given: ReportLevel) -> bool {
        self.of(field).all(|test| match test {
            Test::Like(pattern) => is_like(pattern, given.as_str()),
            Test::Level(order, level) => order.holds(&given, level),
            Test::Number(..) => false,
        })
    }

    /// The conditions on the records that a path leads through; `None` when there are none.
    pub fn filter(&self) -> Option<RecordFilter> {
        let selection = self.clone();
        let holds = move |field: &str, value: &PathValue| selection.takes(field, value);
        let fields = self.conditions.iter().map(|condition| condition.field.clone()).collect();
        (!self.conditions.is_empty()).then(|| RecordFilter { fields, holds: Arc::new(holds) })
    }

    fn takes(&self, field: &str, value: &PathValue) -> bool {
        match value {
            PathValue::Text(text) => self.takes_text(field, text),
            PathValue::Bool(flag) => self.takes_text(field, &flag.to_string()),
            PathValue::Numbers { values, .. } => {
                self.of(field).all(|test| match (test, &values[..]) {
                    (Test::Number(order, bound), [number]) => order.holds(number, bound),
                    _ => false,
                })
            }
            PathValue::Nothing => false,
        }
    }

    fn of(&self, field: &str) -> impl Iterator<Item = &Test> {
        self.conditions
            .iter()
            .filter(move |condition| condition.is_of(field))
            .map(|condition| &condition.test)
    }
}

impl Condition {
    /// `name` is `status.name` where records are what a message is made of.
    fn is_of(&self, field: &str) -> bool {
        self.field == field || field.rsplit_once('.').is_some_and(|(_, last)| self.field == last)
    }
}

fn test(text: &str) -> Option<Test> {
    let order = ORDERS.iter().find_map(|(sign, order)| Some((*order, text.strip_prefix(sign)?)));
    let Some((order, bound)) = order else {
        return (!text.is_empty()).then(|| match ReportLevel::parse(text) {
            Some(level) => Test::Level(Order::Equal, level),
            None => Test::Like(text.to_owned()),
        });
    };
    let bound = bound.trim();
    ReportLevel::parse(bound).map(|level| Test::Level(order, level)).or_else(|| {
        Some(Test::Number(order, bound.parse().ok().filter(|it: &f64| it.is_finite())?))
    })
}

/// Whether a text is as a pattern, in which `*` is any letters.
pub fn is_like(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(start) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(place) = left.find(piece) else { return false };
        left = &left[place + piece.len()..];
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn selection(map: Value) -> Result<Selection, String> {
        Selection::parse(map.as_object().expect("a map"))
    }

    #[test]
    fn names_levels_and_numbers_are_selected() {
        let flat = selection(json!({"status.name": "lidar*", "level": ">=ERROR"})).unwrap();
        let nested = selection(json!({"status": {"name": "lidar*"}, "level": ">= ERROR"})).unwrap();
        assert_eq!(flat, nested);
        assert!(flat.takes_text("status.name", "lidar_node: Lidar"));
        assert!(!flat.takes_text("status.name", "imu"));
        assert!(flat.takes_text("status.message", "anything"));
        assert!(flat.takes_level("status.level", ReportLevel::Stale));
        assert!(!flat.takes_level("status.level", ReportLevel::Warn));
        let exact = selection(json!({"level": "WARN", "count": ">3", "zone": 4})).unwrap();
        assert!(exact.takes_level("level", ReportLevel::Warn));
        assert!(!exact.takes_level("level", ReportLevel::Error));
        assert!(exact.takes_text("count", "4") && !exact.takes_text("count", "3"));
        assert_eq!(exact.unknown_field(&["status.level", "count"]), Some("zone"));
        let by_default = Selection::default().or_level("level", ReportLevel::Error);
        assert!(!by_default.takes_level("level", ReportLevel::Warn));
        assert!(
            exact.or_level("level", ReportLevel::Fatal).takes_level("level", ReportLevel::Warn)
        );
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for (map, named) in [
            (json!({"level": ">=BAD"}), "\"level\" must be"),
            (json!({"status": {"name": true}}), "\"status.name\" must be"),
            (json!({"name": ""}), "\"name\" must be"),
            (json!({"name": ["a"]}), "\"name\" must be"),
        ] {
            let refused = selection(map).unwrap_err();
            assert!(refused.contains(named) && refused.contains("lidar*"), "{refused}");
        }
        let many: Map<String, Value> =
            (0..=CONDITIONS_MAX).map(|index| (index.to_string(), json!(1))).collect();
        assert!(Selection::parse(&many).unwrap_err().contains("at most 16"));
    }
}
