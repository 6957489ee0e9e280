//! How likely a list has an answer to a query, and which of its rows are worth reading for it: evidence made a probability.
//!
//! Evidence is a sum in the unit of a cosine. How much of it makes an answer depends on the store and the query: among
//! rows that all resemble it 0.6 is little, beside rows that have nothing of it 0.4 is much. So what is judged is the list:
//! what its best row has of the query, and how far that is before the rest, which mean the same in every store. To be
//! before the rest says the less, the less the best has: among a thousand equal rows any other is ahead.
//!
//! The probability is that of a logistic regression (Platt 1999, "Probabilistic Outputs for Support Vector Machines")
//! with four weights, fitted on the questions of tests/quality, of which as many as one in three have no answer. Where in
//! the list the answer is, the odds of its rows say only roughly: to read a row costs little, to miss the answer much. So a
//! row is worth reading while a tenth of the odds is left or more, and what has less says less and less.

mod weights;

pub use weights::{BY_VECTOR, BY_WORDS};

use super::relevance::TEMPERATURE;

/// Of the rows of a list, so many are what the best is held against.
const COMPARED_WITH: usize = 10;
/// Evidence before the rest counts up to this: further away makes no difference.
const LEAD_MAX: f64 = 1.0;
/// A row from which on this share of the list's odds is left is worth 1 - 1/e of the best.
const SHARE_WORTH_READING: f64 = 0.1;

/// The share of a list's odds that is left from a row of this relevance on, where the highest is `best`: what [`Signals::relevance`]
/// made of it. To merge lists that were judged apart.
pub fn share_left_of(relevance: f64, best: f64) -> f64 {
    let worth = if best > 0.0 { (relevance / best).clamp(0.0, 1.0) } else { 0.0 };
    (-(-worth * worth_reading(1.0)).ln_1p() * SHARE_WORTH_READING).clamp(0.0, 1.0)
}

/// What a row is worth reading, beside one of all odds.
fn worth_reading(share_left: f64) -> f64 {
    -(-share_left / SHARE_WORTH_READING).exp_m1()
}

/// One for each of [`Signals::values`].
pub type Weights = [f64; 4];

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
        [1.0, fit, fit * lead, self.codes_missed]
    }

    /// The probability that a row of the list answers the query: above 0 and below 1.
    pub fn list_probability(&self) -> f64 {
        let weights = if self.has_similarity { &BY_VECTOR } else { &BY_WORDS };
        let sum: f64 = self.values().iter().zip(weights).map(|(value, by)| value * by).sum();
        1.0 / (1.0 + (-sum).exp())
    }

    /// That probability times what the row is worth reading, 1 for the best and less down the list.
    pub fn relevance(&self) -> f64 {
        let worth = worth_reading(self.share_left.clamp(0.0, 1.0)) / worth_reading(1.0);
        self.list_probability() * worth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Signals =
        Signals { fit: 0.5, lead: 0.2, codes_missed: 0.5, share_left: 0.5, has_similarity: true };

    #[test]
    fn what_speaks_for_an_answer_makes_it_more_relevant() {
        for has_similarity in [true, false] {
            let plain = Signals { has_similarity, ..PLAIN };
            let better = [
                Signals { fit: 0.6, ..plain },
                Signals { lead: 0.3, ..plain },
                Signals { codes_missed: 0.0, ..plain },
                Signals { share_left: 0.6, ..plain },
            ];
            for better in better {
                assert!(better.relevance() > plain.relevance(), "{better:?}");
            }
        }
        let extreme = Signals { fit: 2.0, share_left: 1.0, lead: 1e9, ..PLAIN };
        assert!(extreme.relevance() < 1.0);
        let nothing = Signals { fit: -1.0, lead: 0.0, codes_missed: 1.0, ..PLAIN };
        assert!(nothing.list_probability() > 0.0 && nothing.list_probability() < 0.05);
    }

    #[test]
    fn a_row_is_worth_the_less_the_less_of_the_odds_is_left() {
        let at = |share_left| Signals { share_left, ..PLAIN };
        assert!((at(1.0).relevance() - PLAIN.list_probability()).abs() < 1e-12);
        let worth = |share_left| at(share_left).relevance() / PLAIN.list_probability();
        // 1 - exp(-5), 1 - 1/e and 1 - exp(-0.1).
        for (share_left, expected) in [(0.5, 0.9933), (0.1, 0.6321), (0.01, 0.0952)] {
            assert!((worth(share_left) - expected).abs() < 1e-4, "{}", worth(share_left));
        }
        assert_eq!(at(0.0).relevance(), 0.0);
        for share_left in [1.0, 0.9, 0.5, 0.1, 0.01, 0.0] {
            let found = share_left_of(at(share_left).relevance(), at(1.0).relevance());
            assert!((found - share_left).abs() < 1e-6, "{share_left}: {found}");
        }
        assert_eq!(share_left_of(0.0, 0.0), 0.0);
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
