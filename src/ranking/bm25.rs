//! How well memories answer a query by the words that they share with it.

mod query;
#[cfg(test)]
#[path = "bm25/tests.rs"]
mod search_tests;
mod walk;

pub use query::{Admission, Alternative, Corpus, Term, WordList, WordQuery};

use crate::index::Slot;

/// How soon a term's further occurrences count for less.
const K1: f64 = 1.2;
/// How much the length of a memory counts.
const B: f64 = 0.75;

/// One term of a query and where it occurs.
#[derive(Debug, Clone, Copy)]
pub struct TermPostings<'a> {
    /// How many memories of the whole collection have the term, allowed in this search or not.
    pub df: u64,
    /// The memories that have it, each once, in any order, with how often they have it.
    pub postings: &'a [(Slot, u32)],
    /// How much the term counts; 1.0 for a term that the query has once.
    pub query_weight: f64,
}

/// A memory that has at least one of a query's terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordHit {
    /// Which.
    pub slot: Slot,
    /// BM25, above 0.
    pub score: f64,
    /// Share of the query that it has, each term weighing its [`idf`]: above 0, at most 1.
    pub coverage: f64,
    /// The terms that it has: bit i for the i-th, of the first 64.
    pub matched: u64,
}

/// How much a term tells that `df` of `document_count` memories have: above 0, and the rarer the
/// more (Robertson and Zaragoza 2009, section 3.2, with the 1 that keeps it positive).
pub fn idf(document_count: u64, df: u64) -> f64 {
    let without = document_count.saturating_sub(df) as f64;
    ((without + 0.5) / (df as f64 + 0.5)).ln_1p()
}

/// What `frequency` occurrences in a memory count whose length is `relative_length` times the mean: the
/// fraction of Robertson and Zaragoza 2009, section 3.3. Above 0, below `K1 + 1`; rises with the first
/// and falls with the second.
fn saturated(frequency: u32, relative_length: f64) -> f64 {
    let frequency = f64::from(frequency);
    frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * relative_length))
}

/// Ranks the memories that have any of the terms and that `admit` lets in: best first, of equal
/// scores the lower slot first.
///
/// BM25 as in Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and
/// Beyond", section 3.3, with k1 = 1.2 and b = 0.75. `lengths` answers how many terms a memory has,
/// `mean_length` is their mean over the `document_count` memories of the collection; when it is not
/// above 0, lengths do not count.
pub fn score(
    terms: &[TermPostings<'_>],
    admit: impl Fn(Slot) -> bool,
    lengths: impl Fn(Slot) -> u32,
    mean_length: f64,
    document_count: u64,
) -> Vec<WordHit> {
    let weights: Vec<f64> =
        terms.iter().map(|term| term.query_weight * idf(document_count, term.df)).collect();
    let weight_of_all: f64 = weights.iter().sum();
    let last = terms.iter().flat_map(|term| term.postings).map(|&(slot, _)| slot).max();
    // Where a slot's hit lies in `hits`, plus 1; 0 for a slot that has none yet. Terms are added in
    // their order, so that the sums do not depend on the order of postings.
    let mut places = vec![0_u32; last.map_or(0, |last| last as usize + 1)];
    let mut hits: Vec<WordHit> = Vec::new();
    for (index, (term, weight)) in terms.iter().zip(weights).enumerate() {
        let bit = if index < 64 { 1 << index } else { 0 };
        for &(slot, frequency) in term.postings {
            let place = &mut places[slot as usize];
            if *place == 0 {
                if !admit(slot) {
                    continue;
                }
                hits.push(WordHit { slot, score: 0.0, coverage: 0.0, matched: 0 });
                *place = hits.len() as u32;
            }
            let relative_length =
                if mean_length > 0.0 { f64::from(lengths(slot)) / mean_length } else { 1.0 };
            let frequency = f64::from(frequency);
            let saturation = K1 * (1.0 - B + B * relative_length);
            let hit = &mut hits[*place as usize - 1];
            hit.score += weight * frequency * (K1 + 1.0) / (frequency + saturation);
            hit.coverage += weight;
            hit.matched |= bit;
        }
    }
    for hit in &mut hits {
        hit.coverage = (hit.coverage / weight_of_all).min(1.0);
    }
    hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.slot.cmp(&b.slot)));
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(df: u64, postings: &[(Slot, u32)]) -> TermPostings<'_> {
        TermPostings { df, postings, query_weight: 1.0 }
    }

    fn slots(hits: &[WordHit]) -> Vec<Slot> {
        hits.iter().map(|hit| hit.slot).collect()
    }

    #[test]
    fn a_score_is_what_the_formula_says() {
        let postings = [(4, 2)];
        let mut term = term(1, &postings);
        term.query_weight = 2.0;
        let hits = score(&[term], |_| true, |_| 15, 10.0, 3);
        // idf = ln(1 + 2.5 / 1.5); 2 * idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 1.5)) = 2.364739.
        assert!((hits[0].score - 2.364_739).abs() < 1e-6, "{}", hits[0].score);
        assert_eq!((hits[0].coverage, hits[0].matched), (1.0, 1));
    }

    #[test]
    fn rare_terms_frequent_terms_and_short_memories_win() {
        let lengths = |slot| if slot == 9 { 40 } else { 10 };
        let ranked =
            |terms: &[TermPostings<'_>]| slots(&score(terms, |_| true, lengths, 10.0, 100));
        assert_eq!(ranked(&[term(50, &[(1, 1)]), term(2, &[(2, 1)])]), [2, 1]);
        assert_eq!(ranked(&[term(5, &[(1, 1), (2, 3)])]), [2, 1]);
        assert_eq!(ranked(&[term(5, &[(9, 1), (10, 1)])]), [10, 9]);
        assert_eq!(ranked(&[term(5, &[(7, 1), (3, 1), (5, 1)])]), [3, 5, 7]);
    }

    #[test]
    fn coverage_weighs_terms_by_what_they_tell() {
        let terms = [term(90, &[(1, 1), (3, 1)]), term(2, &[(2, 1), (3, 1)]), term(0, &[])];
        let hits = score(&terms, |_| true, |_| 10, 10.0, 100);
        let hit = |slot| hits.iter().find(|hit| hit.slot == slot).unwrap();
        let all = idf(100, 90) + idf(100, 2) + idf(100, 0);
        assert!((hit(1).coverage - idf(100, 90) / all).abs() < 1e-12);
        assert!((hit(3).coverage - (idf(100, 90) + idf(100, 2)) / all).abs() < 1e-12);
        assert_eq!([hit(1).matched, hit(2).matched, hit(3).matched], [0b01, 0b10, 0b11]);
    }

    #[test]
    fn the_order_of_postings_does_not_matter_and_others_are_left_out() {
        let forth = [(1, 1), (2, 4), (3, 2), (8, 1)];
        let mut back = forth;
        back.reverse();
        let of = |postings| {
            let terms = [term(4, postings), term(2, &[(3, 1), (1, 2)])];
            score(&terms, |slot| slot != 2, |slot| slot + 5, 8.0, 20)
        };
        assert_eq!(of(&forth), of(&back));
        assert_eq!(slots(&of(&forth)), [1, 3, 8]);
    }

    #[test]
    fn nothing_odd_comes_of_odd_statistics() {
        assert!(score(&[], |_| true, |_| 1, 1.0, 0).is_empty());
        let hits = score(&[term(9, &[(1, 1)])], |_| true, |_| 0, 0.0, 3);
        assert!(hits[0].score > 0.0 && hits[0].score.is_finite() && hits[0].coverage == 1.0);
        let many = vec![term(1, &[(1, 1)]); 70];
        assert_eq!(score(&many, |_| true, |_| 1, 1.0, 5)[0].matched, u64::MAX);
    }
}
