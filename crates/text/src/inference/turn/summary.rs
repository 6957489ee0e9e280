//! One short summary of a step, made of its own words.

use super::super::text::cut;
use super::sentences::sentences;
use super::{TurnFact, TurnFactKind};

/// The order in which a summary tells things.
const ORDER: [TurnFactKind; 6] = [
    TurnFactKind::Outcome,
    TurnFactKind::Cause,
    TurnFactKind::Parameter,
    TurnFactKind::Rule,
    TurnFactKind::Place,
    TurnFactKind::Object,
];

/// One short summary of a step, at most `chars_max` characters, made of its own words: how it ended, then why,
/// then its parameters and what else fits. Without any fact it is the beginning of the text. Cut, if the first
/// statement alone is too long, in no word and no number.
pub fn turn_summary(text: &str, facts: &[TurnFact], chars_max: usize) -> String {
    let mut summary = String::new();
    for kind in ORDER {
        for fact in facts.iter().filter(|fact| fact.kind == kind) {
            if is_said(&summary, &fact.text) {
                continue;
            }
            let separator = match summary.chars().last() {
                None => "",
                Some(_) if fact.text.chars().any(super::super::lexer::is_han) => "；",
                Some(_) => "; ",
            };
            let chars =
                summary.chars().count() + separator.chars().count() + fact.text.chars().count();
            if chars > chars_max && !summary.is_empty() {
                continue;
            }
            summary.push_str(separator);
            summary.push_str(&fact.text);
        }
    }
    if summary.is_empty() {
        let first = sentences(text).first().map_or("", |range| &text[range.clone()]);
        let whole = text.trim();
        let fits = whole.chars().nth(chars_max).is_none();
        return cut(if fits { whole } else { first }, chars_max).0.replace(['\n', '\r'], " ");
    }
    cut(&summary, chars_max).0.to_owned()
}

/// Whether a statement is a part of what was said.
fn is_said(summary: &str, text: &str) -> bool {
    summary.contains(text)
}
