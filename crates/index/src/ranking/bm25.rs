//! How well memories answer a query by the words that they share with it.

mod context;
mod few;
mod query;
#[cfg(test)]
#[path = "bm25/tests.rs"]
mod search_tests;
mod walk;

pub use context::{BESIDE_WEIGHTS, OWN_WEIGHT, beside_weight};
pub use query::{Admission, Alternative, Corpus, Term, WordList, WordQuery};

use crate::Slot;

/// How soon a term's further occurrences count for less.
pub const K1: f64 = 1.2;
/// How much the length of a memory counts.
pub const B: f64 = 0.75;
/// Bounds are raised, and what must be reached lowered, by more than sums can be rounded.
const SLACK: f64 = 1e-9;

/// A memory that has at least one of a query's terms.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordHit {
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
