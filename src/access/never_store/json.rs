//! Reading JSON pair by pair, as it is written: a key that is there twice is read twice.

use super::NeverStore;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt::{self, Write};

/// What is looked for, and what was found.
pub(super) struct Walk<'n> {
    never: &'n NeverStore,
    nested_max: u32,
    /// One pair as it is tested.
    line: String,
    found: Option<usize>,
}

impl<'n> Walk<'n> {
    /// The rule that JSON meets first, as far as it is JSON.
    pub fn over(never: &'n NeverStore, json: &str, nested_max: u32) -> Option<usize> {
        let mut walk = Self { never, nested_max, line: String::new(), found: None };
        let mut deserializer = serde_json::Deserializer::from_str(json);
        // What is no JSON ends it, and so does what is found.
        let _ = Value { walk: &mut walk, key: None }.deserialize(&mut deserializer);
        walk.found
    }

    fn pair<E: Error>(&mut self, key: &str, value: impl fmt::Display) -> Result<(), E> {
        self.line.clear();
        // Writing to a string does not fail.
        let _ = write!(self.line, "{key}: {value}");
        self.found = self.never.search_line(&self.line);
        self.go_on()
    }

    fn text<E: Error>(&mut self, text: &str) -> Result<(), E> {
        self.found = self.never.search(text, self.nested_max);
        self.go_on()
    }

    fn go_on<E: Error>(&self) -> Result<(), E> {
        if self.found.is_some() { Err(E::custom("found")) } else { Ok(()) }
    }
}

/// A value, and the key that it or the array around it is of.
struct Value<'w, 'n> {
    walk: &'w mut Walk<'n>,
    key: Option<&'w str>,
}

impl Value<'_, '_> {
    fn scalar<E: Error>(self, value: impl fmt::Display) -> Result<(), E> {
        match self.key {
            Some(key) => self.walk.pair(key, value),
            None => Ok(()),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.scalar(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.scalar(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.scalar(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.scalar(value)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.walk.text(text)?;
        self.scalar(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Self { walk, key } = self;
        while elements.next_element_seed(Value { walk, key })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<(), A::Error> {
        let Self { walk, key: outer } = self;
        let mut is_first = true;
        while let Some(key) = pairs.next_key::<String>()? {
            if std::mem::take(&mut is_first)
                && let Some(outer) = outer
            {
                walk.pair(outer, '{')?;
            }
            walk.text(&key)?;
            pairs.next_value_seed(Value { walk, key: Some(&key) })?;
        }
        Ok(())
    }
}
