//! Things of which only is known from where they were seen: detections in a picture without depth.
//!
//! Such a thing has no place of its own, so it is never found to be gone or moved. What tells two of them
//! apart is where the robot was, what they are called, and that both were in one picture.

use super::Detection;
use super::object::Belief;
use super::space::{PlacedDetection, Space, View, is_sure, see};
use super::tracker::{ObjectChange, ObjectChangeKind, ObjectCounts};
use nalgebra::Point3;
use robot_memory_core::limits::TENTATIVE_OBJECTS_MAX;
use std::collections::BTreeSet;

/// What has the same name and is seen from so near is the same, m; and how well its place is known: a room.
const SAME_M: f64 = 3.0;

impl Space {
    /// Takes the detections of a frame that have no place, of all of them when the sensor has none.
    pub(super) fn take_seen_from(
        &mut self,
        view: &View,
        detections: &[Detection],
        has_places: bool,
        counts: &mut ObjectCounts,
        changes: &mut Vec<ObjectChange>,
    ) {
        let robot = Point3::from(view.robot);
        let mut taken = BTreeSet::new();
        for (index, detection) in detections.iter().enumerate() {
            if has_places && detection.position.is_some() {
                continue;
            }
            let Some((label, _)) = detection.labels.first() else { continue };
            let sight = PlacedDetection {
                detection,
                index,
                position: robot,
                orientation: None,
                variance_m2: SAME_M * SAME_M,
            };
            let found = self.seen_from(&robot, label, &taken);
            let id = match found {
                Some(id) => id,
                None if self.tentative_count >= TENTATIVE_OBJECTS_MAX => {
                    counts.dropped += 1;
                    continue;
                }
                None => {
                    let mut object = self.begun(view, &sight);
                    object.kept.is_seen_from = true;
                    self.insert(object)
                }
            };
            taken.insert(id);
            let is_later = |stamp| view.stamp > stamp;
            if found.is_none() || !self.objects.get(&id).is_some_and(|it| is_later(it.newest)) {
                continue;
            }
            self.change(id, |object| {
                see(object, view, &sight);
                (object.position, object.variance_m2) = (robot, SAME_M * SAME_M);
            });
            let is_new = self.objects.get(&id).is_some_and(|object| {
                object.belief == Belief::Tentative && is_sure(object, view.stamp)
            });
            if is_new {
                self.change(id, |object| {
                    object.belief = Belief::Present;
                    object.is_changed = true;
                });
                changes.push(self.changed(id, view.stamp, ObjectChangeKind::New));
            }
        }
    }

    /// The nearest thing of that name that is seen from here, and was not taken yet.
    fn seen_from(&self, robot: &Point3<f64>, label: &str, taken: &BTreeSet<u32>) -> Option<u32> {
        let near = self.objects.iter().filter(|(id, object)| {
            object.kept.is_seen_from
                && object.kept.labels.top() == label
                && !taken.contains(id)
                && (object.position - robot).norm() <= SAME_M
        });
        let far_m = |position: &Point3<f64>| (position - robot).norm();
        near.map(|(id, object)| (far_m(&object.position), *id))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            .map(|(_, id)| id)
    }
}
