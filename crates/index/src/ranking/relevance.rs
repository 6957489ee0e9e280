//! How well rows answer a query, by all that their vectors, their words and their neighbors say.
//!
//! docs/decisions/0007-rank-by-evidence.md says why, docs/measurements.md how well it does.

use super::WordHit;
use crate::Slot;
use robot_memory_core::model::Stamp;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Of the best contenders, so many have the rows beside them in their sessions take part too: what
/// one of them asks is answered there.
pub const NEIGHBORHOODS: usize = 20;

/// What a row that has all of the query's words gains over one that has none.
const WORDS_WEIGHT: f64 = 0.8;
/// What a row that has all of the query's numbers and part numbers gains over one that has none.
pub const CODES_WEIGHT: f64 = 0.15;
/// What a row gains whose picture surely shows what is asked for: so much more similar than an unrelated
/// memory is one that says it in other words.
const PICTURE_WEIGHT: f64 = 0.4;
/// What a row loses that says of another thing what was asked of one.
const OF_OTHER_WEIGHT: f64 = 0.6;
/// How much more evidence makes the odds of being the answer e times as high.
pub(super) const TEMPERATURE: f64 = 0.1;
/// The odds that a row shares with those beside it, in the order of [`Contender::neighbors`]: a row
/// gets more from the ones before it, since what follows a question answers it.
const NEIGHBOR_ODDS: [f64; NEIGHBORS] = [0.25, 0.1, 0.15, 0.05];
/// The odds that a row shares with the one just before it when that asks.
const REPLY_ODDS: f64 = 0.4;
/// How much of its similarity a row shares with those beside it: what a short reply means is said by what it
/// replies to.
const SHARED_SIMILARITY: f64 = 0.5;
/// Rows beside one that count: two before it and two after it.
pub const NEIGHBORS: usize = 4;

/// What a query finds in one row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// Cosine of the row's vector and the query's, -1 to 1, when both have one.
    pub similarity: Option<f32>,
    /// What words they share, when they do.
    pub words: Option<WordHit>,
}

/// A row that may be answered, with what speaks for it.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contender {
    pub slot: Slot,
    /// What the query finds in it.
    pub evidence: Evidence,
    /// Share of the query that it has together with the rows beside it: no less than its words'.
    pub coverage: f64,
    /// Of the rows of its session that the request admits, the one made just before it, just after it, the
    /// next but one before it and after it, when there are such rows.
    pub neighbors: [Option<Slot>; NEIGHBORS],
    /// The mean of its cosine and those of the rows beside it, where it has one.
    pub similarity_around: Option<f64>,
    /// Whether it says of another thing what was asked of one.
    pub is_of_other: bool,
    /// Whether the row just before it asks: what follows a question answers it.
    pub is_reply: bool,
    /// How much its origin counts: finite and above 0, 1.0 for most.
    pub weight: f64,
    /// What it gains as an event of the kind, time and place in an order that is asked for; 0 for most.
    pub asked_gain: f64,
    /// How sure it is that its picture shows what is asked for: 0 to 1.
    pub picture_share: f64,
    pub created_at: Stamp,
}

/// A contender in its place, with what put it there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Which of the contenders.
    pub contender: usize,
    /// Odds that it is the answer beside those of the best: 1.0 for the best, above 0.
    pub score: f64,
    /// What its evidence is made of.
    pub parts: Parts,
}

/// What a row's evidence is the sum of, all in the unit of a cosine.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parts {
    /// The cosine; where there is none, what rows with as many of the query's words have.
    pub similarity: f64,
    /// For the words that it shares with the query, less what it loses for being about other things.
    pub words: f64,
    /// For the query's numbers and part numbers that it has.
    pub codes: f64,
    /// For its neighbors; below 0 when they are much less similar.
    pub neighbors: f64,
    /// For its origin; below 0 when that counts less than most.
    pub origin: f64,
    /// For being an event of the kind, time and place in an order that is asked for.
    pub asked: f64,
    /// For a picture that shows what is asked for.
    pub picture: f64,
}

impl Parts {
    /// The evidence.
    pub fn sum(&self) -> f64 {
        let of_texts = self.similarity + self.words + self.codes;
        of_texts + self.neighbors + self.origin + self.asked + self.picture
    }
}

/// Ranks contenders, best first.
///
/// A row's own evidence is `r = (cosine + cosine around) / 2 + 0.8 coverage^1.5 + 0.15 codes + 0.4 picture`, cosine
/// around being the mean of its cosine and those beside it, coverage the share of the query's words (each weighing
/// its idf) that the row has together with those beside it, codes of those with digits that it has itself, and
/// picture how sure it is that its picture shows what is asked for. Its odds of being the answer are
/// `weight * (exp(r / T) + sum of o * exp(r_beside / T))` with T = 0.1 and o = 0.25 for the row before it (0.4 when that asks), 0.1 after
/// it, 0.15 and 0.05 for the next but one; its score is that divided by the odds of the best. So words and vectors
/// are joined by a convex combination (Bruch, Gai and Ingber 2023, "An Analysis of Fusion Functions for Hybrid
/// Retrieval") rather than by ranks, and what counts 1.5 times has 1.5 times the odds.
///
/// Each slot contends once, in any order. A neighbor that is no contender fits too little to have odds
/// worth sharing; to rank what stands beside the best, rank once, let the neighbors of the best
/// [`NEIGHBORHOODS`] contend too, and rank again.
///
/// Bit i of `codes` says that the query's i-th term, the one of bit i of [`WordHit::matched`], is a
/// number or part number.
///
/// Of equal odds the higher BM25 score comes first, then the newest, then the lower slot.
pub fn rank(contenders: &[Contender], codes: u64) -> Vec<Ranked> {
    let own: HashMap<Slot, Parts> =
        contenders.iter().map(|row| (row.slot, parts_of(row, codes))).collect();
    let mut ranked: Vec<Ranked> = contenders
        .iter()
        .enumerate()
        .map(|(contender, row)| Ranked { contender, score: 0.0, parts: parts(row, &own) })
        .collect();
    ranked.sort_unstable_by(|a, b| {
        b.parts
            .sum()
            .total_cmp(&a.parts.sum())
            .then_with(|| of_equals(&contenders[a.contender], &contenders[b.contender]))
    });
    if let Some(best) = ranked.first().map(|best| best.parts.sum()) {
        for row in &mut ranked {
            row.score = ((row.parts.sum() - best) / TEMPERATURE).exp();
        }
    }
    ranked
}

/// A contender's parts, by those that all have without the odds of neighbors and without origin.
fn parts(contender: &Contender, own: &HashMap<Slot, Parts>) -> Parts {
    let parts = own.get(&contender.slot).copied().unwrap_or_default();
    let mut shared = NEIGHBOR_ODDS;
    if contender.is_reply {
        shared[0] = REPLY_ODDS;
    }
    let beside: f64 = contender
        .neighbors
        .iter()
        .zip(shared)
        .filter_map(|(neighbor, odds)| {
            let relevance = own.get(neighbor.as_ref()?)?.sum();
            Some(odds * ((relevance - parts.sum()) / TEMPERATURE).exp())
        })
        .sum();
    Parts {
        neighbors: parts.neighbors + TEMPERATURE * beside.ln_1p(),
        origin: TEMPERATURE * contender.weight.ln(),
        asked: contender.asked_gain,
        ..parts
    }
}

/// The evidence of a row by itself, where it was ranked by its places in two lists.
pub fn own_relevance(similarity: Option<f64>, coverage: f64) -> f64 {
    similarity.unwrap_or_else(|| expected_similarity(coverage))
        + WORDS_WEIGHT * coverage * coverage.sqrt()
}

/// Without the odds of neighbors and without origin.
fn parts_of(row: &Contender, codes: u64) -> Parts {
    let evidence = &row.evidence;
    let own_coverage = evidence.words.map_or(0.0, |words| words.coverage);
    let coverage = row.coverage;
    let matched = evidence.words.map_or(0, |words| words.matched & codes);
    let similarity =
        evidence.similarity.map_or_else(|| expected_similarity(own_coverage), f64::from);
    Parts {
        similarity,
        // To the power of 1.5: few words count for less, so that a common one does not put a row
        // before what says the same in another language.
        words: WORDS_WEIGHT * coverage * coverage.sqrt()
            - if row.is_of_other { OF_OTHER_WEIGHT } else { 0.0 },
        codes: match codes.count_ones() {
            0 => 0.0,
            count => CODES_WEIGHT * f64::from(matched.count_ones()) / f64::from(count),
        },
        neighbors: row
            .similarity_around
            .map_or(0.0, |around| SHARED_SIMILARITY * (around - similarity)),
        picture: PICTURE_WEIGHT * row.picture_share,
        ..Parts::default()
    }
}

/// What a cosine is on average where it is known, by how much of the query the row has.
fn expected_similarity(coverage: f64) -> f64 {
    0.8 * coverage.min(0.5)
}

fn of_equals(a: &Contender, b: &Contender) -> Ordering {
    let word_score = |row: &Contender| row.evidence.words.map_or(0.0, |words| words.score);
    word_score(b)
        .total_cmp(&word_score(a))
        .then_with(|| b.created_at.cmp(&a.created_at))
        .then_with(|| a.slot.cmp(&b.slot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(score: f64, coverage: f64, matched: u64) -> Option<WordHit> {
        Some(WordHit { slot: 0, score, coverage, matched })
    }

    fn found(similarity: f32, coverage: f64) -> Evidence {
        Evidence { similarity: Some(similarity), words: words(1.0, coverage, 1) }
    }

    fn row(slot: Slot, evidence: Evidence) -> Contender {
        Contender {
            slot,
            coverage: evidence.words.map_or(0.0, |words| words.coverage),
            evidence,
            neighbors: [None; NEIGHBORS],
            similarity_around: None,
            is_of_other: false,
            is_reply: false,
            weight: 1.0,
            asked_gain: 0.0,
            picture_share: 0.0,
            created_at: Stamp::from_secs(100),
        }
    }

    fn slots(contenders: &[Contender], codes: u64) -> Vec<Slot> {
        rank(contenders, codes).iter().map(|row| contenders[row.contender].slot).collect()
    }

    #[test]
    fn a_score_is_what_the_formula_says() {
        let mut first = row(1, found(0.5, 0.25));
        first.evidence.words = words(3.0, 0.25, 0b101);
        first.neighbors = [Some(8), Some(9), None, Some(7)];
        first.similarity_around = Some(0.4);
        first.weight = 1.5;
        let second = row(2, found(0.55, 0.25));
        let before = row(8, found(0.6, 0.0));
        let after = row(9, found(0.2, 0.25));
        let next_but_one = row(7, found(0.4, 0.0));
        let ranked = rank(&[second, first, after, before, next_but_one], 0b110);
        // r = (0.5 + 0.4) / 2 + 0.8 * 0.25^1.5 + 0.15 * 1 / 2 = 0.625; those beside it 0.6, 0.3 and 0.4; the
        // other 0.65.
        let beside = [(0.25, -0.025), (0.1, -0.325), (0.05, -0.225)];
        let beside = beside.map(|(odds, less): (f64, f64)| odds * (less / 0.1).exp());
        let odds = 1.5 * (1.0 + beside.iter().sum::<f64>());
        assert_eq!(ranked.iter().map(|row| row.contender).collect::<Vec<_>>(), [1, 0, 3, 4, 2]);
        assert_eq!(ranked[0].score, 1.0);
        let score = (0.025_f64 / 0.1).exp() / odds;
        assert!((ranked[1].score - score).abs() < 1e-6, "{}", ranked[1].score);
        let parts = ranked[0].parts;
        let expected = [0.5, 0.1, 0.075, 0.1 * (odds / 1.5).ln() - 0.05, 0.1 * 1.5_f64.ln()];
        let got = [parts.similarity, parts.words, parts.codes, parts.neighbors, parts.origin];
        for (got, expected) in got.into_iter().zip(expected) {
            assert!((got - expected).abs() < 1e-6, "{got} is not {expected}");
        }
    }

    #[test]
    fn each_kind_of_evidence_decides_when_the_rest_is_equal() {
        let plain = row(1, found(0.5, 0.2));
        let mut with_code = plain;
        with_code.evidence.words = words(1.0, 0.2, 0b10);
        let better = [
            row(2, found(0.51, 0.2)),
            row(2, found(0.5, 0.21)),
            Contender { slot: 2, ..with_code },
            Contender { slot: 2, weight: 1.5, ..plain },
            Contender { slot: 2, similarity_around: Some(0.51), ..plain },
            Contender { slot: 2, picture_share: 0.01, ..plain },
            Contender { slot: 2, created_at: Stamp::from_secs(101), ..plain },
            Contender {
                slot: 2,
                evidence: Evidence { words: words(1.1, 0.2, 1), ..plain.evidence },
                ..plain
            },
        ];
        for better in better {
            assert_eq!(slots(&[plain, better], 0b10), [2, 1], "{better:?}");
        }
        assert_eq!(slots(&[Contender { slot: 2, ..plain }, plain], 0b10), [1, 2]);
    }

    #[test]
    fn a_picture_that_shows_it_comes_before_what_only_resembles_not_before_what_says_it() {
        let shown = |share| Contender { picture_share: share, ..row(1, found(0.15, 0.0)) };
        let resembling = row(2, found(0.4, 0.0));
        let said = row(3, found(0.6, 0.5));
        assert_eq!(slots(&[resembling, said, shown(1.0)], 0), [3, 1, 2]);
        assert_eq!(slots(&[resembling, said, shown(0.1)], 0), [3, 2, 1]);
        assert_eq!(rank(&[shown(0.5)], 0)[0].parts.picture, 0.2);
    }

    #[test]
    fn what_is_real_wins_among_comparable_rows_only() {
        let real = |similarity| Contender { weight: 1.5, ..row(1, found(similarity, 0.0)) };
        let simulated = row(2, found(0.6, 0.0));
        assert_eq!(slots(&[simulated, real(0.585)], 0), [1, 2]);
        assert_eq!(slots(&[simulated, real(0.5)], 0), [2, 1]);
    }

    #[test]
    fn the_row_beside_a_good_one_comes_before_what_only_resembles() {
        let asked = row(1, found(0.6, 0.4));
        let mut replied = row(2, found(0.1, 0.0));
        replied.neighbors = [Some(1), None, None, None];
        let resembling = row(3, found(0.6, 0.0));
        assert_eq!(slots(&[resembling, replied, asked], 0), [1, 2, 3]);
        // What follows a question gets more of its odds.
        let reply = Contender { is_reply: true, ..replied };
        let gain = |row: &Contender| {
            let ranked = rank(&[*row, asked], 0);
            ranked.iter().find(|it| it.contender == 0).map(|it| it.parts.neighbors)
        };
        assert!(gain(&reply) > gain(&replied), "{:?} {:?}", gain(&reply), gain(&replied));
        // The other way round less is shared, and nothing with what does not contend.
        replied.neighbors = [None, None, None, Some(1)];
        assert_eq!(slots(&[resembling, replied, asked], 0), [1, 3, 2]);
        replied.neighbors = [Some(7), None, None, None];
        let ranked = rank(&[replied], 0);
        assert_eq!(ranked[0].parts.neighbors, 0.0);
    }

    #[test]
    fn a_row_without_a_vector_is_judged_by_its_words() {
        let unseen = |coverage| Evidence { similarity: None, words: words(1.0, coverage, 1) };
        let rows = [row(1, found(0.3, 0.0)), row(2, unseen(0.1)), row(3, unseen(0.9))];
        assert_eq!(slots(&rows, 0), [3, 1, 2]);
        let nothing = row(4, Evidence::default());
        assert_eq!(slots(&[nothing, rows[1]], 0), [2, 4]);
        assert!(rank(&[], 0).is_empty());
    }

    fn evidence() -> impl Strategy<Value = Evidence> {
        let words = (0.0..30.0, 0.0..=1.0, any::<u64>())
            .prop_map(|(score, coverage, matched)| WordHit { slot: 0, score, coverage, matched });
        (prop::option::of(-1.0_f32..=1.0), prop::option::of(words))
            .prop_map(|(similarity, words)| Evidence { similarity, words })
    }

    fn contenders() -> impl Strategy<Value = Vec<Contender>> {
        let neighbors = prop::array::uniform4(prop::option::of(0_u32..20));
        let around = prop::option::of(-1.0..=1.0);
        let contender = (evidence(), neighbors, around, 0.8..1.5, 0_i64..3);
        prop::collection::vec(contender, 1..20).prop_map(|rows| {
            let rows = rows.into_iter().zip(0..);
            rows.map(|((evidence, neighbors, similarity_around, weight, secs), slot)| Contender {
                slot,
                evidence,
                coverage: evidence.words.map_or(0.0, |words| words.coverage),
                neighbors,
                similarity_around,
                is_of_other: slot % 5 == 3,
                is_reply: slot % 7 == 2,
                weight,
                asked_gain: 0.0,
                picture_share: f64::from(slot % 3) / 2.0,
                created_at: Stamp::from_secs(secs),
            })
            .collect()
        })
    }

    proptest! {
        #[test]
        fn scores_fall_from_one_and_the_order_of_contenders_does_not_matter(
            rows in contenders(),
            codes: u64,
        ) {
            let ranked = rank(&rows, codes);
            prop_assert_eq!(ranked.len(), rows.len());
            prop_assert_eq!(ranked[0].score, 1.0);
            prop_assert!(ranked.is_sorted_by(|a, b| a.score >= b.score));
            prop_assert!(ranked.iter().all(|row| row.score > 0.0 && row.parts.sum().is_finite()));
            let backward: Vec<Contender> = rows.iter().rev().copied().collect();
            prop_assert_eq!(slots(&rows, codes), slots(&backward, codes));
        }
    }
}
