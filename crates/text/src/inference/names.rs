//! Words that a row is found by though its text does not have them: the names of what it is about.

use super::query_terms::{QueryTerm, TermAlternative};
use super::tokens::tokens;
use robot_memory_core::limits::NAME_TOKENS_MAX;
use std::collections::BTreeSet;

/// What a token of a name begins with, and none of a text's own.
const MARK: char = '§';
/// What a name of a row counts beside a word of its text.
const NAME_WEIGHT: f64 = 0.6;

/// The tokens of names, marked as such: each once, in order, at most [`NAME_TOKENS_MAX`].
pub fn name_tokens<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let new = names.into_iter().flat_map(tokens).filter(|token| seen.insert(token.clone()));
    new.take(NAME_TOKENS_MAX).map(|token| format!("{MARK}{token}")).collect()
}

/// How many of a row's tokens are of its text.
pub fn word_count(tokens: &[String]) -> u32 {
    let own = tokens.iter().filter(|token| !token.starts_with(MARK));
    u32::try_from(own.count()).unwrap_or(u32::MAX)
}

/// Lets each term be said by the names of a row as well, where they count less.
pub fn or_named(terms: &mut [QueryTerm]) {
    for term in terms {
        let named = term.alternatives.iter().map(|way| TermAlternative {
            tokens: way.tokens.iter().map(|token| format!("{MARK}{token}")).collect(),
            weight: way.weight * NAME_WEIGHT,
            is_name: true,
        });
        let named: Vec<TermAlternative> = named.collect();
        term.alternatives.extend(named);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Synonyms, query_terms};
    use super::*;

    #[test]
    fn names_are_marked_and_told_once() {
        let own = tokens("gripped the cup");
        let named = name_tokens(["red cup", "pick", "Pick the cup"]);
        assert_eq!(named, ["§red", "§cup", "§pick", "§the"]);
        assert_eq!(word_count(&[own.clone(), named].concat()), word_count(&own));
        let many: String = (0..99).map(|it| format!("w{it} ")).collect();
        assert_eq!(name_tokens([many.as_str()]).len(), NAME_TOKENS_MAX);
    }

    #[test]
    fn a_name_is_another_way_to_say_a_term() {
        let mut terms = query_terms("cups 杯子", &Synonyms::default());
        let counts: Vec<usize> = terms.iter().map(|term| term.alternatives.len()).collect();
        or_named(&mut terms);
        for (term, count) in terms.iter().zip(counts) {
            let (own, named) = term.alternatives.split_at(count);
            assert_eq!(named.len(), count);
            for (own, named) in own.iter().zip(named) {
                assert!(named.weight < own.weight);
                assert!(named.tokens.iter().all(|token| token.starts_with(MARK)));
            }
        }
        assert_eq!(terms[0].alternatives[1].tokens, ["§cup"]);
    }
}
