//! How good an answer is.

use crate::material::Grade;
use std::collections::BTreeMap;

/// From this grade on a memory is counted as found.
const GRADE_OF_ANSWERS: Grade = 2;
/// No measure looks further down.
const DEPTH: usize = 10;

/// How well questions were answered; each 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measures {
    /// Share of a question's answers (grade 2 and above) among the first; 1 when all places are
    /// taken by answers.
    pub recall_at_1: f64,
    /// The same of the first five.
    pub recall_at_5: f64,
    /// The same of the first ten.
    pub recall_at_10: f64,
    /// 1 / place of the first answer; 0 when it is not among the first ten.
    pub mrr: f64,
    /// Normalized discounted cumulative gain of the first ten, a grade g gaining `2^g - 1` (Burges
    /// and others 2005, "Learning to Rank using Gradient Descent", section 6).
    pub ndcg_at_10: f64,
}

impl Measures {
    /// The names of the measures, in the order of [`Self::values`].
    pub const NAMES: [&str; 5] = ["recall@1", "recall@5", "recall@10", "MRR", "nDCG@10"];

    /// Judges the memories found, best first, by the graded answers.
    pub fn of(found: &[String], answers: &BTreeMap<String, Grade>) -> Self {
        let grades: Vec<Grade> =
            found.iter().take(DEPTH).map(|name| answers.get(name).copied().unwrap_or(0)).collect();
        let mut ideal: Vec<Grade> = answers.values().copied().collect();
        ideal.sort_unstable_by_key(|&grade| std::cmp::Reverse(grade));
        let least = least_grade(answers);
        let is_answer = |grade: &Grade| *grade >= least;
        let answer_count = ideal.iter().copied().filter(|grade| is_answer(grade)).count();
        let recall_at = |depth: usize| {
            let hits = grades.iter().take(depth).filter(|grade| is_answer(grade)).count();
            hits as f64 / answer_count.min(depth) as f64
        };
        let first = grades.iter().position(is_answer);
        ideal.truncate(DEPTH);
        Self {
            recall_at_1: recall_at(1),
            recall_at_5: recall_at(5),
            recall_at_10: recall_at(10),
            mrr: first.map_or(0.0, |place| 1.0 / (place + 1) as f64),
            ndcg_at_10: gain(&grades) / gain(&ideal),
        }
    }

    /// The mean over questions.
    pub fn mean(all: &[Self]) -> Self {
        let mean = |measure: fn(&Self) -> f64| {
            all.iter().map(measure).sum::<f64>() / all.len().max(1) as f64
        };
        Self {
            recall_at_1: mean(|m| m.recall_at_1),
            recall_at_5: mean(|m| m.recall_at_5),
            recall_at_10: mean(|m| m.recall_at_10),
            mrr: mean(|m| m.mrr),
            ndcg_at_10: mean(|m| m.ndcg_at_10),
        }
    }

    /// In the order of [`Self::NAMES`].
    pub fn values(&self) -> [f64; 5] {
        [self.recall_at_1, self.recall_at_5, self.recall_at_10, self.mrr, self.ndcg_at_10]
    }
}

/// From which grade on a memory answers a question: one without a full answer is answered by what is related.
pub fn least_grade(answers: &BTreeMap<String, Grade>) -> Grade {
    answers.values().max().map_or(1, |&best| best.min(GRADE_OF_ANSWERS))
}

fn gain(grades: &[Grade]) -> f64 {
    let discounted = |(grade, place): (&Grade, u32)| {
        (f64::from(*grade).exp2() - 1.0) / f64::from(place + 1).log2()
    };
    grades.iter().zip(1..).map(discounted).sum()
}

#[test]
fn an_answer_is_measured_by_what_is_found_and_where() {
    let answers = BTreeMap::from([("a".into(), 3), ("b".into(), 2), ("c".into(), 1)]);
    let of = |found: &str| {
        let found: Vec<String> = found.chars().map(String::from).collect();
        Measures::of(&found, &answers).values()
    };
    let ideal = 7.0 + 3.0 / 3_f64.log2() + 0.5;
    let cases = [
        ("abc", [1.0, 1.0, 1.0, 1.0, 1.0]),
        ("", [0.0; 5]),
        ("xyz", [0.0; 5]),
        // What is only related is no answer, but it is worth something.
        ("c", [0.0, 0.0, 0.0, 0.0, 1.0 / ideal]),
        ("xa", [0.0, 0.5, 0.5, 0.5, 7.0 / 3_f64.log2() / ideal]),
        ("uvwxyza", [0.0, 0.0, 0.5, 1.0 / 7.0, 7.0 / 3.0 / ideal]),
        ("0123456789ab", [0.0; 5]),
    ];
    for (found, expected) in cases {
        for (value, expected) in of(found).into_iter().zip(expected) {
            assert!((value - expected).abs() < 1e-12, "{found}: {value} is not {expected}");
        }
    }
}
