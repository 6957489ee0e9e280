use crate::Slot;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Dimensions above this get no tree: it would look at nearly every point.
pub(super) const TREE_DIMENSIONS_MAX: usize = 8;

/// A kd-tree of points that do not change.
///
/// Only such a tree keeps all points: one that grows refuses those whose coordinates agree, and
/// the points of a robot on a plane do.
///
/// Distances may differ from those of other code in their last bits, so a tree only proposes.
pub(super) trait PointTree: Send + Sync {
    /// The `count` points nearest to the target, or all when there are fewer; of equals any.
    fn nearest(&self, target: &[f64], count: NonZeroUsize) -> Vec<Slot>;

    /// Visits every point within a distance, given as its square, in any order, and tells the
    /// square of the point's distance.
    fn visit_within(&self, target: &[f64], squared_radius: f64, visit: &mut dyn FnMut(Slot, f64));
}

impl<const D: usize> PointTree for ImmutableKdTree<f64, D> {
    fn nearest(&self, target: &[f64], count: NonZeroUsize) -> Vec<Slot> {
        let Ok(target) = target.try_into() else { return Vec::new() };
        let found = self.query(target).nearest_n::<SquaredEuclidean<f64>>(count).execute();
        found.into_iter().map(|found| found.item).collect()
    }

    fn visit_within(&self, target: &[f64], squared_radius: f64, visit: &mut dyn FnMut(Slot, f64)) {
        let Ok(target) = target.try_into() else { return };
        let mut scratch = self.create_scratch::<SquaredEuclidean<f64>>();
        self.query(target)
            .within::<SquaredEuclidean<f64>>(squared_radius)
            .unsorted()
            .with_scratch(&mut scratch)
            .visit(|found| visit(found.item, found.distance));
    }
}

/// A tree of points of one dimension, or `None` when there is no tree for them. `point_of` answers
/// with as many coordinates as `dimension` says.
pub(super) fn build<'a>(
    dimension: usize,
    slots: impl Iterator<Item = Slot>,
    point_of: impl Fn(Slot) -> &'a [f64],
) -> Option<Arc<dyn PointTree>> {
    match dimension {
        1 => build_of::<1>(slots, point_of),
        2 => build_of::<2>(slots, point_of),
        3 => build_of::<3>(slots, point_of),
        4 => build_of::<4>(slots, point_of),
        5 => build_of::<5>(slots, point_of),
        6 => build_of::<6>(slots, point_of),
        7 => build_of::<7>(slots, point_of),
        TREE_DIMENSIONS_MAX => build_of::<TREE_DIMENSIONS_MAX>(slots, point_of),
        _ => None,
    }
}

fn build_of<'a, const D: usize>(
    slots: impl Iterator<Item = Slot>,
    point_of: impl Fn(Slot) -> &'a [f64],
) -> Option<Arc<dyn PointTree>> {
    let points: Result<Vec<(Slot, [f64; D])>, _> =
        slots.map(|slot| point_of(slot).try_into().map(|point| (slot, point))).collect();
    let tree = ImmutableKdTree::<f64, D>::new_from_entries(&points.ok()?).ok()?;
    Some(Arc::new(tree))
}
