//! Names of objects, places and tasks, as they are compared.

use crate::inference::tokens;

/// Say nothing of what is meant.
const EMPTY_WORDS: &[&str] =
    &["the", "a", "an", "of", "in", "on", "at", "near", "to", "with", "for", "and", "的", "在"];

/// The words of a name, without regard to case, ending, order and how they are joined: "the glass
/// bottles" and `glass_bottle` are the same one. Chinese: its characters and pairs of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Name(Vec<String>);

/// Whether a constraint on one thing speaks of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// It does.
    Yes,
    /// It may: the action does not say enough.
    Maybe,
    /// It does not.
    No,
}

impl Name {
    /// Reads a name.
    pub fn of(text: &str) -> Self {
        let mut words = tokens(&text.replace(['_', '-', '/'], " "));
        words.retain(|word| !EMPTY_WORDS.contains(&word.as_str()));
        words.sort_unstable();
        words.dedup();
        Self(words)
    }

    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its words, sorted.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// Whether all of its words are among those of `other`.
    pub fn is_in(&self, other: &Self) -> bool {
        self.0.iter().all(|word| other.0.binary_search(word).is_ok())
    }

    /// Whether a constraint on this speaks of what an action names: all words of the constraint's name
    /// must be in the action's. It may when the action names nothing, or says less ("bottle" for "glass
    /// bottle").
    pub fn speaks_of(&self, named: &Self) -> Match {
        if self.is_in(named) {
            Match::Yes
        } else if named.is_in(self) {
            Match::Maybe
        } else {
            Match::No
        }
    }
}
