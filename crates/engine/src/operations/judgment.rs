//! What two statements of one scope are to each other, by rules: the same, two, or in conflict.

use super::duplicates;
use super::inferred::whole_hash;
use robot_memory_text::inference::{
    Frame, ParaphraseKey, Proposition, Setting, Statement, is_conflict,
};

/// A statement with its context, read once to be held against others.
#[derive(Debug, Clone)]
pub(crate) struct ParsedStatement {
    pub content: String,
    pub statement: Statement,
    pub proposition: Proposition,
    pub setting: Setting,
    pub paraphrase: ParaphraseKey,
    pub frame: Frame,
    /// Of the whole text, when it was cut and the context keeps it.
    pub whole_hash: Option<[u8; 32]>,
}

/// What two statements are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judgment {
    /// They say the same.
    Same,
    /// They say two things: what tells them apart, without their words.
    Apart(&'static str),
    /// They cannot both hold: in what way, without their words.
    Conflict(&'static str),
}

impl ParsedStatement {
    /// Reads a statement and its context (JSON or empty).
    pub fn of(content: &str, context: &str) -> Self {
        Self {
            content: content.to_owned(),
            statement: Statement::parse(content),
            proposition: Proposition::parse(content),
            setting: Setting::parse(context),
            paraphrase: ParaphraseKey::parse(content),
            frame: Frame::parse(content),
            whole_hash: whole_hash(content, context),
        }
    }

    /// What makes two statements two, however alike their words or vectors are; `None`: nothing that is
    /// known. Symmetric.
    pub fn distinction(&self, other: &Self) -> Option<&'static str> {
        if self.whole_hash != other.whole_hash {
            Some("other texts behind where they were cut")
        } else if !self.setting.may_be_same(&other.setting) {
            Some("other objects, places, parameters or worlds in the contexts")
        } else if !self.statement.may_be_same(&other.statement) {
            Some("other numbers, names, negations or opposites")
        } else if duplicates::are_apart(
            (&self.content, &self.proposition),
            (&other.content, &other.proposition),
        ) {
            Some("other claims or symbols, or a script without rules")
        } else {
            None
        }
    }

    /// Whether two statements say the same when their vectors say so. Symmetric.
    pub fn may_be_merged(&self, other: &Self) -> bool {
        self.distinction(other).is_none()
            && !self.exchanges_words_with(other)
            && self
                .paraphrase
                .may_say_the_same(&other.paraphrase, (&self.proposition, &other.proposition))
    }

    /// Whether each has words in the place of other words, of which nothing says that they mean the same:
    /// the ladle hangs here, the whisk hangs here. Symmetric.
    pub fn exchanges_words_with(&self, other: &Self) -> bool {
        self.frame.exchanges_words_with(&other.frame)
            && !self
                .paraphrase
                .says_the_same(&other.paraphrase, (&self.proposition, &other.proposition))
    }

    /// Whether two statements that share most of their words say two things all the same, by the order of
    /// the words or by one that limits. Symmetric.
    pub fn is_apart_by_words(&self, other: &Self) -> bool {
        self.paraphrase.is_apart_from(&other.paraphrase, (&self.proposition, &other.proposition))
    }

    /// In which way two statements cannot both hold; `None`: they can, as far as is known. Symmetric.
    pub fn contradicts(&self, other: &Self) -> Option<&'static str> {
        if is_conflict((&self.proposition, &self.setting), (&other.proposition, &other.setting)) {
            Some("they say different things of the same")
        } else if self.setting.agrees_with(&other.setting)
            && self.paraphrase.denies(&other.paraphrase)
        {
            Some("one denies the other")
        } else {
            None
        }
    }

    /// What the rules make of two statements that are much alike. Symmetric. What they do not
    /// understand keeps the two apart: what is taken for the same loses a memory.
    pub fn judge(&self, other: &Self) -> Judgment {
        if let Some(way) = self.contradicts(other) {
            Judgment::Conflict(way)
        } else if let Some(reason) = self.distinction(other) {
            Judgment::Apart(reason)
        } else if self
            .paraphrase
            .says_the_same(&other.paraphrase, (&self.proposition, &other.proposition))
        {
            Judgment::Same
        } else {
            Judgment::Apart("words that are not known to say the same")
        }
    }
}

#[cfg(test)]
#[path = "judgment_tests.rs"]
mod tests;
