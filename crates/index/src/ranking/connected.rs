//! What belongs together by pairs.

use std::collections::BTreeMap;

/// Puts ids together that are connected by pairs, directly or through others. Groups are in the order of
/// their least ids, and so is what is in them; each id is in one of them.
pub fn connected(pairs: &[(i64, i64)]) -> Vec<Vec<i64>> {
    let mut places: BTreeMap<i64, usize> = BTreeMap::new();
    for id in pairs.iter().flat_map(|(a, b)| [*a, *b]) {
        places.insert(id, 0);
    }
    for (place, at) in places.values_mut().enumerate() {
        *at = place;
    }
    let mut groups = Groups { first: (0..places.len()).collect() };
    for (a, b) in pairs {
        if let (Some(a), Some(b)) = (places.get(a), places.get(b)) {
            groups.join(*a, *b);
        }
    }
    let mut by_first: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    for (id, place) in places {
        by_first.entry(groups.first_of(place)).or_default().push(id);
    }
    by_first.into_values().collect()
}

/// Places, each in one group, named by its first.
struct Groups {
    first: Vec<usize>,
}

impl Groups {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_connected_is_put_together() {
        assert_eq!(connected(&[(7, 3), (9, 8), (3, 5)]), [vec![3, 5, 7], vec![8, 9]]);
        assert!(connected(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn both_of_a_pair_are_in_one_group_and_each_is_in_one(
            pairs in prop::collection::vec((0_i64..30, 0_i64..30), 0..40),
        ) {
            let groups = connected(&pairs);
            for (a, b) in &pairs {
                let holding = groups.iter().filter(|group| group.contains(a)).collect::<Vec<_>>();
                prop_assert!(holding.len() == 1 && holding[0].contains(b));
            }
            prop_assert!(groups.iter().all(|group| group.is_sorted()));
        }
    }
}
