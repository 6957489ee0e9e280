use crate::limits::{NAME_BYTES_MAX, PATH_DEPTH_MAX};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A place in a JSON value: keys joined by dots, as in `spatial.position`. A key that is a number
/// is also an index into an array, from 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    text: String,
    keys: Vec<Key>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    name: String,
    index: Option<usize>,
}

/// Why a text is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing, or nothing between two dots.
    #[error("the path \"{path}\" has an empty key")]
    EmptyKey {
        /// What was given.
        path: String,
    },
    /// More keys than [`PATH_DEPTH_MAX`].
    #[error("the path \"{path}\" has {given} keys, more than {PATH_DEPTH_MAX}")]
    TooDeep {
        /// What was given.
        path: String,
        /// How many keys it has.
        given: usize,
    },
    /// More bytes than [`NAME_BYTES_MAX`].
    #[error("a path has {given} bytes, more than {NAME_BYTES_MAX}")]
    TooLong {
        /// How many bytes it has.
        given: usize,
    },
}

impl Path {
    /// Reads a dotted path.
    ///
    /// # Errors
    /// When a key is empty or the path is longer than the limits allow.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.len() > NAME_BYTES_MAX {
            return Err(PathError::TooLong { given: text.len() });
        }
        let given = text.split('.').count();
        if given > PATH_DEPTH_MAX {
            return Err(PathError::TooDeep { path: text.to_owned(), given });
        }
        if text.split('.').any(str::is_empty) {
            return Err(PathError::EmptyKey { path: text.to_owned() });
        }
        Ok(Self { text: text.to_owned(), keys: text.split('.').map(Key::new).collect() })
    }

    /// The path as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What lies at this place, or `None` when the value has no such place.
    pub fn resolve<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.keys.iter().try_fold(value, |value, key| match value {
            Value::Object(members) => members.get(&key.name),
            Value::Array(elements) => elements.get(key.index?),
            _ => None,
        })
    }

    /// What lies at this place of a JSON text, without making a value of all the rest: for texts by
    /// the million. `None` when the text has no such place, or is no JSON. (A number beyond the place
    /// that is too large for a value is passed over.)
    pub fn resolve_text(&self, json: &str) -> Option<Value> {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let found = Seek(&self.keys).deserialize(&mut deserializer).ok()?;
        deserializer.end().ok()?;
        found
    }
}

/// Visits that lead nowhere: nothing lies in what is neither an object nor an array.
macro_rules! nothing_in {
    ($($visit:ident($($value:tt: $of:ty)?)),+) => {
        $(fn $visit<E>(self, $($value: $of)?) -> Result<Self::Value, E> {
            Ok(None)
        })+
    };
}

/// What lies where these keys lead.
struct Seek<'k>(&'k [Key]);

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.0.is_empty() {
            Value::deserialize(deserializer).map(Some)
        } else {
            deserializer.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            match self.0.split_first() {
                // Of members with one name the last counts.
                Some((key, rest)) if key.name == name => {
                    found = members.next_value_seed(Seek(rest))?;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let at = self.0.first().and_then(|key| key.index);
        let rest = self.0.get(1..).unwrap_or_default();
        let mut found = None;
        for place in 0.. {
            let more = if Some(place) == at {
                elements.next_element_seed(Seek(rest))?.map(|value| found = value).is_some()
            } else {
                elements.next_element::<IgnoredAny>()?.is_some()
            };
            if !more {
                break;
            }
        }
        Ok(found)
    }

    nothing_in! {
        visit_unit(), visit_bool(_: bool), visit_i64(_: i64), visit_u64(_: u64), visit_f64(_: f64),
        visit_str(_: &str)
    }
}

impl Key {
    fn new(name: &str) -> Self {
        let is_index = name.bytes().all(|byte| byte.is_ascii_digit());
        // More digits than an index can have are only a name.
        let index = is_index.then(|| name.parse().ok()).flatten();
        Self { name: name.to_owned(), index }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn finds_what_lies_at_a_place() {
        let context = json!({
            "params": {"force": {"value": 12.5}, "7": "seven", "list": [[1, 2], {"x": null}]},
            "a": [10, 20],
        });
        let cases = [
            ("params.force.value", Some(json!(12.5))),
            ("params.7", Some(json!("seven"))),
            ("params.list.0.1", Some(json!(2))),
            ("params.list.1.x", Some(json!(null))),
            ("a.1", Some(json!(20))),
            ("a.2", None),
            ("a.+1", None),
            ("a.99999999999999999999999", None),
            ("a.first", None),
            ("params.force.value.deeper", None),
            ("params.mass", None),
            ("params.list.1.x.y", None),
        ];
        for (path, expected) in cases {
            let found = Path::parse(path).unwrap().resolve(&context).cloned();
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn refuses_what_is_not_a_path() {
        for path in ["", ".", "a.", ".a", "a..b"] {
            assert_eq!(Path::parse(path), Err(PathError::EmptyKey { path: path.to_owned() }));
        }
        let deepest = vec!["k"; PATH_DEPTH_MAX].join(".");
        assert_eq!(Path::parse(&deepest).unwrap().as_str(), deepest);
        let path = deepest + ".k";
        let message = Path::parse(&path).unwrap_err().to_string();
        assert_eq!(message, format!("the path \"{path}\" has 17 keys, more than 16"));
        let error = Path::parse(&"k".repeat(NAME_BYTES_MAX + 1)).unwrap_err();
        assert_eq!(error, PathError::TooLong { given: 257 });
    }

    #[test]
    fn a_text_is_resolved_as_its_value_is() {
        let texts = [
            r#"{"a": {"b": [1, {"c": "x"}, null]}, "b": 2}"#,
            r#"{"a": 1, "a": {"b": "the last counts"}}"#,
            r#"{"a": {"b": 1}, "a": 3}"#,
            r#"[[1.5, 2], {"0": true}]"#,
            r#"{"\u0061": {"b": -9007199254740993}}"#,
            "\"a\"",
            "1e400",
            "null",
            "{\"a\": {\"b\": 1}} x",
            "{\"a\": {\"b\": 1}",
            "",
        ];
        for path in ["a", "a.b", "a.b.1.c", "a.b.2", "b", "0.0", "1.0", "1", "a.b.c", "7.x"] {
            let path = Path::parse(path).unwrap();
            for text in texts {
                let value: Option<Value> = serde_json::from_str(text).ok();
                let expected = value.as_ref().and_then(|value| path.resolve(value)).cloned();
                assert_eq!(path.resolve_text(text), expected, "{path} of {text}");
            }
        }
    }
}
