//! A vector whose clones share what none of them changes.

use std::array;
use std::sync::Arc;

/// Pages below one node.
const FAN_OUT: usize = 32;

/// Values by their places, `LEN` to a page. A clone costs a pointer for every 32 pages; who changes
/// a value that is still shared copies its page and the pointers beside it, and no more. It grows by
/// pages, so that a million values are never copied to make room for one more.
#[derive(Debug, Clone)]
pub(super) struct Paged<T, const LEN: usize> {
    nodes: Vec<Arc<Node<T, LEN>>>,
    fill: Arc<T>,
}

type Page<T, const LEN: usize> = Arc<[T; LEN]>;
type Node<T, const LEN: usize> = [Option<Page<T, LEN>>; FAN_OUT];

impl<T: Clone, const LEN: usize> Paged<T, LEN> {
    /// Every place has the value `fill` until it gets one.
    pub(super) fn new(fill: T) -> Self {
        Self { nodes: Vec::new(), fill: Arc::new(fill) }
    }

    /// The value at a place; `None` where there is no room yet.
    #[inline]
    pub(super) fn get(&self, place: usize) -> Option<&T> {
        let page = &self.nodes.get(place / (LEN * FAN_OUT))?[place / LEN % FAN_OUT];
        Some(page.as_ref().map_or(&self.fill, |page| &page[place % LEN]))
    }

    /// The value at a place, to be changed.
    #[inline]
    pub(super) fn get_mut(&mut self, place: usize) -> &mut T {
        let at = place / (LEN * FAN_OUT);
        while self.nodes.len() <= at {
            self.nodes.push(Arc::new([const { None }; FAN_OUT]));
        }
        let page = &mut Arc::make_mut(&mut self.nodes[at])[place / LEN % FAN_OUT];
        let fill = &self.fill;
        let page = page.get_or_insert_with(|| Arc::new(array::from_fn(|_| T::clone(fill))));
        &mut Arc::make_mut(page)[place % LEN]
    }

    /// The same values as another type.
    pub(super) fn map<U: Clone>(&self, to: impl Fn(&T) -> U) -> Paged<U, LEN> {
        let page = |page: &Page<T, LEN>| Arc::new(page.each_ref().map(&to));
        let node =
            |node: &Arc<Node<T, LEN>>| Arc::new(node.each_ref().map(|it| it.as_ref().map(page)));
        Paged { nodes: self.nodes.iter().map(node).collect(), fill: Arc::new(to(&self.fill)) }
    }

    /// The values of all pages that are there, in order of place.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let pages = self.nodes.iter().flat_map(|node| node.iter().flatten());
        pages.flat_map(|page| page.iter())
    }

    /// Bytes on the heap, without what the values have there.
    pub(super) fn bytes(&self) -> usize {
        let pages: usize = self.nodes.iter().map(|node| node.iter().flatten().count()).sum();
        self.nodes.len() * size_of::<Node<T, LEN>>() + pages * size_of::<[T; LEN]>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_place_has_what_was_set_last() {
        let mut paged = Paged::<u16, 16>::new(7);
        assert_eq!(paged.get(0), None);
        *paged.get_mut(5_000) = 1;
        *paged.get_mut(5_000) = 2;
        assert_eq!(
            (paged.get(5_000), paged.get(4_999), paged.get(0)),
            (Some(&2), Some(&7), Some(&7))
        );
        assert_eq!(paged.get(1 << 20), None);
        assert_eq!(paged.map(|value| u64::from(*value)).get(5_000), Some(&2));
        assert_eq!(paged.iter().filter(|value| **value == 2).count(), 1);
    }

    proptest! {
        #[test]
        fn a_clone_keeps_what_it_had(
            before in prop::collection::vec((0usize..900, any::<u32>()), 0..60),
            after in prop::collection::vec((0usize..900, any::<u32>()), 0..60),
        ) {
            let mut paged = Paged::<u32, 4>::new(0);
            let mut expected = [0; 900];
            for &(place, value) in &before {
                *paged.get_mut(place) = value;
                expected[place] = value;
            }
            let (clone, kept) = (paged.clone(), expected);
            for &(place, value) in &after {
                *paged.get_mut(place) = value;
                expected[place] = value;
            }
            for place in 0..900 {
                prop_assert_eq!(paged.get(place).copied().unwrap_or(0), expected[place]);
                prop_assert_eq!(clone.get(place).copied().unwrap_or(0), kept[place]);
            }
        }
    }
}
