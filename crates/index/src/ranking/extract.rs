//! A short text made of the most telling sentences of a longer one.

use std::cmp::Ordering;

/// What counts for a sentence, against what speaks against it because others say the like.
const DIVERSITY: f64 = 0.6;
/// With what power of its length a sentence pays for its place. 0: length does not count; 1: what
/// counts is only how much is said in a character.
const LENGTH_POWER: f64 = 0.4;
/// Sentences that are more alike say the same: only one of them is taken.
const SAME_MIN: f64 = 0.985;

/// A sentence that may be taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passage {
    /// Characters that it takes, with what joins it to the next.
    pub chars: usize,
    /// What it is worth by itself, 0 or more, where 1 is as much as being the most central of all.
    pub weight: f64,
}

/// The places of the sentences that together say most in `chars_max` characters, in order.
///
/// `similarity` answers for two places how alike they are, 0 to 1; it does not matter which comes
/// first. A sentence is worth its weight and how central it is: its mean similarity to all others, as
/// a share of the greatest one (degree centrality over continuous weights: G. Erkan and D. Radev,
/// "LexRank", 2004). One after the other that one is taken that fits and is worth most for its length
/// (budgeted greedy choice: H. Lin and J. Bilmes, 2010), less its greatest similarity to one that is
/// taken already (maximal marginal relevance: J. Carbonell and J. Goldstein, 1998):
/// `((1 - d) * worth - d * similarity) / chars ^ r`, where `d` is 0.6 and `r` is 0.4. Of equals the
/// first is taken. Empty when none fits.
pub fn extract(
    passages: &[Passage],
    similarity: impl Fn(usize, usize) -> f64,
    chars_max: usize,
) -> Vec<usize> {
    let worth = worth(passages, &similarity);
    // The greatest similarity of each to one that is taken.
    let mut nearest = vec![0.0_f64; passages.len()];
    let mut open: Vec<usize> = (0..passages.len()).collect();
    let mut taken = Vec::new();
    let mut left = chars_max;
    loop {
        open.retain(|&place| {
            passages.get(place).is_some_and(|passage| passage.chars <= left)
                && nearest[place] < SAME_MIN
        });
        let gain = |place: usize| {
            let marginal = (1.0 - DIVERSITY) * worth[place] - DIVERSITY * nearest[place];
            let cost = (passages[place].chars.max(1) as f64).powf(LENGTH_POWER);
            // What says nothing new is not better for being long.
            if marginal > 0.0 { marginal / cost } else { marginal }
        };
        let better = |&&a: &&usize, &&b: &&usize| match gain(a).total_cmp(&gain(b)) {
            Ordering::Equal => b.cmp(&a),
            order => order,
        };
        let Some(&best) = open.iter().max_by(better) else { break };
        taken.push(best);
        left -= passages[best].chars;
        open.retain(|&place| place != best);
        for &place in &open {
            nearest[place] = nearest[place].max(similarity(best, place));
        }
    }
    taken.sort_unstable();
    taken
}

/// What each is worth before any is taken: its weight, and its centrality from 0 to 1.
fn worth(passages: &[Passage], similarity: &impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut centrality = vec![0.0_f64; passages.len()];
    for a in 0..passages.len() {
        for b in a + 1..passages.len() {
            let similarity = similarity(a, b).max(0.0);
            centrality[a] += similarity;
            centrality[b] += similarity;
        }
    }
    let greatest = centrality.iter().copied().fold(0.0, f64::max);
    let scale = if greatest > 0.0 { 1.0 / greatest } else { 0.0 };
    passages.iter().zip(centrality).map(|(passage, it)| passage.weight + it * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(count: usize, chars: usize) -> Vec<Passage> {
        vec![Passage { chars, weight: 0.0 }; count]
    }

    #[test]
    fn what_stands_in_the_middle_of_all_is_taken_first() {
        // 1 is like 0 and like 2, which are not like each other; 3 is like none.
        let alike = [[1.0, 0.6, 0.1, 0.0], [0.6, 1.0, 0.6, 0.0], [0.1, 0.6, 1.0, 0.0], [0.0; 4]];
        assert_eq!(extract(&plain(4, 10), |a, b| alike[a][b], 10), [1]);
    }

    #[test]
    fn what_was_said_is_not_said_again() {
        // Two pairs that say the same; each alone is as good as any.
        let pair = |a: usize, b: usize| if a / 2 == b / 2 { 0.9 } else { 0.3 };
        assert_eq!(extract(&plain(4, 10), pair, 20), [0, 2]);
        // What is the same word by word is left out though there is room.
        assert_eq!(extract(&plain(4, 10), |a, b| f64::from(u8::from(a / 2 == b / 2)), 99), [0, 2]);
    }

    #[test]
    fn what_weighs_more_comes_before_what_is_central() {
        let mut passages = plain(5, 10);
        passages[4].weight = 1.0;
        let routine = |a: usize, b: usize| if a.max(b) == 4 { 0.1 } else { 0.8 };
        assert_eq!(extract(&passages, routine, 10), [4]);
        assert_eq!(extract(&passages, routine, 20), [0, 4]);
    }

    #[test]
    fn what_does_not_fit_leaves_its_room_to_others() {
        let mut passages = plain(3, 30);
        passages[0] = Passage { chars: 200, weight: 9.0 };
        assert_eq!(extract(&passages, |_, _| 0.5, 70), [1, 2]);
        assert!(extract(&passages, |_, _| 0.5, 20).is_empty());
        assert!(extract(&[], |_, _| 0.5, 20).is_empty());
    }

    #[test]
    fn of_two_that_say_as_much_the_shorter_is_taken() {
        let mut passages = plain(2, 60);
        passages[1].chars = 20;
        assert_eq!(extract(&passages, |_, _| 0.5, 60), [1]);
    }

    proptest! {
        #[test]
        fn the_choice_fits_is_in_order_and_leaves_no_room_for_another(
            (chars, alike) in (0usize..12).prop_flat_map(|count| (
                prop::collection::vec(0usize..50, count),
                prop::collection::vec(0.0f64..0.9, count * count),
            )),
            chars_max in 0usize..120,
        ) {
            let passages: Vec<Passage> =
                chars.iter().map(|&chars| Passage { chars, weight: 0.1 }).collect();
            let similarity = |a: usize, b: usize| alike[a.min(b) * chars.len() + a.max(b)];
            let taken = extract(&passages, similarity, chars_max);
            let used: usize = taken.iter().map(|&place| chars[place]).sum();
            prop_assert!(used <= chars_max);
            prop_assert!(taken.is_sorted_by(|a, b| a < b));
            for (place, chars) in chars.iter().enumerate() {
                prop_assert!(taken.contains(&place) || used + chars > chars_max);
            }
            prop_assert_eq!(&taken, &extract(&passages, similarity, chars_max));
        }
    }
}
