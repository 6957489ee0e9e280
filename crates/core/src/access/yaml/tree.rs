//! A YAML text as a tree that remembers its lines.

use super::super::AccessError;
use crate::model::nearest;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use serde_saphyr::options::DuplicateKeyPolicy;
use std::fmt;

/// Nodes of the text: far more than the bounds of [`limits`](crate::limits) leave room for.
const YAML_EVENTS_MAX: usize = 100_000;
/// A map in a list in a map in a list in a map is ten deep.
const YAML_DEPTH_MAX: usize = 32;

/// A value, and where it stands.
#[derive(Debug)]
pub struct Node {
    pub at: Place,
    value: Value,
}

/// Where something stands.
#[derive(Debug, Clone)]
pub struct Place {
    /// Which keys and indexes lead to it: `agents[1].read[0]`.
    path: String,
    line: u64,
}

impl Place {
    /// What is wrong there.
    pub fn fault(&self, fault: impl fmt::Display) -> AccessError {
        let path = if self.path.is_empty() { "access file" } else { &self.path };
        AccessError::new(format!("{path} (line {})", self.line), fault.to_string())
    }
}

#[derive(Debug)]
enum Value {
    Nothing,
    Text(String),
    List(Vec<Spanned<Value>>),
    Map(Vec<(String, Spanned<Value>)>),
    /// What no key takes, in words.
    Other(String),
}

impl Value {
    fn kind(&self) -> String {
        match self {
            Self::Nothing => "nothing".into(),
            Self::Text(text) => format!("the text {:?}", shortened(text)),
            Self::List(_) => "a list".into(),
            Self::Map(_) => "a map".into(),
            Self::Other(what) => what.clone(),
        }
    }
}

impl Node {
    /// Reads a text.
    pub fn parse(yaml: &str) -> Result<Self, AccessError> {
        let options = serde_saphyr::options! {
            budget: serde_saphyr::budget! { max_events: YAML_EVENTS_MAX, max_depth: YAML_DEPTH_MAX },
            // They are refused here, in words for whoever wrote the file.
            duplicate_keys: DuplicateKeyPolicy::PassThrough,
        };
        let root: Spanned<Value> =
            serde_saphyr::from_str_with_options(yaml, options).map_err(|error| {
                AccessError::new("access file", format!("no YAML: {}", error.without_snippet()))
            })?;
        Ok(Self::new(String::new(), root))
    }

    fn new(path: String, Spanned { value, referenced, .. }: Spanned<Value>) -> Self {
        Self { at: Place { path, line: referenced.line() }, value }
    }

    /// Whether it is a map.
    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// A text.
    pub fn text(&self) -> Result<&str, AccessError> {
        match &self.value {
            Value::Text(text) => Ok(text),
            Value::Other(what) => {
                Err(self.at.fault(format!("must be a text, got {what}; put it in quotes")))
            }
            other => Err(self.at.fault(format!("must be a text, got {}", other.kind()))),
        }
    }

    /// The members of a list of at most so many. What is no list is its only member.
    pub fn list(self, count_max: usize) -> Result<Vec<Self>, AccessError> {
        let Self { at, value } = self;
        match value {
            Value::Nothing => Err(at.fault("must be a list, got nothing; an empty one is []")),
            Value::List(members) if members.len() > count_max => {
                let given = members.len();
                Err(at.fault(format!("at most {count_max} entries, got {given}")))
            }
            Value::List(members) => {
                let members = members.into_iter().enumerate();
                Ok(members
                    .map(|(index, member)| Self::new(format!("{}[{index}]", at.path), member))
                    .collect())
            }
            value => Ok(vec![Self { at, value }]),
        }
    }

    /// The values of a map's keys, in the order of `keys`; `None` for one that is not there.
    pub fn map<const N: usize>(
        self,
        keys: [&'static str; N],
    ) -> Result<[Option<Self>; N], AccessError> {
        let Self { at, value } = self;
        let all = || keys.join(", ");
        let Value::Map(given) = value else {
            let kind = value.kind();
            return Err(at.fault(format!("must be a map with the keys {}; got {kind}", all())));
        };
        let mut found = [const { None }; N];
        for (key, value) in given {
            let line = value.referenced.line();
            let Some(index) = keys.iter().position(|known| *known == key) else {
                let node = Self::new(at.path, value);
                let given = shortened(&key);
                let hint = match nearest(&key, keys) {
                    Some(nearest) => format!("did you mean {nearest}?"),
                    None => format!("there are {}", all()),
                };
                return Err(node.at.fault(format!("there is no key {given:?}; {hint}")));
            };
            let path = if at.path.is_empty() { key } else { format!("{}.{key}", at.path) };
            let node = Self::new(path, value);
            if let Some(first) = found[index].replace(node) {
                let key = keys[index];
                let first = first.at.line;
                return Err(at.fault(format!("{key} is given twice, in lines {first} and {line}")));
            }
        }
        Ok(found)
    }
}

/// As much of a text as a message shows.
pub fn shortened(text: &str) -> String {
    text.chars().take(64).collect()
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

/// Reads a [`Value`] of whatever kind the YAML has there.
struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a list or a map")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Other(format!("the boolean {value}")))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Other(format!("the number {value}")))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Other(format!("the number {value}")))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Other(format!("the number {value}")))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(member) = members.next_element()? {
            list.push(member);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Value::Map(map))
    }
}
