//! How likely a row answers a query, by what ranked it: evidence made a probability.
//!
//! Evidence is a sum in the unit of a cosine. How much of it makes an answer depends on the query and the store: among
//! rows that all resemble it 0.6 is little, beside rows that have nothing of it 0.4 is much. So a row is judged
//! by how far it is behind the best, and how far the best is before the rest, which mean the same in every store.
//!
//! The probability is that of a logistic regression (Platt 1999, "Probabilistic Outputs for Support Vector Machines")
//! with five weights, fitted on the questions of tests/quality, of which as many as one in three have no answer.

mod weights;

pub use weights::{BY_VECTOR, BY_WORDS};

/// Of the rows of a list, so many are what the best is held against.
const COMPARED_WITH: usize = 10;
/// Evidence behind the best, or before the rest, counts up to this: further away makes no difference.
const DISTANCE_MAX: f64 = 1.0;

/// One for each of [`Signals::values`].
pub type Weights = [f64; 5];

/// What is known of a row beside the others of its list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    /// Share of the query's words that it has, 0 to 1.
    pub coverage: f64,
    /// How much less evidence it has than the best.
    pub behind: f64,
    /// How much more the best has than the next ones on average.
    pub lead: f64,
    /// Share of the query's numbers and part numbers that it lacks; 0 when the query has none.
    pub codes_missed: f64,
    /// Whether it has a vector that can be compared with the query's.
    pub has_similarity: bool,
}

/// The evidence of the best rows of a list.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Standing {
    best: f64,
    lead: f64,
}

impl Standing {
    /// Of a list with this evidence, in any order.
    pub fn of(evidence: impl IntoIterator<Item = f64>) -> Self {
        let mut evidence: Vec<f64> = evidence.into_iter().collect();
        evidence.sort_unstable_by(|a, b| b.total_cmp(a));
        evidence.truncate(COMPARED_WITH);
        let Some((best, rest)) = evidence.split_first() else { return Self::default() };
        let mean = rest.iter().sum::<f64>() / rest.len().max(1) as f64;
        let lead = if rest.is_empty() { 0.0 } else { best - mean };
        Self { best: *best, lead }
    }

    /// How much less than the best this is.
    pub fn behind(&self, evidence: f64) -> f64 {
        self.best - evidence
    }

    /// How much more the best has than the next ones on average.
    pub fn lead(&self) -> f64 {
        self.lead
    }
}

impl Signals {
    /// What the weights are for; the first is always 1.
    pub fn values(&self) -> Weights {
        let distance = |evidence: f64| evidence.clamp(0.0, DISTANCE_MAX);
        [1.0, self.coverage, distance(self.behind), distance(self.lead), self.codes_missed]
    }

    /// The probability that the row answers the query: above 0 and below 1.
    pub fn probability(&self) -> f64 {
        self.probability_by(if self.has_similarity { &BY_VECTOR } else { &BY_WORDS })
    }

    /// The same by other weights.
    pub fn probability_by(&self, weights: &Weights) -> f64 {
        let sum: f64 = self.values().iter().zip(weights).map(|(value, by)| value * by).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Signals =
        Signals { coverage: 0.5, behind: 0.1, lead: 0.2, codes_missed: 0.5, has_similarity: true };

    #[test]
    fn what_speaks_for_a_row_makes_it_likelier() {
        for has_similarity in [true, false] {
            let plain = Signals { has_similarity, ..PLAIN };
            let better = [
                Signals { coverage: 0.6, ..plain },
                Signals { behind: 0.05, ..plain },
                Signals { lead: 0.3, ..plain },
                Signals { codes_missed: 0.0, ..plain },
            ];
            for better in better {
                assert!(better.probability() > plain.probability(), "{better:?}");
            }
        }
        let extreme = Signals { coverage: 1.0, behind: 0.0, lead: 1e9, ..PLAIN };
        assert!(extreme.probability() < 1.0);
        let nothing = Signals { coverage: 0.0, behind: 1e9, lead: 0.0, ..PLAIN };
        assert!(nothing.probability() > 0.0 && nothing.probability() < 0.05);
    }

    #[test]
    fn a_list_tells_how_far_its_best_is_before_the_rest() {
        let standing = Standing::of([0.2, 0.8, 0.4]);
        assert!((standing.lead() - 0.5).abs() < 1e-12);
        assert!((standing.behind(0.4) - 0.4).abs() < 1e-12);
        // What stands further down does not count.
        let long = Standing::of([0.8].into_iter().chain([0.4; 9]).chain([-5.0; 100]));
        assert!((long.lead() - 0.4).abs() < 1e-12);
        assert_eq!(Standing::of([0.8]).lead(), 0.0);
        assert_eq!(Standing::of([]), Standing::default());
    }
}
