//! Sets of ids that are read as a whole.

/// Ids, ascending. A new memory has the highest, so that it is added at the end.
#[derive(Debug, Default)]
pub(super) struct Ids(Vec<i64>);

impl Ids {
    pub fn insert(&mut self, id: i64) {
        match self.0.last() {
            Some(last) if *last >= id => {
                if let Err(place) = self.0.binary_search(&id) {
                    self.0.insert(place, id);
                }
            }
            _ => self.0.push(id),
        }
    }

    pub fn remove(&mut self, id: i64) {
        if let Ok(place) = self.0.binary_search(&id) {
            self.0.remove(place);
        }
    }

    pub fn as_slice(&self) -> &[i64] {
        &self.0
    }
}

/// The ids of several sets, ascending, each once.
pub(super) fn union<'i>(sets: impl IntoIterator<Item = &'i [i64]>) -> Vec<i64> {
    let mut ids: Vec<i64> = Vec::new();
    for set in sets {
        ids.extend_from_slice(set);
    }
    // Stable, since that makes use of the order in the sets.
    ids.sort();
    ids.dedup();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn what_is_put_in_and_not_taken_out_is_there_once(
            changes in prop::collection::vec((0i64..20, any::<bool>()), 0..60),
        ) {
            let (mut ids, mut expected) = (Ids::default(), BTreeSet::new());
            for (id, is_put) in changes {
                if is_put {
                    ids.insert(id);
                    expected.insert(id);
                } else {
                    ids.remove(id);
                    expected.remove(&id);
                }
                prop_assert!(ids.as_slice().iter().eq(&expected));
            }
            prop_assert_eq!(union([ids.as_slice(), &[3, 7], ids.as_slice()]), {
                expected.extend([3, 7]);
                expected.into_iter().collect::<Vec<_>>()
            });
        }
    }
}
