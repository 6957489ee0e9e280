//! One short text that says the most telling of several, in their own words.

use crate::Operations;
use robot_memory_core::limits::CONTENT_CHARS_MAX;
use robot_memory_index::cosine;
use robot_memory_index::ranking::{Passage, extract};
use robot_memory_text::inference::{self, Statement, is_han, salience, sentences};

/// Characters of the longest [`joint`].
const JOINT_CHARS_MAX: usize = 2;

/// What alikeness is seen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alike {
    /// Vectors, where there is an embedder; else words.
    Meaning,
    /// The words that two sentences share: quick, for where somebody waits.
    Words,
}

impl Operations {
    /// Sentences of these texts, in their order, in at most 300 characters: what went wrong first, then
    /// what most of them are about, nothing twice. A sentence is taken whole or not at all, unless there
    /// is only one and it is longer. Sentences that hold what is never stored are left out. `None` when
    /// nothing is left.
    pub(super) fn condense(&self, texts: &[&str], alike: Alike) -> Option<String> {
        let is_kept = |text: &&str| self.may_store(text);
        let parts: Vec<&str> = texts
            .iter()
            .flat_map(|text| sentences(text).into_iter().filter_map(|range| text.get(range)))
            .map(|sentence| inference::cut(sentence, CONTENT_CHARS_MAX - JOINT_CHARS_MAX).0)
            .filter(|sentence| !sentence.is_empty())
            .filter(is_kept)
            .collect();
        let passages: Vec<Passage> = parts
            .iter()
            .map(|part| {
                let chars = part.chars().count() + joint(part).chars().count();
                Passage { chars, weight: salience(part) }
            })
            .collect();
        let vectors = match alike {
            Alike::Meaning => self.vectors_of(&parts),
            Alike::Words => None,
        };
        let statements: Vec<Statement> = parts.iter().map(|part| Statement::parse(part)).collect();
        let similarity = |a: usize, b: usize| match &vectors {
            _ if parts[a] == parts[b] => 1.0,
            Some(vectors) => f64::from(cosine(&vectors[a], &vectors[b])).max(0.0),
            None => statements[a].jaccard(&statements[b]),
        };
        let taken = extract(&passages, similarity, CONTENT_CHARS_MAX);
        let mut condensed = String::new();
        let mut taken = taken.into_iter().filter_map(|place| parts.get(place)).peekable();
        while let Some(part) = taken.next() {
            condensed.push_str(part);
            if taken.peek().is_some() {
                condensed.push_str(joint(part));
            }
        }
        // What only came about by joining is not stored either.
        let is_said = !condensed.is_empty() && is_kept(&condensed.as_str());
        is_said.then_some(condensed)
    }

    /// The vectors of all texts, when each has one of the same model.
    fn vectors_of(&self, texts: &[&str]) -> Option<Vec<Vec<f32>>> {
        let mut model = None;
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            let vector = self.embed(text)?;
            if *model.get_or_insert_with(|| vector.model.clone()) != vector.model {
                return None;
            }
            vectors.push(vector.components);
        }
        Some(vectors)
    }
}

/// What stands between a sentence and the next one.
fn joint(sentence: &str) -> &'static str {
    match sentence.chars().last() {
        Some('。' | '！' | '？' | '；') => "",
        Some('.' | '!' | '?' | ';' | '"' | '”' | ')') => " ",
        Some(last) if is_han(last) => "；",
        _ => "; ",
    }
}
