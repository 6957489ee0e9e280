//! Names in order, with their numbers.

use std::ops::Range;
use std::sync::Arc;

/// Names in one part at most: then it is halved.
const PART_MAX: usize = 256;

/// Names in order, each once, with their numbers. Clones share the parts that neither of them changes.
#[derive(Debug, Clone, Default)]
pub(super) struct NameList {
    /// None of them empty.
    parts: Arc<Vec<Arc<Vec<Named>>>>,
    count: usize,
}

type Named = (Arc<str>, u32);

impl NameList {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Puts a name in, unless it is there.
    pub(super) fn insert(&mut self, name: &Arc<str>, number: u32) {
        let Err(place) = self.find(name) else { return };
        self.count += 1;
        let parts = Arc::make_mut(&mut self.parts);
        let named = (Arc::clone(name), number);
        let Some(part) = parts.get_mut(place.part) else {
            parts.push(Arc::new(vec![named]));
            return;
        };
        let part = Arc::make_mut(part);
        part.insert(place.at, named);
        if part.len() > PART_MAX {
            let rest = part.split_off(part.len() / 2);
            parts.insert(place.part + 1, Arc::new(rest));
        }
    }

    /// Takes a name out.
    pub(super) fn remove(&mut self, name: &str) {
        let Ok(place) = self.find(name) else { return };
        self.count -= 1;
        let parts = Arc::make_mut(&mut self.parts);
        let part = Arc::make_mut(&mut parts[place.part]);
        part.remove(place.at);
        if part.is_empty() {
            parts.remove(place.part);
        }
    }

    /// Those from a name on, in order.
    pub(super) fn from(&self, name: &str) -> impl Iterator<Item = (&str, u32)> {
        let (Ok(place) | Err(place)) = self.find(name);
        let range = |range: Range<usize>| self.parts.get(range).unwrap_or_default();
        let first = range(place.part..self.parts.len().min(place.part + 1));
        let rest = range((place.part + 1).min(self.parts.len())..self.parts.len());
        let first = first.iter().flat_map(move |part| &part[place.at..]);
        let names = first.chain(rest.iter().flat_map(|part| part.iter()));
        names.map(|(name, number)| (&**name, *number))
    }

    /// Where a name is, or where it would be put.
    fn find(&self, name: &str) -> Result<Place, Place> {
        let after = self.parts.partition_point(|part| part.first().is_some_and(|n| *n.0 <= *name));
        let part = after.saturating_sub(1);
        let Some(names) = self.parts.get(part) else { return Err(Place { part, at: 0 }) };
        match names.binary_search_by(|named| (*named.0).cmp(name)) {
            Ok(at) => Ok(Place { part, at }),
            Err(at) => Err(Place { part, at }),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Place {
    part: usize,
    at: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn of(list: &NameList, from: &str) -> Vec<(String, u32)> {
        list.from(from).map(|(name, number)| (name.to_owned(), number)).collect()
    }

    proptest! {
        #[test]
        fn has_the_names_that_a_map_has(
            steps in prop::collection::vec((0u32..900, any::<bool>()), 0..1_500),
            from in 0u32..900,
            cloned_at in 0usize..1_500,
        ) {
            let name = |number: u32| format!("session:{number:03}");
            let (mut list, mut map) = (NameList::default(), BTreeMap::new());
            let mut kept = (list.clone(), map.clone());
            // More than one part's.
            for number in 0..600 {
                list.insert(&name(number).into(), number);
                map.insert(name(number), number);
            }
            for (at, (number, is_put)) in steps.into_iter().enumerate() {
                if at == cloned_at {
                    kept = (list.clone(), map.clone());
                }
                if is_put {
                    list.insert(&name(number).into(), number);
                    map.insert(name(number), number);
                } else {
                    list.remove(&name(number));
                    map.remove(&name(number));
                }
            }
            for (list, map) in [(&list, &map), (&kept.0, &kept.1)] {
                prop_assert_eq!(list.count(), map.len());
                let expected = map.range(name(from)..).map(|(name, number)| (name.clone(), *number));
                prop_assert_eq!(of(list, &name(from)), expected.collect::<Vec<_>>());
                prop_assert_eq!(of(list, ""), map.clone().into_iter().collect::<Vec<_>>());
            }
        }
    }
}
