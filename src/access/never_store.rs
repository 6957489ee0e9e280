//! What is never stored: secrets, by their patterns.

use super::AccessError;
use regex::{RegexSet, RegexSetBuilder};
use serde_json::Value;

/// The patterns that always hold, with their names.
const BUILT_IN: [(&str, &str); 5] = [
    ("api_key", r"sk-[A-Za-z0-9]{20,}"),
    ("password", r"password\s*[:=]\s*\S+"),
    ("token", r"token\s*[:=]\s*\S+"),
    ("cookie", r"cookie\s*[:=]\s*\S+"),
    ("private_key", r"-----BEGIN\s+(RSA\s+)?PRIVATE"),
];
/// Bytes that a compiled set of patterns may take.
const COMPILED_BYTES_MAX: usize = 16 << 20;

/// Patterns of what is never stored. Matching takes time linear in the text.
#[derive(Debug, Clone)]
pub struct NeverStore {
    names: Vec<String>,
    patterns: RegexSet,
}

impl NeverStore {
    /// The patterns that always hold.
    pub fn built_in() -> Self {
        Self::with(&[]).unwrap_or_else(|error| {
            // A test compiles them, so that this is never met.
            log::error!("the patterns of what is never stored: {error}");
            Self { names: Vec::new(), patterns: RegexSet::empty() }
        })
    }

    /// These and more, each with a name.
    ///
    /// # Errors
    /// When a pattern is not well formed, or all of them are too large.
    pub fn with(more: &[(String, String)]) -> Result<Self, AccessError> {
        let built_in = BUILT_IN.iter().map(|(name, pattern)| (*name, *pattern));
        let given = more.iter().map(|(name, pattern)| (name.as_str(), pattern.as_str()));
        let (names, patterns): (Vec<&str>, Vec<&str>) = built_in.chain(given).unzip();
        let patterns = RegexSetBuilder::new(patterns)
            .case_insensitive(true)
            .size_limit(COMPILED_BYTES_MAX)
            .build()
            .map_err(|error| AccessError::new("never_store", error.to_string()))?;
        Ok(Self { names: names.into_iter().map(str::to_owned).collect(), patterns })
    }

    /// The name of the first rule that a text meets.
    pub fn find(&self, text: &str) -> Option<&str> {
        let first = self.patterns.matches(text).iter().next()?;
        self.names.get(first).map(String::as_str)
    }

    /// The name of the first rule that a JSON value meets: in one of its texts or keys, or in a pair
    /// written as `key: value`.
    pub fn find_in(&self, value: &Value) -> Option<&str> {
        match value {
            Value::String(text) => self.find(text),
            Value::Array(all) => all.iter().find_map(|value| self.find_in(value)),
            Value::Object(map) => map.iter().find_map(|(key, value)| {
                self.find(key)
                    .or_else(|| self.find_in_pair(key, value))
                    .or_else(|| self.find_in(value))
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    fn find_in_pair(&self, key: &str, value: &Value) -> Option<&str> {
        match value {
            Value::String(text) => self.find(&format!("{key}: {text}")),
            Value::Number(_) | Value::Bool(_) => self.find(&format!("{key}: {value}")),
            Value::Array(all) => all.iter().find_map(|value| self.find_in_pair(key, value)),
            Value::Null | Value::Object(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_patterns_are_well_formed() {
        assert_eq!(NeverStore::with(&[]).unwrap().names.len(), BUILT_IN.len());
    }
}
