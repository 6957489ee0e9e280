use super::WordHit;
use crate::Slot;
use std::cmp::Ordering;
use std::collections::HashMap;

/// How little the first ranks differ: a hit at rank r counts `1 / (K + r)`. The value of Cormack,
/// Clarke and Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
/// Learning Methods".
const K: f64 = 60.0;

/// A memory whose vector is similar to the query's.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorHit {
    pub slot: Slot,
    /// Cosine, -1 to 1.
    pub similarity: f32,
}

/// A memory in the fused list, with what put it there.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fused {
    pub slot: Slot,
    /// 1.0 for the best.
    pub score: f64,
    /// Place in the word list, 1 = best.
    pub word_rank: Option<u32>,
    /// Place in the vector list, 1 = best.
    pub vector_rank: Option<u32>,
    /// Place in the list of pictures, 1 = best.
    pub picture_rank: Option<u32>,
    /// What the word list says of it, when it is there.
    pub word: Option<WordHit>,
    /// Cosine, when it is in the vector list.
    pub similarity: Option<f32>,
}

impl Fused {
    /// Whether it is in one of the lists.
    pub fn is_listed(&self) -> bool {
        self.word_rank.is_some() || self.vector_rank.is_some()
    }
}

impl From<(Slot, f32)> for VectorHit {
    fn from((slot, similarity): (Slot, f32)) -> Self {
        Self { slot, similarity }
    }
}

/// Joins lists, each best first and each slot in it once, by plain reciprocal rank fusion.
///
/// A memory's score is `weight * (1 / (60 + word rank) + 1 / (60 + vector rank) + 1 / (60 + picture rank))`,
/// a list that it is not in adding nothing; then all scores are divided by the best, which is exactly 1.0.
/// `weight` answers with a finite number above 0: how much a memory's origin counts.
///
/// Best first. Of equal scores the higher similarity comes first (no similarity last), then the
/// higher word score, then the lower slot.
pub fn fuse(
    words: &[WordHit],
    vectors: &[VectorHit],
    pictures: &[VectorHit],
    weight: impl Fn(Slot) -> f64,
) -> Vec<Fused> {
    let mut list = FusedList { places: HashMap::with_capacity(vectors.len()), fused: Vec::new() };
    for (hit, rank) in vectors.iter().zip(1..) {
        let fused = list.at(hit.slot, rank);
        fused.vector_rank = Some(rank);
        fused.similarity = Some(hit.similarity);
    }
    for (hit, rank) in words.iter().zip(1..) {
        let fused = list.at(hit.slot, rank);
        fused.word_rank = Some(rank);
        fused.word = Some(*hit);
    }
    for (hit, rank) in pictures.iter().zip(1..) {
        list.at(hit.slot, rank).picture_rank = Some(rank);
    }
    let mut fused = list.fused;
    for hit in &mut fused {
        hit.score *= weight(hit.slot);
    }
    fused.sort_unstable_by(best_first);
    if let Some(best) = fused.first().map(|hit| hit.score).filter(|&best| best > 0.0) {
        for hit in &mut fused {
            hit.score /= best;
        }
    }
    fused
}

/// The memories of the lists that were joined so far.
struct FusedList {
    /// Where in `fused` each slot is.
    places: HashMap<Slot, usize>,
    fused: Vec<Fused>,
}

impl FusedList {
    /// A memory, which gets the score of one more rank.
    fn at(&mut self, slot: Slot, rank: u32) -> &mut Fused {
        let place = *self.places.entry(slot).or_insert(self.fused.len());
        if place == self.fused.len() {
            self.fused.push(Fused {
                slot,
                score: 0.0,
                word_rank: None,
                vector_rank: None,
                picture_rank: None,
                word: None,
                similarity: None,
            });
        }
        let fused = &mut self.fused[place];
        fused.score += 1.0 / (K + f64::from(rank));
        fused
    }
}

fn best_first(a: &Fused, b: &Fused) -> Ordering {
    let similarity = |hit: &Fused| hit.similarity.unwrap_or(f32::NEG_INFINITY);
    let word_score = |hit: &Fused| hit.word.map_or(f64::NEG_INFINITY, |word| word.score);
    b.score
        .total_cmp(&a.score)
        .then_with(|| similarity(b).total_cmp(&similarity(a)))
        .then_with(|| word_score(b).total_cmp(&word_score(a)))
        .then_with(|| a.slot.cmp(&b.slot))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(slot: Slot, score: f64, coverage: f64) -> WordHit {
        WordHit { slot, score, coverage, matched: 1 }
    }

    fn vectors(hits: &[(Slot, f32)]) -> Vec<VectorHit> {
        hits.iter().map(|&hit| hit.into()).collect()
    }

    fn slots(fused: &[Fused]) -> Vec<Slot> {
        fused.iter().map(|hit| hit.slot).collect()
    }

    #[test]
    fn a_score_is_what_the_formula_says() {
        let words = [word(1, 9.0, 1.0), word(2, 8.0, 1.0)];
        let fused = fuse(&words, &vectors(&[(2, 0.9), (3, 0.8)]), &[], |_| 1.0);
        let best = 1.0 / 62.0 + 1.0 / 61.0;
        assert_eq!(slots(&fused), [2, 1, 3]);
        assert_eq!(fused[0].score, 1.0);
        assert!((fused[1].score - 1.0 / 61.0 / best).abs() < 1e-15);
        assert!((fused[2].score - 1.0 / 62.0 / best).abs() < 1e-15);
        let ranks: Vec<_> = fused.iter().map(|hit| (hit.word_rank, hit.vector_rank)).collect();
        assert_eq!(ranks, [(Some(2), Some(1)), (Some(1), None), (None, Some(2))]);
    }

    #[test]
    fn a_picture_counts_as_much_as_a_word_or_a_vector_of_its_rank() {
        let pictures = vectors(&[(3, 0.4), (9, 0.3)]);
        let fused = fuse(&[word(1, 9.0, 1.0)], &vectors(&[(3, 0.8)]), &pictures, |_| 1.0);
        assert_eq!(slots(&fused), [3, 1, 9]);
        let ranks: Vec<_> = fused.iter().map(|hit| hit.picture_rank).collect();
        assert_eq!(ranks, [Some(1), None, Some(2)]);
        assert!((fused[1].score - 0.5).abs() < 1e-15);
        assert!((fused[2].score - 61.0 / 62.0 / 2.0).abs() < 1e-15);
        assert_eq!(fused[2].similarity, None);
    }

    #[test]
    fn what_is_real_counts_more_and_the_best_is_still_one() {
        let words: Vec<WordHit> = (1..=40).map(|slot| word(slot, 1.0, 1.0)).collect();
        let weight = |slot| if slot == 31 || slot == 32 { 1.5 } else { 1.0 };
        let fused = fuse(&words, &[], &[], weight);
        // 1.5 / (60 + 31) is above 1 / 61, and 1.5 / (60 + 32) is below it and above 1 / 62.
        assert_eq!(slots(&fused)[..4], [31, 1, 32, 2]);
        assert_eq!(fused[0].score, 1.0);
    }

    #[test]
    fn equals_are_settled_by_similarity_then_words_then_slot() {
        // The same two ranks, the other way round.
        let words = [word(7, 5.0, 1.0), word(9, 4.0, 1.0)];
        let fused = fuse(&words, &vectors(&[(9, 0.9), (7, 0.8)]), &[], |_| 1.0);
        assert_eq!(slots(&fused), [9, 7]);
        assert_eq!([fused[0].score, fused[1].score], [1.0, 1.0]);
        // One list each: a similarity is more than none.
        let fused = fuse(&[word(2, 5.0, 1.0)], &vectors(&[(9, 0.1)]), &[], |_| 1.0);
        assert_eq!(slots(&fused), [9, 2]);
        // Nothing but the score of words, then nothing but the slot.
        let tied = |a: f64, b: f64| {
            let hit = |slot, score| Fused {
                slot,
                score: 1.0,
                word_rank: Some(1),
                vector_rank: None,
                picture_rank: None,
                word: Some(word(slot, score, 1.0)),
                similarity: None,
            };
            best_first(&hit(1, a), &hit(2, b))
        };
        assert_eq!((tied(1.0, 2.0), tied(2.0, 2.0)), (Ordering::Greater, Ordering::Less));
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert!(fuse(&[], &[], &[], |_| 1.0).is_empty());
    }
}
