//! Where the robot is, as a face knows it: its map, and the transforms between frames.

use super::Operations;
use robot_memory_core::api::MapRelation;
use robot_memory_core::model::Stamp;
use robot_memory_db::RwLocked;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// What a face knows of where the robot is now.
pub trait Localization: fmt::Debug + Send + Sync {
    /// The map that the robot is in; empty: somebody is to tell and has not; `None`: nobody tells.
    fn map_id(&self) -> Option<String>;

    /// Where the frame `from` is in the frame `to`; `None` when no transform leads from one to the other.
    fn transform(&self, from: &str, to: &str) -> Option<FrameTransform>;
}

/// Where a frame is in another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameTransform {
    /// Of its origin, m.
    pub translation_m: [f64; 3],
    /// Unit quaternion x, y, z, w.
    pub rotation: [f64; 4],
    /// Since when the frames are told to be together so; `None`: they always are. An earlier place in the frame of
    /// odometry, whose origin is where the robot started, is not where this transform puts it.
    pub since: Option<Stamp>,
}

/// A rotation whose axis is off the vertical by more than this is not one in the plane (sine of half an angle).
const TILT_MAX: f64 = 1e-6;

impl FrameTransform {
    /// A point of the frame, in the other one. A point of the plane stays one if the transform is one of the
    /// plane; `None` for what has no place in the other frame.
    pub fn apply(&self, point: &[f64]) -> Option<Vec<f64>> {
        let [x, y, z, w] = self.rotation;
        let is_planar = x.abs() < TILT_MAX && y.abs() < TILT_MAX;
        let whole = match *point {
            [px, py, pz] => [px, py, pz],
            [px, py] if is_planar => [px, py, 0.0],
            _ => return None,
        };
        // v + 2 q x (q x v + w v), with q the vector part of the quaternion.
        let axis = [x, y, z];
        let mut twisted = cross(axis, whole);
        for i in 0..3 {
            twisted[i] += w * whole[i];
        }
        let turned = cross(axis, twisted);
        let moved = |i: usize| whole[i] + 2.0 * turned[i] + self.translation_m[i];
        Some((0..point.len()).map(moved).collect())
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl Operations {
    /// Tells where to ask where the robot is.
    pub fn set_localization(&self, localization: Option<Arc<dyn Localization>>) {
        *self.localization.write_locked() = localization;
    }

    pub(super) fn localization(&self) -> Option<Arc<dyn Localization>> {
        self.localization.read_locked().clone()
    }

    /// The map that the robot is in; empty: not known yet; `None`: nobody tells.
    pub fn map_id(&self) -> Option<String> {
        self.localization()?.map_id()
    }
}

/// How the place in a context stands to the map that the robot is in.
pub(super) fn map_relation(context: &str, map_id: Option<&str>) -> Option<MapRelation> {
    let map_id = map_id?;
    let context: Value = serde_json::from_str(context).ok()?;
    let place = context.get("spatial")?.as_object()?;
    Some(match place.get("map_id").and_then(Value::as_str) {
        None | Some("") => MapRelation::Unknown,
        Some(_) if map_id.is_empty() => MapRelation::Unknown,
        Some(its) if its == map_id => MapRelation::Same,
        Some(_) => MapRelation::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_1_SQRT_2;

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn points_are_turned_and_moved() {
        // A quarter turn to the left.
        let turn = FrameTransform {
            translation_m: [10.0, 20.0, 1.0],
            rotation: [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2],
            since: None,
        };
        assert!(near(&turn.apply(&[1.0, 2.0, 3.0]).unwrap(), &[8.0, 21.0, 4.0]));
        assert!(near(&turn.apply(&[1.0, 2.0]).unwrap(), &[8.0, 21.0]));
        assert_eq!(turn.apply(&[1.0]), None);
        let tilt = FrameTransform { rotation: [FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2], ..turn };
        assert_eq!(tilt.apply(&[1.0, 2.0]), None);
        assert!(near(&tilt.apply(&[1.0, 2.0, 3.0]).unwrap(), &[11.0, 17.0, 3.0]));
    }

    #[test]
    fn a_place_is_of_this_map_another_or_an_unknown_one() {
        let of = |context, map_id| map_relation(context, map_id);
        let here = r#"{"spatial":{"map_id":"hall"}}"#;
        assert_eq!(of(here, Some("hall")), Some(MapRelation::Same));
        assert_eq!(of(here, Some("cellar")), Some(MapRelation::Other));
        assert_eq!(of(here, None), None);
        assert_eq!(of(here, Some("")), Some(MapRelation::Unknown));
        assert_eq!(of(r#"{"spatial":{}}"#, Some("hall")), Some(MapRelation::Unknown));
        assert_eq!(of("{}", Some("hall")), None);
    }
}
