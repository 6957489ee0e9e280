//! Which statements may be among the best. A score follows from which words a statement has and from its length: words that
//! many have are looked up together, or in short statements, as far as a score asks for it.

use super::{Way, Words, tsquery};
use robot_memory_index::ranking::bm25::{B, K1};

/// Ways that are looked up in all their combinations; the others count as if a statement had them.
const COMBINED_MAX: usize = 10;
/// Tokens that no statement has more of.
const TOKENS_MAX: f64 = 1_000.0;
/// Parts of a lookup: each is a walk through the index of each month.
const PARTS_MAX: usize = 6;
/// Sums are rounded.
const SLACK: f64 = 1e-9;

/// Statements to score.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lookup {
    pub parts: Vec<Part>,
    /// Every statement with this score or more is one of them; 0: every statement that has a word.
    pub least: f64,
}

/// Those that match a query of words and have at most so many tokens.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub words: String,
    pub tokens_max: Option<i32>,
}

/// Statements that say some ways, and maybe others.
struct Combination<'w> {
    ways: Vec<&'w Way>,
    /// Numbers of those that have one way less.
    smaller: Vec<usize>,
    /// The sum of what their words can count at most.
    gain: f64,
    /// How many there are, if words were in statements by chance.
    count: f64,
}

/// The combinations of what a query asks for.
pub(super) struct Combinations<'w> {
    all: Vec<Combination<'w>>,
    mean_tokens: f64,
}

impl<'w> Combinations<'w> {
    pub fn of(words: &'w Words) -> Self {
        let mut ways: Vec<(usize, &Way)> = words
            .terms
            .iter()
            .enumerate()
            .flat_map(|(at, term)| term.ways.iter().map(move |way| (at, way)))
            .collect();
        ways.sort_by(|(_, a), (_, b)| {
            b.gain.total_cmp(&a.gain).then_with(|| a.tokens.cmp(&b.tokens))
        });
        let (combined, others) = ways.split_at(ways.len().min(COMBINED_MAX));
        let mut of_others = vec![0.0_f64; words.terms.len()];
        for (term, way) in others {
            of_others[*term] = of_others[*term].max(way.gain);
        }
        let statements = (words.statement_count as f64).max(1.0);
        let combination = |mask: usize| {
            let has = |at: &usize| mask & (1 << at) != 0;
            let members: Vec<usize> = (0..combined.len()).filter(has).collect();
            let mut gains = of_others.clone();
            let mut count = statements;
            for (term, way) in members.iter().map(|at| combined[*at]) {
                gains[term] = gains[term].max(way.gain);
                count *= way.count as f64 / statements;
            }
            if mask == 0 {
                count = others.iter().map(|(_, way)| way.count as f64).sum();
            }
            Combination {
                ways: match mask {
                    0 => others.iter().map(|it| it.1).collect(),
                    _ => members.iter().map(|at| combined[*at].1).collect(),
                },
                smaller: members.iter().map(|at| mask & !(1 << at)).filter(|it| *it != 0).collect(),
                gain: gains.iter().sum(),
                count,
            }
        };
        Self {
            all: (0..1 << combined.len()).map(combination).collect(),
            mean_tokens: words.mean_tokens,
        }
    }

    /// The highest score to look up by that gives about so many statements.
    pub fn lookup(&self, row_count: f64) -> Lookup {
        let longest =
            |combination: &Combination<'_>| combination.gain * (K1 + 1.0) / (1.0 + K1 * (1.0 - B));
        let (mut least, mut most) = (0.0, self.all.iter().map(longest).fold(0.0, f64::max));
        if self.count(least) <= row_count {
            return Lookup { parts: self.parts(0.0), least: 0.0 };
        }
        for _ in 0..40 {
            let middle = (least + most) / 2.0;
            if self.count(middle) <= row_count {
                most = middle;
            } else {
                least = middle;
            }
        }
        // Also where no lookup gives as few.
        let score = if self.needed(most).is_empty() { least } else { most };
        Lookup { parts: self.parts(score), least: score }
    }

    /// Tokens of the longest statement that gets a score by a combination: infinite when there is no longest.
    fn tokens_max(&self, combination: &Combination<'_>, score: f64) -> f64 {
        if combination.ways.is_empty() {
            return 0.0;
        }
        if score <= 0.0 {
            return f64::INFINITY;
        }
        let relative = combination.gain * (K1 + 1.0) / score * (1.0 + SLACK) - 1.0;
        let tokens = ((relative / K1 - (1.0 - B)) / B * self.mean_tokens + SLACK).floor();
        if tokens > TOKENS_MAX { f64::INFINITY } else { tokens.max(0.0) }
    }

    /// The combinations that a score asks for, with the lengths: none that a smaller one has already.
    fn needed(&self, score: f64) -> Vec<(&Combination<'w>, f64)> {
        let lengths: Vec<f64> = self.all.iter().map(|it| self.tokens_max(it, score)).collect();
        let is_needed = |(combination, tokens): &(&Combination<'w>, f64)| {
            *tokens >= 1.0 && combination.smaller.iter().all(|it| lengths[*it] < *tokens)
        };
        self.all.iter().zip(lengths.iter().copied()).filter(is_needed).collect()
    }

    fn count(&self, score: f64) -> f64 {
        // None is longer than twice the mean, and very short ones are few.
        let share = |tokens: f64| (tokens / (2.0 * self.mean_tokens.max(1.0))).min(1.0).powi(2);
        self.needed(score).into_iter().map(|(it, tokens)| it.count * share(tokens)).sum()
    }

    fn parts(&self, score: f64) -> Vec<Part> {
        let mut parts: Vec<(f64, Vec<String>)> = Vec::new();
        for (at, combination) in self.needed(score).iter().enumerate() {
            let (combination, tokens) = combination;
            let is_others = at == 0 && std::ptr::eq(*combination, &self.all[0]);
            let separator = if is_others { " | " } else { " & " };
            let ways: Vec<String> =
                combination.ways.iter().map(|way| tsquery(&way.tokens)).collect();
            let words = format!("({})", ways.join(separator));
            match parts.iter_mut().find(|(length, _)| length == tokens) {
                Some((_, words_of)) => words_of.push(words),
                None => parts.push((*tokens, vec![words])),
            }
        }
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        // Those of the shortest statements are looked up in some longer ones as well.
        while parts.len() > PARTS_MAX {
            let Some((_, words)) = parts.pop() else { break };
            if let Some((_, words_of)) = parts.last_mut() {
                words_of.extend(words);
            }
        }
        let part = |(tokens, words): (f64, Vec<String>)| Part {
            words: words.join(" | "),
            tokens_max: tokens.is_finite().then_some(tokens as i32),
        };
        parts.into_iter().map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Term;
    use std::collections::BTreeSet;

    /// Chances that repeat.
    struct Chances(u64);

    impl Chances {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }
    }

    fn token(number: u64) -> String {
        format!("t{number}")
    }

    fn words(chances: &mut Chances) -> Words {
        let mut way = |most: u64| {
            let tokens = (0..1 + chances.below(2)).map(|_| token(chances.below(14))).collect();
            let count = 1 + chances.below(most) as i64;
            Way { tokens, gain: 0.1 + chances.below(80) as f64 / 10.0, count }
        };
        let mut term = |ways: usize| Term {
            words: String::new(),
            ways: (0..ways).map(|_| way(500_000)).collect(),
        };
        let terms = (0..7).map(|at| term(1 + at % 3)).collect();
        Words { terms, statement_count: 1_000_000, mean_tokens: 12.5 }
    }

    fn score(words: &Words, tokens: &BTreeSet<String>, length: f64) -> f64 {
        let has = |way: &&Way| way.tokens.iter().all(|it| tokens.contains(it));
        let gain = |term: &Term| term.ways.iter().filter(has).map(|it| it.gain).fold(0.0, f64::max);
        let sum: f64 = words.terms.iter().map(gain).sum();
        sum * (K1 + 1.0) / (1.0 + K1 * (1.0 - B + B * length / words.mean_tokens))
    }

    fn is_looked_up(lookup: &Lookup, tokens: &BTreeSet<String>, length: f64) -> bool {
        lookup.parts.iter().any(|part| {
            let mut all_of = part.words.split(" | ");
            part.tokens_max.is_none_or(|most| length <= f64::from(most))
                && all_of.any(|all| {
                    all.split(" & ").all(|it| tokens.contains(it.trim_matches(['(', ')', '\''])))
                })
        })
    }

    #[test]
    fn every_statement_with_the_score_is_looked_up() {
        let mut chances = Chances(7);
        let (mut found, mut left_out) = (0, 0);
        for _ in 0..60 {
            let words = words(&mut chances);
            let combinations = Combinations::of(&words);
            for row_count in [10.0, 300.0, 2_000.0, 10_000.0, 200_000.0, f64::INFINITY] {
                let lookup = combinations.lookup(row_count);
                assert!((1..=PARTS_MAX).contains(&lookup.parts.len()), "{lookup:?}");
                for _ in 0..100 {
                    let tokens: BTreeSet<String> =
                        (0..1 + chances.below(14)).map(|_| token(chances.below(14))).collect();
                    let length = (tokens.len() as u64 + chances.below(30)) as f64;
                    let score = score(&words, &tokens, length);
                    let is_in = is_looked_up(&lookup, &tokens, length);
                    assert!(
                        is_in || score < lookup.least || score == 0.0,
                        "{score} {tokens:?} {length} {lookup:?}"
                    );
                    found += usize::from(score > 0.0 && score >= lookup.least);
                    left_out += usize::from(score > 0.0 && !is_in);
                }
            }
        }
        assert!(found > 5_000 && left_out > 5_000, "{found} {left_out}");
    }
}
