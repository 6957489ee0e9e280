//! Nearest points first.

mod field;
mod places;
mod points;
#[cfg(test)]
mod tests;
mod tree;

use super::{Bitset, Slot};
pub use field::SpatialField;
use points::{Planted, Points, Snapshot};
use robot_memory_core::limits::SPATIAL_DIMENSIONS_MAX;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tree::PointTree;

/// A coordinate is at most this far from 0, in any unit, so that no square of a distance
/// overflows.
pub const COORDINATE_MAX: f64 = 1e150;

/// The points that rows have at one path of their context, in the field's unit (metres, radians).
///
/// Rows of several dimensions lie side by side; a row has one point. Distances are Euclidean.
/// Answers are exact: every allowed point counts, and of equally distant ones the lower slot comes
/// first.
///
/// Points that lately came are compared one by one until a rebuild takes them into a tree, so that
/// filling the index costs one tree and not one for every few points. A rebuild is done at once
/// ([`rebuild_if_due`](Self::rebuild_if_due)), or beside the index while it is in use:
/// [`plan`](Self::plan), [`Rebuild::run`], [`install`](Self::install).
#[derive(Debug, Clone, Default)]
pub struct SpatialIndex {
    by_dimension: BTreeMap<usize, Points>,
}

/// The points nearest to a target.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Nearest {
    /// Slot and distance; nearest first, of equals the lower slot first.
    pub hits: Vec<(Slot, f64)>,
    /// How many allowed points of the target's dimension lie within the maximal distance.
    pub total: u64,
}

/// Why a point is refused: it has not 1 to [`SPATIAL_DIMENSIONS_MAX`] coordinates, or one of them
/// is not a number from -[`COORDINATE_MAX`] to [`COORDINATE_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a point has 1 to {SPATIAL_DIMENSIONS_MAX} coordinates, each finite and at most 1e150")]
pub struct SpatialError;

/// Whether a distance can be measured from these coordinates: there are 1 to
/// [`SPATIAL_DIMENSIONS_MAX`] of them, and each is a number from -[`COORDINATE_MAX`] to
/// [`COORDINATE_MAX`].
pub fn is_point(coordinates: &[f64]) -> bool {
    (1..=SPATIAL_DIMENSIONS_MAX).contains(&coordinates.len())
        && coordinates.iter().all(|coordinate| coordinate.abs() <= COORDINATE_MAX)
}

/// The point that a JSON value is: an array of the numbers that [`is_point`] accepts, and nothing
/// else.
pub fn points_from(value: &Value) -> Option<Vec<f64>> {
    let elements = value.as_array().filter(|elements| elements.len() <= SPATIAL_DIMENSIONS_MAX)?;
    let point: Vec<f64> = elements.iter().map(Value::as_f64).collect::<Option<_>>()?;
    is_point(&point).then_some(point)
}

impl SpatialIndex {
    /// How many points there are.
    pub fn count(&self) -> u64 {
        self.by_dimension.values().map(Points::count).sum()
    }

    /// Sets a row's point, in the place of the one that it had.
    ///
    /// # Errors
    /// When it is not a point. Nothing is changed then.
    pub fn put(&mut self, slot: Slot, point: &[f64]) -> Result<(), SpatialError> {
        if !is_point(point) {
            return Err(SpatialError);
        }
        self.remove(slot);
        let points = self.by_dimension.entry(point.len());
        points.or_insert_with(|| Points::new(point.len())).put(slot, point);
        Ok(())
    }

    /// Whether a row has a point.
    pub fn contains(&self, slot: Slot) -> bool {
        self.by_dimension.values().any(|points| points.contains(slot))
    }

    /// Forgets a row's point.
    pub fn remove(&mut self, slot: Slot) {
        for points in self.by_dimension.values_mut() {
            points.remove(slot);
        }
    }

    /// The `k` allowed points nearest to the target within a distance (border included), and how
    /// many lie there. Points of another dimension are left out. A target that is not a point, and
    /// a distance that is negative or NaN, has nothing near.
    pub fn nearest(
        &self,
        target: &[f64],
        max_distance: Option<f64>,
        k: usize,
        allowed: &Bitset,
    ) -> Nearest {
        let is_distance = max_distance.is_none_or(|distance| distance >= 0.0);
        match self.by_dimension.get(&target.len()) {
            Some(points) if is_point(target) && is_distance => {
                points.nearest(target, max_distance, k, allowed)
            }
            _ => Nearest::default(),
        }
    }

    /// Whether points that lately came or went are many enough for a rebuild to pay. Answers are
    /// exact without it, only slower.
    pub fn is_due(&self) -> bool {
        self.by_dimension.values().any(Points::is_due)
    }

    /// The first step of a rebuild beside the index: what is to be done, when something is. It
    /// takes some microseconds.
    pub fn plan(&self) -> Option<Rebuild> {
        let due = self.by_dimension.iter().filter(|(_, points)| points.is_due());
        let snapshots: Vec<Snapshot> = due.map(|(_, points)| points.snapshot()).collect();
        (!snapshots.is_empty()).then_some(Rebuild { snapshots })
    }

    /// The last step of a rebuild: takes over the trees, in about a millisecond for a million
    /// points. What was put or removed since the plan, of whatever index, is kept as it is now.
    ///
    /// Freeing what went out of use takes longer: the caller drops it when it holds no lock.
    #[must_use]
    pub fn install(&mut self, built: Built) -> Replaced {
        let mut replaced = Vec::new();
        for planted in built.planted {
            if let Some(points) = self.by_dimension.get_mut(&planted.dimension()) {
                replaced.push(points.replant(planted));
            }
        }
        Replaced { _trees: replaced }
    }

    /// All steps of a rebuild, when it is due: it takes up to half a second for a million points.
    pub fn rebuild_if_due(&mut self) {
        if let Some(rebuild) = self.plan() {
            drop(self.install(rebuild.run()));
        }
    }
}

/// A rebuild of a [`SpatialIndex`] that is to be done, on the points as they were when it was
/// planned.
#[derive(Debug)]
pub struct Rebuild {
    snapshots: Vec<Snapshot>,
}

impl Rebuild {
    /// Builds the trees, which takes up to half a second for a million points. The index is not
    /// needed meanwhile.
    pub fn run(self) -> Built {
        Built { planted: self.snapshots.into_iter().filter_map(Snapshot::plant).collect() }
    }
}

/// Trees that are ready to be [installed](SpatialIndex::install).
#[derive(Debug)]
pub struct Built {
    planted: Vec<Planted>,
}

/// What an installation put out of use; of no use but to be dropped.
pub struct Replaced {
    _trees: Vec<(Option<Arc<dyn PointTree>>, Snapshot)>,
}
