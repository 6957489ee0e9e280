//! Whether pieces that an answer puts together are together in what it was asked about.

use super::super::clauses::{HanRun, Key, Spot, Term, TextAnalysis};
use super::{Grounds, Place, kind};
use std::collections::BTreeSet;

impl Grounds {
    /// Whether nothing that belongs to one thing is said of another: not the number of one bin of
    /// another, not what failed of what succeeded, not one half of "from A to B" as the other. In one
    /// sentence, or without one in all of them.
    pub(super) fn joins(&self, fact: &TextAnalysis, sentence: Option<usize>) -> bool {
        fact.terms.iter().all(|term| {
            self.bears_its_own(term)
                && self.keeps_role(term, sentence)
                && self.keeps_modifier(term, sentence)
                && !self.is_torn(term, fact, sentence)
        }) && sentence.is_none_or(|sentence| self.is_in_one_segment(fact, sentence))
    }

    /// Whether what it belongs to bears it, if anything tells what it bears: bin 3, force 12 N.
    fn bears_its_own(&self, term: &Term) -> bool {
        term.labels.iter().all(|label| {
            let same = self.labeled.get(&(label.clone(), kind(&term.key)));
            same.is_none_or(|same| same.iter().any(|labeled| labeled.key == term.key))
        })
    }

    fn keeps_role(&self, term: &Term, sentence: Option<usize>) -> bool {
        let Some(role) = term.role else { return true };
        let mut all = self.here(&term.key, sentence).peekable();
        all.peek().is_none() || all.any(|(.., said)| said.role.is_none_or(|said| said == role))
    }

    /// Whether it has no word of another sentence before it, where it has one of its own: "waste box",
    /// and in another sentence "tip".
    fn keeps_modifier(&self, term: &Term, sentence: Option<usize>) -> bool {
        let Some(modifier) = &term.modifier else { return true };
        if term.is_glue || sentence.is_none() || self.here(modifier, sentence).next().is_some() {
            return true;
        }
        let everywhere = self.occurrences.get(&term.key).into_iter().flatten();
        let is_known =
            everywhere.into_iter().any(|occurrence| occurrence.modifier.as_ref() == Some(modifier));
        let mut all = self.here(&term.key, sentence).peekable();
        is_known || all.peek().is_none() || all.any(|(.., said)| said.modifier.is_none())
    }

    /// Whether something beside it in the answer is only said beside what stands in its place elsewhere:
    /// "failed at 20 N, succeeded at 25 N", "slot 6 is full, slot 9 is empty".
    fn is_torn(&self, term: &Term, fact: &TextAnalysis, sentence: Option<usize>) -> bool {
        let own: BTreeSet<(usize, Spot)> = self.spots(&term.key, sentence);
        let rivals = self.rivals(term, sentence);
        if own.is_empty() || rivals.is_empty() {
            return false;
        }
        let is_torn = |key: &Key| {
            let spots = self.spots(key, sentence);
            !spots.is_empty() && spots.is_disjoint(&own) && spots.is_subset(&rivals)
        };
        keys_beside(fact, term.spot).iter().any(is_torn)
    }

    /// Where something else is said in the place of a term: another opposite, another number or name of
    /// what it belongs to.
    fn rivals(&self, term: &Term, sentence: Option<usize>) -> BTreeSet<(usize, Spot)> {
        let is_here = |at: usize| sentence.is_none_or(|sentence| sentence == at);
        let mut rivals = BTreeSet::new();
        if let Key::Contrast(group, _) = term.key {
            for (at, reading) in self.sentences.iter().enumerate().filter(|(at, _)| is_here(*at)) {
                let others = reading.terms.iter().filter(|other| {
                    matches!(other.key, Key::Contrast(g, _) if g == group) && other.key != term.key
                });
                rivals.extend(others.map(|other| (at, other.spot)));
            }
        }
        for label in &term.labels {
            let same = self.labeled.get(&(label.clone(), kind(&term.key)));
            for other in same.into_iter().flatten().filter(|other| other.key != term.key) {
                match other.place {
                    Place::Sentence(at) if is_here(at) => {
                        rivals.insert((at, other.spot));
                    }
                    _ => {}
                }
            }
        }
        rivals
    }

    /// Whether what the answer says in one part is said in one segment of the sentence.
    fn is_in_one_segment(&self, fact: &TextAnalysis, sentence: usize) -> bool {
        let terms = fact.terms.iter().map(|term| term.spot);
        let spots: BTreeSet<Spot> = terms.chain(fact.han_runs.iter().map(|run| run.spot)).collect();
        spots.into_iter().all(|spot| {
            let mut shared: Option<BTreeSet<usize>> = None;
            for key in keys_beside(fact, spot) {
                let spots = self.spots(&key, Some(sentence));
                let segments: BTreeSet<usize> = spots.iter().map(|(_, s)| s.segment).collect();
                if !segments.is_empty() {
                    shared = Some(match shared {
                        Some(shared) => shared.intersection(&segments).copied().collect(),
                        None => segments,
                    });
                }
            }
            shared.is_none_or(|shared| !shared.is_empty())
        })
    }

    fn spots(&self, key: &Key, sentence: Option<usize>) -> BTreeSet<(usize, Spot)> {
        self.here(key, sentence).map(|(at, said)| (at, said.spot)).collect()
    }

    /// Where it is said in the sentence, or without one in all sentences.
    fn here(
        &self,
        key: &Key,
        sentence: Option<usize>,
    ) -> impl Iterator<Item = (usize, &super::Occurrence)> {
        let all = self.occurrences.get(key).into_iter().flatten();
        all.filter_map(move |occurrence| match occurrence.place {
            Place::Sentence(at) if sentence.is_none_or(|sentence| sentence == at) => {
                Some((at, occurrence))
            }
            _ => None,
        })
    }
}

/// What the answer says in one part, without what says little.
fn keys_beside(fact: &TextAnalysis, spot: Spot) -> Vec<Key> {
    let terms = fact.terms.iter().filter(|term| term.spot == spot && !term.is_glue);
    let runs = fact.han_runs.iter().filter(|run| run.spot == spot);
    terms.map(|term| term.key.clone()).chain(runs.flat_map(HanRun::pairs)).collect()
}
