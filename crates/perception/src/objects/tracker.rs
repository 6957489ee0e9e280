//! All objects, of all frames and detectors.

use super::object::{Belief, Object};
use super::sensor::Sensor;
use super::space::{PlacedDetection, Space, View};
use super::{Detection, Viewpoint};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};
use robot_memory_core::limits::{
    DETECTION_RANGE_M_MAX, DETECTIONS_MAX, OBJECT_FRAMES_MAX, OBJECTS_MAX, STREAMS_MAX,
};
use robot_memory_core::model::Stamp;
use robot_memory_core::object::TrackedObject;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Standard deviation of a detection's position near the sensor, m, and its growth with the distance: what
/// depth cameras and the poses of robots have.
const NEAR_SIGMA_M: f64 = 0.04;
const SIGMA_SHARE: f64 = 0.02;
/// A detector's own word on it counts down to this, m.
const SIGMA_M_MIN: f64 = 0.02;

/// What became of an object.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectChangeKind {
    /// It was not known.
    New,
    /// It is at another place now.
    Moved {
        /// The key under which it was known at the new place until then; `None`: under none.
        merged: Option<String>,
    },
    /// Its place was looked at, and it was not there.
    Gone,
    /// It was gone, and is seen there again.
    Back,
}

/// A change of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectChange {
    /// When it was known.
    pub at: Stamp,
    /// What became of it.
    pub kind: ObjectChangeKind,
    /// Its key.
    pub key: String,
    /// Where it is, or was last, m.
    pub position_m: [f64; 3],
}

/// What changed since the last time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ObjectChanges {
    /// Objects that were seen, or are otherwise than before.
    pub objects: Vec<TrackedObject>,
    /// In order of time. What was merged is no object of its own any more.
    pub changes: Vec<ObjectChange>,
}

/// What was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ObjectCounts {
    /// Detections that were taken.
    pub detections: u64,
    /// Detections that were not: too many in a message, too many that are not known to be objects, of too many
    /// topics, or too far away.
    pub dropped: u64,
    /// Objects that are not tracked, or no longer: too many, or of too many frames and maps.
    pub forgotten: u64,
    /// Objects that were not compared with what is gone near them: too many are alike.
    pub unpaired: u64,
}

/// Which of what detectors see is the same thing as before.
#[derive(Debug, Default)]
pub struct ObjectTracker {
    spaces: BTreeMap<(String, String), Space>,
    sensors: BTreeMap<Arc<str>, Sensor>,
    changes: Vec<ObjectChange>,
    counts: ObjectCounts,
    /// Objects of spaces that are no longer tracked, which were not handed out yet.
    left: Vec<TrackedObject>,
    takes: u64,
    is_live: bool,
}

impl ObjectTracker {
    /// A tracker of what happens now: also what is older than the stored sightings counts, since the clock may
    /// have been set back, or be simulated.
    pub fn live(stored: impl IntoIterator<Item = TrackedObject>) -> Self {
        let mut tracker = Self { is_live: true, ..Self::new(stored) };
        tracker.restart();
        tracker
    }

    /// A tracker that knows what was stored before. A sighting that is not newer than the stored one does not
    /// count: it was told before.
    pub fn new(stored: impl IntoIterator<Item = TrackedObject>) -> Self {
        let mut tracker = Self::default();
        for object in stored {
            let (frame, map_id) = (object.frame.clone(), object.map_id.clone());
            let name = (frame, map_id);
            if tracker.spaces.len() >= OBJECT_FRAMES_MAX && !tracker.spaces.contains_key(&name) {
                tracker.counts.forgotten += 1;
                continue;
            }
            space_of(&mut tracker.spaces, name).insert(Object::restored(object));
        }
        tracker
    }

    /// Time begins anew.
    pub fn restart(&mut self) {
        for sensor in self.sensors.values_mut() {
            sensor.last = i64::MIN;
        }
        for space in self.spaces.values_mut() {
            space.forget_all_tentative();
            for object in space.objects.values_mut().filter(|_| self.is_live) {
                object.restart();
            }
        }
    }

    /// Makes room for the objects of a frame and map: of too many of those the one that was not looked at for
    /// longest is no longer tracked.
    fn make_room_for(&mut self, name: &(String, String)) {
        if self.spaces.len() < OBJECT_FRAMES_MAX || self.spaces.contains_key(name) {
            return;
        }
        let oldest = self.spaces.iter().min_by_key(|(_, space)| space.taken);
        let oldest = oldest.map(|(name, _)| name.clone());
        let Some(space) = oldest.and_then(|name| self.spaces.remove(&name)) else { return };
        let objects = space.objects.into_values();
        for object in objects.filter(|object| object.belief != Belief::Tentative) {
            self.counts.forgotten += 1;
            if object.is_changed && self.left.len() < OBJECTS_MAX {
                self.left.push(object.to_kept());
            }
        }
    }

    /// Takes over what another one learned of detectors, and its counts.
    pub(crate) fn take_over(&mut self, before: Self) {
        self.sensors = before.sensors;
        self.counts.detections += before.counts.detections;
        self.counts.dropped += before.counts.dropped;
        self.counts.forgotten += before.counts.forgotten;
        self.counts.unpaired += before.counts.unpaired;
    }

    /// Takes one frame of detections; answers for each whose place is known the object that it is of, a
    /// number that stays.
    pub fn take(&mut self, viewpoint: &Viewpoint, detections: &[Detection]) -> Vec<Option<u32>> {
        let taken = detections.len().min(DETECTIONS_MAX);
        self.counts.detections += taken as u64;
        self.counts.dropped += (detections.len() - taken) as u64;
        let detections = &detections[..taken];
        let known = self.sensors.contains_key(&viewpoint.topic);
        let is_placed = is_finite(viewpoint);
        if !is_placed || !known && self.sensors.len() >= STREAMS_MAX {
            self.counts.dropped += taken as u64;
            return vec![None; taken];
        }
        let view = View {
            stamp: viewpoint.stamp,
            topic: Arc::clone(&viewpoint.topic),
            sensor: isometry(viewpoint),
            robot: viewpoint.robot,
        };
        let name = (viewpoint.frame.clone(), viewpoint.map_id.clone());
        self.make_room_for(&name);
        let space = space_of(&mut self.spaces, name);
        self.takes += 1;
        space.taken = self.takes;
        let mut found = vec![None; taken];
        if viewpoint.sensor.is_some() {
            let sights: Vec<PlacedDetection<'_>> = (0..)
                .zip(detections)
                .filter_map(|(index, detection)| sight(&view.sensor, index, detection))
                .collect();
            let with_place = detections.iter().filter(|it| it.position.is_some()).count();
            self.counts.dropped += (with_place - sights.len()) as u64;
            let sensor = self.sensors.entry(Arc::clone(&view.topic)).or_default();
            let objects = space.take(&view, sensor, &sights, &mut self.counts, &mut self.changes);
            sensor.last = sensor.last.max(view.stamp.0);
            for (sight, object) in sights.iter().zip(objects) {
                found[sight.index] = object;
            }
        }
        let has_places = viewpoint.sensor.is_some();
        let (counts, changes) = (&mut self.counts, &mut self.changes);
        space.take_seen_from(&view, detections, has_places, counts, changes);
        counts.unpaired += std::mem::take(&mut space.unpaired);
        self.forget_beyond(OBJECTS_MAX);
        found
    }

    /// What changed since the last time.
    pub fn drain(&mut self) -> ObjectChanges {
        let mut objects = std::mem::take(&mut self.left);
        for space in self.spaces.values_mut() {
            for object in space.objects.values_mut().filter(|object| object.is_changed) {
                object.is_changed = false;
                objects.push(object.to_kept());
            }
        }
        ObjectChanges { objects, changes: std::mem::take(&mut self.changes) }
    }

    /// The changes that were not handed out yet and were known from a time on.
    pub fn changes_since(&self, at: Stamp) -> impl Iterator<Item = &ObjectChange> {
        self.changes.iter().filter(move |change| change.at >= at)
    }

    /// All objects, those that are gone as well.
    pub fn objects(&self) -> Vec<TrackedObject> {
        let all = self.spaces.values().flat_map(|space| space.objects.values());
        all.filter(|object| object.belief != Belief::Tentative).map(Object::to_kept).collect()
    }

    /// The key of the object with a number in a frame and map, once it is one.
    pub fn key_of(&self, frame: &str, map_id: &str, number: u32) -> Option<&str> {
        let space = self.spaces.get(&(frame.to_owned(), map_id.to_owned()))?;
        let object = space.objects.get(&number)?;
        (object.belief != Belief::Tentative).then_some(object.kept.key.as_str())
    }

    /// What was left out until now.
    pub fn counts(&self) -> ObjectCounts {
        self.counts
    }

    fn forget_beyond(&mut self, max: usize) {
        let count: usize = self.spaces.values().map(|space| space.objects.len()).sum();
        for _ in max..count {
            let oldest = self.spaces.iter().flat_map(|(name, space)| {
                // What was not handed out yet is kept.
                let kept = space.objects.iter().filter(|(_, object)| !object.is_changed);
                kept.map(move |(id, object)| (object.kept.last_seen, name, *id))
            });
            let Some((_, name, id)) = oldest.min() else { return };
            let name = name.clone();
            if let Some(space) = self.spaces.get_mut(&name) {
                space.remove(id);
                self.counts.forgotten += 1;
            }
        }
    }
}

/// The objects of a frame and map.
fn space_of(spaces: &mut BTreeMap<(String, String), Space>, name: (String, String)) -> &mut Space {
    let space = spaces.entry(name);
    space.or_insert_with_key(|(frame, map_id)| Space::new(frame, map_id))
}

/// Whether it is somewhere.
fn is_finite(viewpoint: &Viewpoint) -> bool {
    let sensor = viewpoint.sensor.iter().flat_map(|(at, turn)| at.iter().chain(turn));
    viewpoint.robot.iter().chain(sensor).all(|it| it.is_finite())
}

fn isometry(viewpoint: &Viewpoint) -> Isometry3<f64> {
    let (position, [x, y, z, w]) =
        viewpoint.sensor.unwrap_or((viewpoint.robot, [0.0, 0.0, 0.0, 1.0]));
    let rotation = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-6);
    Isometry3::from_parts(Translation3::from(position), rotation.unwrap_or_default())
}

/// A detection with its place in the fixed frame; `None`: it has none.
fn sight<'a>(
    sensor: &Isometry3<f64>,
    index: usize,
    detection: &'a Detection,
) -> Option<PlacedDetection<'a>> {
    let at = Point3::from(detection.position?);
    let range_m = at.coords.norm();
    if !range_m.is_finite() || range_m > DETECTION_RANGE_M_MAX {
        return None;
    }
    let sigma_m = match detection.variance_m2 {
        Some(variance) if variance.is_finite() => variance.sqrt().max(SIGMA_M_MIN),
        _ => NEAR_SIGMA_M + SIGMA_SHARE * range_m,
    };
    let orientation = detection.orientation.and_then(|[x, y, z, w]| {
        let own = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 1e-6)?;
        let turned: [f64; 4] = (sensor.rotation * own).coords.into();
        turned.iter().all(|it| it.is_finite()).then_some(turned)
    });
    let position = sensor * at;
    Some(PlacedDetection {
        detection,
        index,
        position,
        orientation,
        variance_m2: sigma_m * sigma_m,
    })
}
