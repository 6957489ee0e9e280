//! Whether a text has one of many words.

use aho_corasick::AhoCorasick;

/// Words that are looked for in one pass.
pub(super) struct AnyWord(Option<AhoCorasick>);

impl AnyWord {
    pub fn of<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        Self(AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok())
    }

    /// Whether one may be in a text, also as a part of a word, in capital or small letters of ASCII. Else none is.
    pub fn may_be_in(&self, text: &str) -> bool {
        self.0.as_ref().is_none_or(|words| words.is_match(text))
    }
}
