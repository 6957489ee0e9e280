//! Which of many sets may be similar, without comparing each with each.

use std::collections::BTreeMap;

/// Puts sets together that may be similar: every pair whose Jaccard similarity is at least
/// `jaccard_min`, greater than 0, is in the same group, in which others may stand that are similar to
/// one of them, or to one that is. Groups and what is in them are in order; a set that is like no other
/// is in no group, and neither is an empty one.
///
/// A set that is similar to another shares one of its rarest tokens with it: of `n` tokens one among
/// the `n - ceil(jaccard_min * n) + 1` rarest (prefix filtering: R. Bayardo, Y. Ma and R. Srikant,
/// "Scaling up all pairs similarity search", 2007). So only those are compared.
pub fn alike<T: Ord>(sets: &[Vec<T>], jaccard_min: f64) -> Vec<Vec<usize>> {
    let sets = by_rarity(sets);
    let mut groups = Groups::of(sets.len());
    let mut having: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, set) in sets.iter().enumerate() {
        let shared_min = (jaccard_min * set.len() as f64).ceil() as usize;
        let prefix = set.len().saturating_sub(shared_min.max(1)) + usize::from(!set.is_empty());
        for token in set.iter().take(prefix) {
            let having = having.entry(*token).or_default();
            for &other in &*having {
                if groups.first_of(other) != groups.first_of(place)
                    && jaccard(&sets[other], set) >= jaccard_min
                {
                    groups.join(other, place);
                }
            }
            having.push(place);
        }
    }
    groups.of_several()
}

/// The sets with numbers for their tokens, the rarest first.
fn by_rarity<T: Ord>(sets: &[Vec<T>]) -> Vec<Vec<usize>> {
    let mut counts: BTreeMap<&T, usize> = BTreeMap::new();
    for token in sets.iter().flatten() {
        *counts.entry(token).or_default() += 1;
    }
    let mut tokens: Vec<(usize, &T)> = counts.into_iter().map(|(t, count)| (count, t)).collect();
    tokens.sort_unstable();
    let numbers: BTreeMap<&T, usize> =
        tokens.into_iter().enumerate().map(|(number, (_, token))| (token, number)).collect();
    let numbered = |set: &Vec<T>| {
        let mut numbered: Vec<usize> =
            set.iter().filter_map(|token| numbers.get(token).copied()).collect();
        numbered.sort_unstable();
        numbered.dedup();
        numbered
    };
    sets.iter().map(numbered).collect()
}

/// Of two sorted sets.
fn jaccard(a: &[usize], b: &[usize]) -> f64 {
    let (mut i, mut j, mut shared) = (0, 0, 0_usize);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        shared += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    shared as f64 / (a.len() + b.len() - shared).max(1) as f64
}

/// Places, each in one group, named by its first.
struct Groups {
    first: Vec<usize>,
}

impl Groups {
    fn of(count: usize) -> Self {
        Self { first: (0..count).collect() }
    }

    fn first_of(&mut self, place: usize) -> usize {
        let mut at = place;
        while self.first[at] != at {
            self.first[at] = self.first[self.first[at]];
            at = self.first[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first_of(a), self.first_of(b));
        self.first[a.max(b)] = a.min(b);
    }

    fn of_several(mut self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for place in 0..self.first.len() {
            groups.entry(self.first_of(place)).or_default().push(place);
        }
        groups.into_values().filter(|group| group.len() > 1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_like_another_is_put_with_it() {
        let sets = ["grip the red cup", "open the door", "grip the red mug", "", "door open", ""];
        let sets: Vec<Vec<&str>> =
            sets.iter().map(|text| text.split_whitespace().collect()).collect();
        assert_eq!(alike(&sets, 0.5), [vec![0, 2], vec![1, 4]]);
        assert_eq!(alike(&sets, 0.65), [vec![1, 4]]);
        assert!(alike(&sets, 0.9).is_empty());
    }

    proptest! {
        #[test]
        fn no_pair_that_is_similar_is_missed(
            sets in prop::collection::vec(prop::collection::vec(0u8..12, 0..8), 0..24),
            jaccard_min in prop::sample::select(vec![0.3, 0.5, 0.8, 1.0]),
        ) {
            let groups = alike(&sets, jaccard_min);
            let numbered = by_rarity(&sets);
            for a in 0..sets.len() {
                for b in a + 1..sets.len() {
                    if !numbered[a].is_empty() && jaccard(&numbered[a], &numbered[b]) >= jaccard_min {
                        prop_assert!(
                            groups.iter().any(|group| group.contains(&a) && group.contains(&b)),
                            "{:?} and {:?}", sets[a], sets[b]
                        );
                    }
                }
            }
            let flat: Vec<usize> = groups.iter().flatten().copied().collect();
            let mut once = flat.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), flat.len());
        }
    }
}
