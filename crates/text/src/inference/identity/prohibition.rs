//! What a sentence forbids without a number: "never use suction on mesh", 网布禁止用吸盘.
//!
//! A sentence is read as what is done ([`Doing`]) and the things that it is done to, with and where. Nothing
//! of it may be passed over: what holds only under a condition, has an exception, or is not understood makes
//! the [`Clause`] one that is not [whole](Clause::is_whole), which forbids nothing for sure.

mod reader;
mod words;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::lexicon::{Concept, LEXICON, Section, Senses, folded};
use super::reading::{Token, TokenKind, tokens};
use crate::inference::any_word::AnyWord;
use crate::inference::identifier::spaced;
use crate::inference::is_han;
use reader::{Reader, is_because};
use words::{FOR_ALL, OTHER_WORDS, SAY_NOTHING};

/// Characters of a text that are read.
const CHARS_MAX: usize = 600;

/// All of [`OTHER_WORDS`]: most texts have none, and to replace each takes its time.
static ANY_OTHER_WORD: LazyLock<AnyWord> =
    LazyLock::new(|| AnyWord::of(OTHER_WORDS.iter().flat_map(|(words, _)| *words).copied()));
static ANY_SAYS_NOTHING: LazyLock<AnyWord> =
    LazyLock::new(|| AnyWord::of(SAY_NOTHING.iter().copied()));

/// What a text forbids, sentence by sentence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prohibition {
    /// One of each sentence that forbids something.
    pub clauses: Vec<Clause>,
    /// Whether nothing else stands in the text.
    pub is_all: bool,
}

/// What one sentence forbids: all of its elements together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clause {
    /// What is done, to what, with what, where.
    pub elements: Vec<Element>,
    /// Whether it is forbidden in any case, and nothing else was said.
    pub is_whole: bool,
    /// Whether its words are those of an order, and not of a report.
    pub is_order: bool,
}

/// A part of what is forbidden.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// One of these.
    pub any_of: Vec<Part>,
    /// Whether it may stand in a condition or an exception, so that what is something else may be forbidden.
    pub is_excepted: bool,
    /// Whether only this is allowed, and what is forbidden is all else: "only grip eggs with the soft gripper".
    pub is_allowed: bool,
}

/// What is done, or what with, to what, where.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// What is done.
    Doing(Doing),
    /// A thing or a place.
    Thing {
        text: String,
        /// What it is to what is done.
        role: PartRole,
        /// What a word that may be a verb as well would say is done.
        doing: Option<Doing>,
    },
}

/// What a thing is to what is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartRole {
    /// No word tells.
    #[default]
    Unspecified,
    /// It is done with it.
    With,
    /// It is done on or to it, or there.
    On,
    /// It is done there.
    At,
    /// It is done then.
    When,
}

/// What is done, as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    senses: Senses,
    /// As it is written; of what is in no table.
    text: String,
}

/// Whether who does the one does the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SameDoing {
    /// It is the same, or a kind of it.
    Yes,
    /// It may be.
    Maybe,
    /// It is something else.
    No,
}

impl Doing {
    /// Whether who does `other` does this.
    pub fn compare(&self, other: &Self) -> SameDoing {
        let any = |is: &dyn Fn(Concept, Concept) -> bool| {
            self.senses.iter().any(|a| other.senses.iter().any(|b| is(*a, *b)))
        };
        let is_known = !self.senses.is_empty() && !other.senses.is_empty();
        if any(&|a, b| a == b || LEXICON.is_kind_of_doing(b, a))
            || !self.text.is_empty() && self.text == other.text
        {
            SameDoing::Yes
        } else if any(&|a, b| LEXICON.is_kind_of_doing(a, b) || LEXICON.may_be_doing(a, b))
            || !is_known
        {
            SameDoing::Maybe
        } else {
            SameDoing::No
        }
    }

    /// Numbers of the groups of the table that it is in.
    pub fn groups(&self) -> impl Iterator<Item = u16> {
        self.senses.iter().map(|it| it.0)
    }

    /// What is said to be done in a text, in order: of `pick_and_place` two.
    pub fn all_in(text: &str) -> Vec<Self> {
        let read = tokens(&folded(&spaced(text)));
        let verbs = read.iter().filter_map(|token| Self::of(token, false)).collect::<Vec<_>>();
        match (&read[..], verbs.is_empty()) {
            ([token], true) => Self::of(token, true).into_iter().collect(),
            _ => verbs,
        }
    }

    /// Numbers of the groups of what this may be.
    pub fn asked(&self) -> Vec<u16> {
        let near = self.senses.iter().flat_map(|it| LEXICON.near_doing(*it));
        near.map(|it| it.0).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn of(token: &Token, is_verb: bool) -> Option<Self> {
        match &token.kind {
            TokenKind::Known(senses) => {
                let is_verb = |it: &Concept| LEXICON.section(*it) == Section::Verb;
                let senses: Senses = senses.iter().copied().filter(is_verb).collect();
                (!senses.is_empty()).then(|| Self { senses, text: String::new() })
            }
            TokenKind::Unknown(text) if is_verb => {
                Some(Self { senses: Senses::new(), text: text.clone() })
            }
            _ => None,
        }
    }
}

impl Prohibition {
    /// Reads what a text forbids. Linear in its length.
    pub fn parse(text: &str) -> Self {
        if text.chars().nth(CHARS_MAX).is_some() {
            return Self::default();
        }
        let mut text = folded(text).to_lowercase().replace('\u{2019}', "'");
        let has_other_words = ANY_OTHER_WORD.may_be_in(&text);
        for (words, same) in OTHER_WORDS.iter().filter(|_| has_other_words) {
            for word in *words {
                text = replaced(&text, word, same);
            }
        }
        let is_for_all = FOR_ALL.iter().any(|word| text.contains(word));
        if is_for_all && let Some(rest) = text.strip_prefix("no ") {
            text = format!("must not use {rest}");
        }
        let says_nothing = ANY_SAYS_NOTHING.may_be_in(&text);
        for word in SAY_NOTHING.iter().filter(|_| says_nothing) {
            text = replaced(&text, word, "");
        }
        if let Some(rest) = text.strip_prefix("keep ") {
            let moved = [(" out of ", " into "), (" away from ", " near "), (" off ", " on ")];
            let found = moved.iter().find(|(away, _)| rest.contains(away));
            if let Some((away, to)) = found {
                text = format!("must not put {}", rest.replacen(away, to, 1));
            }
        }
        let mut read = Self { clauses: Vec::new(), is_all: true };
        let ends_sentence = |c: char| ";!。；！\n".contains(c);
        for sentence in text.split(ends_sentence).flat_map(|part| part.split(". ")) {
            let sentence = sentence.trim_end_matches('.');
            let tokens = tokens(sentence);
            if tokens.is_empty() {
                continue;
            }
            match Reader::read(&tokens) {
                Some(clause) => read.clauses.push(clause),
                None => read.is_all &= tokens.first().is_some_and(is_because),
            }
        }
        read
    }

    /// Whether one of its sentences is an order by its words.
    pub fn is_order(&self) -> bool {
        self.clauses.iter().any(|clause| clause.is_order)
    }
}

impl Part {
    /// Whether it is a thing or a place.
    pub fn is_thing(&self) -> bool {
        matches!(self, Self::Thing { .. })
    }
}

/// A text in which each of some words stands for another.
fn replaced(text: &str, from: &str, to: &str) -> String {
    let is_whole = |at: usize| {
        let (before, after) = (&text[..at], &text[at + from.len()..]);
        from.starts_with(is_han)
            || !before.ends_with(|c: char| c.is_alphanumeric() && !is_han(c))
                && !after.starts_with(|c: char| c.is_alphanumeric() && !is_han(c))
    };
    let mut changed = String::with_capacity(text.len());
    let mut rest = 0;
    for (at, _) in text.match_indices(from) {
        if at >= rest && is_whole(at) {
            changed.push_str(&text[rest..at]);
            changed.push_str(to);
            rest = at + from.len();
        }
    }
    changed.push_str(&text[rest..]);
    changed
}

#[cfg(test)]
mod tests;
