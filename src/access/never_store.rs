//! What is never stored: secrets, by their patterns.

mod json;

use crate::limits::{NEVER_STORE_BYTES_MAX, NEVER_STORE_NAME_BYTES_MAX};
use json::Walk;
use regex::bytes::{RegexSet, RegexSetBuilder};
use std::borrow::Cow;

/// The patterns that always hold, with their names.
const BUILT_IN: [(&str, &str); 5] = [
    ("api_key", r"sk-[A-Za-z0-9]{20,}"),
    ("password", r"password\s*[:=]\s*\S+"),
    ("token", r"token\s*[:=]\s*\S+"),
    ("cookie", r"cookie\s*[:=]\s*\S+"),
    ("private_key", r"-----BEGIN\s+([A-Z0-9]+\s+)*PRIVATE"),
];
/// Bytes that compiled patterns may take.
const COMPILED_BYTES_MAX: usize = 16 << 20;
/// JSON in a text, and JSON in a text of that, and so on: each must be escaped once more, so that
/// nobody writes it deeper.
const NESTED_JSON_MAX: u32 = 4;

/// Patterns of what is never stored. Matching takes time linear in the text, whatever they are.
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

    /// These and more, each with a name and a regular expression, which is not case-sensitive.
    ///
    /// # Errors
    /// When a name is no short word of `a` to `z`, digits and `_`, or is there twice; when a pattern is
    /// empty, too long, not well formed, too large when compiled, or matches the empty text, and so
    /// would refuse everything.
    pub(super) fn with(more: &[(String, String)]) -> Result<Self, RuleFault> {
        let mut rules = BUILT_IN.to_vec();
        for (index, (name, pattern)) in more.iter().enumerate() {
            check_name(name, &rules).map_err(|fault| RuleFault::Name { index, fault })?;
            check_pattern(pattern).map_err(|fault| RuleFault::Pattern { index, fault })?;
            rules.push((name, pattern));
        }
        let (names, patterns): (Vec<&str>, Vec<&str>) = rules.into_iter().unzip();
        let patterns = compiled(&patterns).map_err(RuleFault::All)?;
        Ok(Self { names: names.into_iter().map(str::to_owned).collect(), patterns })
    }

    /// The name of the first rule that a text meets: as it is, or read plainly, without quotes,
    /// backslashes and invisible characters, and with full-width characters as their ASCII ones.
    /// What begins as JSON does is also read as [`Self::find_in_json`] does.
    pub fn find(&self, text: &str) -> Option<&str> {
        self.name(self.search(text, NESTED_JSON_MAX)?)
    }

    /// The name of the first rule that JSON meets: in its text as it is; or, whatever escapes it is
    /// written with, in one of its texts, or in a pair written as `key: value`. An array is a pair
    /// with each of its elements, an object that is not empty with `{`; null is nothing.
    ///
    /// What is no JSON is read as far as it is, and as a text.
    pub fn find_in_json(&self, json: &str) -> Option<&str> {
        let found = self.first(json.as_bytes());
        self.name(found.or_else(|| Walk::over(self, json, NESTED_JSON_MAX))?)
    }

    /// The name of the first rule that bytes meet, which may hold texts as UTF-8 anywhere.
    pub fn find_in_bytes(&self, bytes: &[u8]) -> Option<&str> {
        self.name(self.first(bytes)?)
    }

    fn name(&self, rule: usize) -> Option<&str> {
        self.names.get(rule).map(String::as_str)
    }

    fn first(&self, bytes: &[u8]) -> Option<usize> {
        // Which of them matched is known later than whether one did.
        if !self.patterns.is_match(bytes) {
            return None;
        }
        self.patterns.matches(bytes).iter().next()
    }

    /// A text that may hold JSON, nested no deeper than this.
    fn search(&self, text: &str, nested_max: u32) -> Option<usize> {
        self.search_line(text).or_else(|| {
            let begins_as_json = text.trim_start().starts_with(['{', '[', '"']);
            let nested_max = nested_max.checked_sub(1).filter(|_| begins_as_json)?;
            Walk::over(self, text, nested_max)
        })
    }

    /// A text as it is, and read plainly.
    fn search_line(&self, text: &str) -> Option<usize> {
        self.first(text.as_bytes()).or_else(|| match plain(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(plain) => self.first(plain.as_bytes()),
        })
    }
}

/// What is wrong with rules that were given, in a clause, and with which of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum RuleFault {
    #[error("never_store[{index}].name: {fault}")]
    Name { index: usize, fault: String },
    #[error("never_store[{index}].pattern: {fault}")]
    Pattern { index: usize, fault: String },
    /// Each of them can be, all together cannot.
    #[error("never_store: all patterns: {0}")]
    All(String),
}

fn check_name(name: &str, rules: &[(&str, &str)]) -> Result<(), String> {
    let is_word = name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        && !name.is_empty();
    if !is_word || name.len() > NEVER_STORE_NAME_BYTES_MAX {
        let given: String = name.chars().take(64).collect();
        return Err(format!(
            "must be 1 to {NEVER_STORE_NAME_BYTES_MAX} of a-z, 0-9 and _, got {given:?}"
        ));
    }
    if rules.iter().any(|(known, _)| *known == name) {
        return Err(format!("{name} is the name of another pattern"));
    }
    Ok(())
}

fn check_pattern(pattern: &str) -> Result<(), String> {
    if pattern.is_empty() || pattern.len() > NEVER_STORE_BYTES_MAX {
        return Err(format!("must be 1 to {NEVER_STORE_BYTES_MAX} bytes, got {}", pattern.len()));
    }
    if compiled(&[pattern])?.is_match(b"") {
        return Err("matches the empty text, and so would refuse everything".to_owned());
    }
    Ok(())
}

fn compiled(patterns: &[&str]) -> Result<RegexSet, String> {
    RegexSetBuilder::new(patterns)
        .case_insensitive(true)
        .size_limit(COMPILED_BYTES_MAX)
        .build()
        // Above it the pattern is shown again, over several lines.
        .map_err(|error| error.to_string().lines().last().unwrap_or_default().to_owned())
}

/// A text as it reads: `{"password"：…` says what `{password:…` does.
fn plain(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: &u8| byte.is_ascii() && !matches!(byte, b'"' | b'\'' | b'`' | b'\\');
    if text.as_bytes().iter().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let read: String = text.chars().filter_map(plain_char).collect();
    if read == text { Cow::Borrowed(text) } else { Cow::Owned(read) }
}

fn plain_char(c: char) -> Option<char> {
    match c {
        '"' | '\'' | '`' | '\\' => None,
        // Soft hyphen, spaces and joiners of no width, marks of direction.
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{feff}' => None,
        '“' | '”' | '‘' | '’' | '＂' | '＇' => None,
        // The forms of ASCII as wide as a Chinese character.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests;
