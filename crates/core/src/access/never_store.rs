//! What is never stored: secrets, by their forms, and by the names that they stand behind.
//!
//! | file | what it does |
//! |---|---|
//! | `rules.rs`, `forms.tsv`, `names.tsv`, `words.txt` | the rules, as tables |
//! | `normalized.rs` | a text as a person reads it, with where it came from |
//! | `forms.rs` | texts that are secrets by their form |
//! | `names.rs`, `value.rs`, `plausible.rs` | names, and whether what stands behind them can be a secret |
//! | `json.rs` | all that in JSON |
//! | `place.rs` | where it was found, told without telling it |

mod forms;
mod json;
mod names;
mod normalized;
mod place;
mod plausible;
mod rules;
mod value;

pub use place::{Place, Pointer};

use crate::limits::{NEVER_STORE_BYTES_MAX, NEVER_STORE_NAME_BYTES_MAX};
use json::{Node, Walk};
use normalized::NormalizedText;
use regex::bytes::{RegexSet, RegexSetBuilder};
use value::How;

/// Bytes that compiled patterns of a file may take.
const COMPILED_BYTES_MAX: usize = 16 << 20;
/// JSON in a text, and JSON in a text of that, and so on: each must be escaped once more, so that
/// nobody writes it deeper. Base64 in a text is one of them.
const NESTED_MAX: u32 = 4;
/// Characters of base64 that are decoded: fewer hold no name with its secret.
const BASE64_CHARS_MIN: usize = 16;
/// Bytes of a text between characters that no text has, in bytes of messages.
const RUN_BYTES_MIN: usize = 6;

/// What is never stored: the rules that always hold, and patterns of a file. Looking for it takes time
/// linear in the text, whatever the patterns are.
#[derive(Debug, Clone)]
pub struct NeverStore {
    /// The names of the file's patterns.
    names: Vec<String>,
    more: RegexSet,
}

/// A secret that was found.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch<'n> {
    /// The name of the rule.
    pub rule: &'n str,
    pub place: Place,
}

impl SecretMatch<'_> {
    fn within(self, outer: &Pointer) -> Self {
        Self { place: self.place.within(outer), ..self }
    }

    fn within_key_of(self, outer: &Pointer) -> Self {
        Self { place: Place::KeyOf(outer.clone()), ..self }
    }
}

impl NeverStore {
    /// The rules that always hold.
    pub fn built_in() -> Self {
        Self { names: Vec::new(), more: RegexSet::empty() }
    }

    /// These and more, each with a name and a regular expression, which is not case-sensitive.
    ///
    /// # Errors
    /// When a name is no short word of `a` to `z`, digits and `_`, or is there twice; when a pattern is
    /// empty, too long, not well formed, too large when compiled, or matches the empty text, and so
    /// would refuse everything.
    pub(super) fn with(more: &[(String, String)]) -> Result<Self, RuleFault> {
        let mut names: Vec<String> = Vec::new();
        for (index, (name, pattern)) in more.iter().enumerate() {
            check_name(name, &names).map_err(|fault| RuleFault::Name { index, fault })?;
            check_pattern(pattern).map_err(|fault| RuleFault::Pattern { index, fault })?;
            names.push(name.clone());
        }
        let patterns: Vec<&str> = more.iter().map(|(_, pattern)| pattern.as_str()).collect();
        Ok(Self { names, more: compiled(&patterns).map_err(RuleFault::All)? })
    }

    /// The first secret in a text, whatever it is disguised with. What is JSON is read as
    /// [`Self::find_in_json`] does.
    pub fn find(&self, text: &str) -> Option<SecretMatch<'_>> {
        self.search(text, NESTED_MAX)
    }

    /// The first secret in JSON: in one of its texts; as the value of a key, or an element of an array,
    /// that is named so; beside a field that holds such a name. What is no JSON is read as a text.
    pub fn find_in_json(&self, json: &str) -> Option<SecretMatch<'_>> {
        match Node::of(json) {
            Some(node) => {
                let found = self.search_in_more(json);
                found.or_else(|| Walk::new(self, json.len(), NESTED_MAX).find(&node, None))
            }
            None => self.search_line(json, NESTED_MAX),
        }
    }

    /// The first secret that bytes hold, with texts as UTF-8 anywhere.
    pub fn find_in_bytes(&self, bytes: &[u8]) -> Option<SecretMatch<'_>> {
        if let Some(rule) = self.first_of_more(bytes) {
            return Some(SecretMatch { rule, place: Place::Byte(0) });
        }
        if !forms::may_be_in(bytes) && !names::may_be_in(bytes) {
            return None;
        }
        let mut begin = 0;
        for chunk in bytes.utf8_chunks() {
            let mut at = begin;
            for run in chunk.valid().split(|c: char| c.is_control() && !c.is_whitespace()) {
                if run.len() >= RUN_BYTES_MIN
                    && let Some(SecretMatch { rule, .. }) = self.search_line(run, NESTED_MAX)
                {
                    return Some(SecretMatch { rule, place: Place::Byte(at) });
                }
                at += run.len() + 1;
            }
            begin += chunk.valid().len() + chunk.invalid().len();
        }
        None
    }

    /// A secret whose name is at the end of a text, and which itself is in JSON beside it; or the other
    /// way round. The place is in the JSON.
    pub fn find_across(&self, text: &str, json: &str) -> Option<SecretMatch<'_>> {
        /// A longer text is no name, nor a secret alone.
        const TEXT_BYTES_MAX: usize = 128;
        if text.is_empty() || json.is_empty() || text.len() > TEXT_BYTES_MAX {
            return None;
        }
        let opened = names::open_end(text);
        let is_word = text.split_whitespace().count() == 1;
        if opened.is_none() && !is_word {
            return None;
        }
        let node = Node::of(json)?;
        let mut walk = Walk::new(self, json.len(), 0);
        if let Some(found) = walk.find(&node, opened.map(|name| (name, How::Beside))) {
            return Some(found);
        }
        let name = walk.lone_name.filter(|_| is_word)?;
        let text = normalized::read(text);
        let is_secret = value::is_secret(name.kind, How::Beside, value::Value::whole(&text));
        is_secret.then(|| SecretMatch {
            rule: name.rule,
            place: Place::Pointer(Pointer::default(), None),
        })
    }

    /// Whether a file adds patterns.
    fn has_more(&self) -> bool {
        !self.names.is_empty()
    }

    fn first_of_more(&self, bytes: &[u8]) -> Option<&str> {
        // Which of them matched is known later than whether one did.
        if !self.has_more() || !self.more.is_match(bytes) {
            return None;
        }
        let rule = self.more.matches(bytes).iter().next()?;
        self.names.get(rule).map(String::as_str)
    }

    /// The file's patterns, in a text as it is, and as it reads, without quotes.
    fn search_more(&self, text: &str) -> Option<SecretMatch<'_>> {
        if !self.has_more() {
            return None;
        }
        let found = self.search_in_more(text);
        found.or_else(|| {
            let normalized = NormalizedText::of(text).text().replace('"', "");
            if normalized == text { None } else { self.search_in_more(&normalized) }
        })
    }

    fn search_in_more(&self, text: &str) -> Option<SecretMatch<'_>> {
        let rule = self.first_of_more(text.as_bytes())?;
        Some(SecretMatch { rule, place: Place::Character(0) })
    }

    /// A text that may hold JSON or base64, nested no deeper than this.
    fn search(&self, text: &str, nested_max: u32) -> Option<SecretMatch<'_>> {
        let begins_as_json = text.trim_start().starts_with(['{', '[', '"']);
        if begins_as_json
            && let Some(nested_max) = nested_max.checked_sub(1)
            && let Some(node) = Node::of(text)
        {
            let found = self.search_more(text);
            return found.or_else(|| Walk::new(self, text.len(), nested_max).find(&node, None));
        }
        self.search_line(text, nested_max)
    }

    /// A text that is no JSON.
    fn search_line(&self, text: &str, nested_max: u32) -> Option<SecretMatch<'_>> {
        if let Some(found) = self.search_more(text) {
            return Some(found);
        }
        let normalized = NormalizedText::of(text);
        let read = normalized.text();
        let first = [forms::find(read), names::find(read)].into_iter().flatten();
        match first.min_by_key(|(_, at)| *at) {
            Some((rule, at)) => {
                Some(SecretMatch { rule, place: Place::Character(normalized.origin(at)) })
            }
            None => self.search_base64(text, nested_max.checked_sub(1)?),
        }
    }

    /// Words that are a text in base64.
    fn search_base64(&self, text: &str, nested_max: u32) -> Option<SecretMatch<'_>> {
        let is_base64 =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_' | '=');
        for word in text.split(|c| !is_base64(c)).filter(|word| word.len() >= BASE64_CHARS_MIN) {
            let decoded = plausible::decoded(word);
            if let Some(SecretMatch { rule, .. }) =
                decoded.and_then(|text| self.search(&text, nested_max))
            {
                let at = text.find(word).unwrap_or_default();
                let at = text.get(..at).map_or(0, |before| before.chars().count());
                return Some(SecretMatch { rule, place: Place::Character(at) });
            }
        }
        None
    }
}

/// The names of the rules that always hold.
fn built_in_names() -> impl Iterator<Item = &'static str> {
    let forms = rules::FORMS.iter().map(|form| form.rule);
    forms.chain(rules::NAMES.iter().map(|names| names.rule))
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

fn check_name(name: &str, names: &[String]) -> Result<(), String> {
    let is_word = name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        && !name.is_empty();
    if !is_word || name.len() > NEVER_STORE_NAME_BYTES_MAX {
        let given: String = name.chars().take(64).collect();
        return Err(format!(
            "must be 1 to {NEVER_STORE_NAME_BYTES_MAX} of a-z, 0-9 and _, got {given:?}"
        ));
    }
    if built_in_names().any(|known| known == name) || names.iter().any(|known| known == name) {
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

#[cfg(test)]
mod tests;
