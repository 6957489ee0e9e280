//! How likely an answer to a query is found by reading on: evidence made a probability.
//!
//! Evidence is a sum in the unit of a cosine. How much of it makes an answer depends on the store and the query: among
//! rows that all resemble it 0.6 is little, beside rows that have nothing of it 0.4 is much. So what is judged is the list:
//! what its best row has of the query, and how far that is before the rest, which mean the same in every store. To be
//! before the rest says the less, the less the best has: among a thousand equal rows any other is ahead. What a row adds is
//! the share of the list's odds that is left from there on.
//!
//! The probability is that of a logistic regression (Platt 1999, "Probabilistic Outputs for Support Vector Machines")
//! with five weights, fitted on the questions of tests/quality, of which as many as one in three have no answer.

mod weights;

pub use weights::{BY_VECTOR, BY_WORDS};

use super::relevance::TEMPERATURE;

/// Of the rows of a list, so many are what the best is held against.
const COMPARED_WITH: usize = 10;
/// Evidence before the rest counts up to this: further away makes no difference.
const LEAD_MAX: f64 = 1.0;
/// A share of the odds counts down to this.
const SHARE_MIN: f64 = 1e-6;

/// One for each of [`Signals::values`].
pub type Weights = [f64; 5];

/// What is known of a list from one row on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signals {
    /// What speaks for the best row by itself, as [`own_relevance`](super::own_relevance), and its picture.
    pub fit: f64,
    /// How much more evidence the best has than the next ones on average.
    pub lead: f64,
    /// Share of the query's numbers and part numbers that the best lacks; 0 when the query has none.
    pub codes_missed: f64,
    /// Share of the list's odds that the row and those after it have; 1 for the best.
    pub share_left: f64,
    /// Whether the best has a vector that can be compared with the query's.
    pub has_similarity: bool,
}

/// The evidence of the best rows of a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Standing {
    /// Best first.
    best: Vec<f64>,
}

impl Standing {
    /// Of a list with this evidence, in any order.
    pub fn of(evidence: impl IntoIterator<Item = f64>) -> Self {
        let mut best: Vec<f64> = evidence.into_iter().collect();
        best.sort_unstable_by(|a, b| b.total_cmp(a));
        best.truncate(COMPARED_WITH);
        Self { best }
    }

    /// How much more the best has than the next ones on average.
    pub fn lead(&self) -> f64 {
        match self.best.split_first() {
            Some((best, rest)) if !rest.is_empty() => {
                best - rest.iter().sum::<f64>() / rest.len() as f64
            }
            _ => 0.0,
        }
    }

    /// Share of the odds of the best rows that those with this evidence or less have; of a row that is worse than all of
    /// these, what its own odds are beside theirs.
    pub fn share_left(&self, evidence: f64) -> f64 {
        let best = self.best.first().copied().unwrap_or(evidence);
        let odds = |evidence: f64| ((evidence - best) / TEMPERATURE).exp();
        let all: f64 = self.best.iter().copied().map(odds).sum();
        let left: f64 = self.best.iter().filter(|it| **it <= evidence).copied().map(odds).sum();
        if all > 0.0 { (left.max(odds(evidence)) / all).min(1.0) } else { 1.0 }
    }
}

impl Signals {
    /// What the weights are for; the first is always 1.
    pub fn values(&self) -> Weights {
        let (fit, lead) = (self.fit.max(0.0), self.lead.clamp(0.0, LEAD_MAX));
        let share_left = self.share_left.clamp(SHARE_MIN, 1.0).ln();
        [1.0, fit, fit * lead, share_left, self.codes_missed]
    }

    /// The probability that the row answers the query, or one after it, where none before it does: above 0 and below 1.
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
        Signals { fit: 0.5, lead: 0.2, codes_missed: 0.5, share_left: 0.5, has_similarity: true };

    #[test]
    fn what_speaks_for_an_answer_makes_it_likelier() {
        for has_similarity in [true, false] {
            let plain = Signals { has_similarity, ..PLAIN };
            let better = [
                Signals { fit: 0.6, ..plain },
                Signals { lead: 0.3, ..plain },
                Signals { codes_missed: 0.0, ..plain },
                Signals { share_left: 0.6, ..plain },
            ];
            for better in better {
                assert!(better.probability() > plain.probability(), "{better:?}");
            }
        }
        let extreme = Signals { fit: 2.0, share_left: 1.0, lead: 1e9, ..PLAIN };
        assert!(extreme.probability() < 1.0);
        let nothing = Signals { fit: -1.0, share_left: 0.0, lead: 0.0, ..PLAIN };
        assert!(nothing.probability() > 0.0 && nothing.probability() < 0.05);
    }

    #[test]
    fn a_list_tells_how_far_its_best_is_before_the_rest() {
        let standing = Standing::of([0.2, 0.8, 0.4]);
        assert!((standing.lead() - 0.5).abs() < 1e-12);
        // What stands further down does not count.
        let long = Standing::of([0.8].into_iter().chain([0.4; 9]).chain([-5.0; 100]));
        assert!((long.lead() - 0.4).abs() < 1e-12);
        assert_eq!(Standing::of([0.8]).lead(), 0.0);
        assert_eq!(Standing::of([]).lead(), 0.0);
    }

    #[test]
    fn less_of_the_odds_is_left_further_down() {
        let standing = Standing::of([0.5, 0.6, 0.5]);
        let all = 1.0 + 2.0 * (-1.0_f64).exp();
        assert_eq!(standing.share_left(0.6), 1.0);
        assert!((standing.share_left(0.5) - 2.0 * (-1.0_f64).exp() / all).abs() < 1e-12);
        assert!((standing.share_left(0.4) - (-2.0_f64).exp() / all).abs() < 1e-12);
        assert_eq!(Standing::of([0.5]).share_left(0.5), 1.0);
        assert_eq!(Standing::of([]).share_left(0.5), 1.0);
    }
}
