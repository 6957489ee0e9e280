use super::Nearest;
use super::places::Places;
use super::tree::{PointTree, TREE_DIMENSIONS_MAX, build};
use crate::smallest_k::SmallestK;
use crate::{Bitset, Slot};
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Up to so many candidates are compared one by one: it takes a fraction of a millisecond, about
/// what a tree takes when few of its points are allowed.
pub(super) const SCAN_MAX: u64 = 20_000;
/// Up to so many points wait outside the tree, or a share of those in it, whichever is more.
const PENDING_MIN: u64 = 2_048;
const PENDING_SHARE: u64 = 20;
/// A tree that was asked for this share of its points and found too few allowed ones is given up.
const TREE_SHARE: u64 = 16;
/// By what a distance grows within which too few allowed points lie: to two to four times as many
/// points in the dimensions of robots.
const RADIUS_GROWTH: f64 = 1.6;
/// By how much more than a distance a tree is searched, so that no point is lost to the last bits
/// in which two ways of computing a distance differ.
const SLACK: f64 = 1.0 + 1e-9;

/// The points of one dimension. A clone shares the tree and what neither of the two changes.
#[derive(Clone)]
pub(super) struct Points {
    places: Places,
    free_rows: Vec<u32>,
    /// The slots whose points are as the tree has them. A slot that is in the tree and not here
    /// has moved or gone.
    settled: Arc<Bitset>,
    /// The slots whose points the tree does not have.
    pending: Bitset,
    pending_count: u64,
    tree: Option<Arc<dyn PointTree>>,
    tree_count: u64,
    /// [`SCAN_MAX`], unless a test wants a tree for fewer.
    pub(super) scan_max: u64,
}

/// The points as they were when a tree for them was planned: blocks that are shared until a point
/// in them changes.
#[derive(Debug)]
pub(super) struct Snapshot {
    places: Places,
    present: Bitset,
}

/// A tree, and the points that it has.
pub(super) struct Planted {
    tree: Arc<dyn PointTree>,
    snapshot: Snapshot,
}

impl Snapshot {
    /// Builds the tree; `None` when there is none for such points.
    pub(super) fn plant(self) -> Option<Planted> {
        let Self { places, present } = &self;
        let tree = build(places.dimension(), present.iter(), |slot| places.point(slot))?;
        Some(Planted { tree, snapshot: self })
    }
}

impl Planted {
    pub(super) fn dimension(&self) -> usize {
        self.snapshot.places.dimension()
    }
}

impl Points {
    pub(super) fn new(dimension: usize) -> Self {
        Self {
            places: Places::new(dimension),
            free_rows: Vec::new(),
            settled: Arc::default(),
            pending: Bitset::default(),
            pending_count: 0,
            tree: None,
            tree_count: 0,
            scan_max: SCAN_MAX,
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.settled.count() + self.pending_count
    }

    /// Adds the point of a slot that has none here.
    pub(super) fn put(&mut self, slot: Slot, point: &[f64]) {
        let row = self.free_rows.pop();
        self.places.put(slot, row, point);
        self.pending.insert(slot);
        self.pending_count += 1;
    }

    pub(super) fn remove(&mut self, slot: Slot) {
        if self.pending.remove(slot) {
            self.pending_count -= 1;
        } else if self.settled.contains(slot) {
            Arc::make_mut(&mut self.settled).remove(slot);
        } else {
            return;
        }
        self.free_rows.push(self.places.row(slot));
    }

    pub(super) fn contains(&self, slot: Slot) -> bool {
        self.pending.contains(slot) || self.settled.contains(slot)
    }

    /// Whether so many points are not as the tree has them that a new one pays.
    pub(super) fn is_due(&self) -> bool {
        let gone_count = self.tree_count - self.settled.count();
        let unsettled_max = PENDING_MIN.max(self.tree_count / PENDING_SHARE);
        let has_tree = self.places.dimension() <= TREE_DIMENSIONS_MAX;
        let has_many = self.count() > self.scan_max;
        has_tree && has_many && self.pending_count + gone_count > unsettled_max
    }

    /// The points as they are now, at the cost of a few pointers for every thousand of them.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { places: self.places.clone(), present: self.present() }
    }

    /// Uses a new tree for the points that are still as it has them, and answers what went out of
    /// use.
    pub(super) fn replant(&mut self, planted: Planted) -> (Option<Arc<dyn PointTree>>, Snapshot) {
        let Planted { tree, snapshot } = planted;
        let present = self.present();
        self.tree_count = snapshot.present.count();
        let mut settled = snapshot.present.clone();
        settled.intersect_with(&present);
        self.places.retain_same(&snapshot.places, &mut settled);
        self.settled = Arc::new(settled);
        self.pending = present;
        self.pending.subtract(&self.settled);
        self.pending_count = self.pending.count();
        (self.tree.replace(tree), snapshot)
    }

    fn present(&self) -> Bitset {
        let mut present = Bitset::clone(&self.settled);
        present.union_with(&self.pending);
        present
    }

    pub(super) fn nearest(
        &self,
        target: &[f64],
        max_distance: Option<f64>,
        k: usize,
        allowed: &Bitset,
    ) -> Nearest {
        let max_distance = max_distance.unwrap_or(f64::INFINITY);
        let allowed_settled = self.settled.intersection_count(allowed);
        let mut found = NearestSoFar { least: SmallestK::new(k), total: 0, max_distance };
        for slot in self.pending.intersection(allowed) {
            found.offer(slot, self.distance(slot, target));
        }
        let radius = if allowed_settled <= self.scan_max {
            None
        } else {
            self.search_radius(target, max_distance, k, allowed, allowed_settled)
        };
        match (radius, &self.tree) {
            (Some(radius), Some(tree)) => {
                let within = max_distance * max_distance / SLACK;
                tree.visit_within(target, widened_square(radius), &mut |slot, square| {
                    if !self.settled.contains(slot) || !allowed.contains(slot) {
                        return;
                    }
                    // Most of many points only count: looking them up would take far longer.
                    if square < within && found.least.bound().is_some_and(|b| beyond(square, b)) {
                        found.total += 1;
                    } else {
                        found.offer(slot, self.distance(slot, target));
                    }
                });
            }
            _ => {
                for slot in self.settled.intersection(allowed) {
                    found.offer(slot, self.distance(slot, target));
                }
            }
        }
        let total = if max_distance == f64::INFINITY {
            allowed_settled + self.pending.intersection_count(allowed)
        } else {
            found.total
        };
        let hits = found.least.into_sorted().map(|(distance, slot)| (slot, distance)).collect();
        Nearest { hits, total }
    }

    /// A distance within which all settled points lie that can be in the answer, so that the tree
    /// need not be searched farther; `None` when comparing all is as good.
    ///
    /// With a maximal distance that is it, since all points within must be counted.
    fn search_radius(
        &self,
        target: &[f64],
        max_distance: f64,
        k: usize,
        allowed: &Bitset,
        allowed_settled: u64,
    ) -> Option<f64> {
        let tree = self.tree.as_ref()?;
        if max_distance < f64::INFINITY {
            return Some(max_distance);
        }
        let wanted = u64::try_from(k).ok().filter(|&wanted| wanted <= allowed_settled)?;
        // As many as hold k allowed ones when these lie spread evenly, and some more.
        let asked = (4 * wanted.max(1)).checked_mul(self.tree_count)? / allowed_settled;
        if asked > self.tree_count / TREE_SHARE {
            return None;
        }
        let mut nearest = SmallestK::new(k);
        let mut radius: f64 = 0.0;
        for slot in tree.nearest(target, NonZeroUsize::new(usize::try_from(asked).ok()?)?) {
            // Of the others the tree has another point, or none is there any more.
            if self.settled.contains(slot) {
                let distance = self.distance(slot, target);
                radius = radius.max(distance);
                if allowed.contains(slot) {
                    nearest.offer(distance, slot);
                }
            }
        }
        // The allowed ones lie elsewhere: to visit all within a distance takes a tenth of the time
        // of finding as many nearest ones.
        while nearest.bound().is_none() {
            radius *= RADIUS_GROWTH;
            let mut visited = 0;
            nearest = SmallestK::new(k);
            tree.visit_within(target, widened_square(radius), &mut |slot, square| {
                visited += 1;
                if self.settled.contains(slot)
                    && allowed.contains(slot)
                    && nearest.bound().is_none_or(|bound| !beyond(square, bound))
                {
                    nearest.offer(self.distance(slot, target), slot);
                }
            });
            if nearest.bound().is_none()
                && (radius == 0.0 || visited > self.tree_count / TREE_SHARE)
            {
                return None;
            }
        }
        nearest.bound().map(|radius| radius.max(0.0))
    }

    fn distance(&self, slot: Slot, target: &[f64]) -> f64 {
        let squares = self.places.point(slot).iter().zip(target).map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    }
}

/// The square of a distance for a search that must not lose a point at that distance. Not even of
/// the tiniest distance is it 0.
fn widened_square(distance: f64) -> f64 {
    distance * distance * SLACK + f64::MIN_POSITIVE
}

/// Whether the square of a distance says, whoever computed it, that it is more than a bound.
fn beyond(square: f64, bound: f64) -> bool {
    bound < 0.0 || square > widened_square(bound)
}

/// What a search has found so far.
struct NearestSoFar {
    least: SmallestK,
    total: u64,
    max_distance: f64,
}

impl NearestSoFar {
    fn offer(&mut self, slot: Slot, distance: f64) {
        if distance <= self.max_distance {
            self.total += 1;
            self.least.offer(distance, slot);
        }
    }
}

impl fmt::Debug for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Points")
            .field("dimension", &self.places.dimension())
            .field("count", &self.count())
            .field("tree_count", &self.tree_count)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Planted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planted").field("snapshot", &self.snapshot).finish_non_exhaustive()
    }
}
