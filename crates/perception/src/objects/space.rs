//! The objects of one frame and map, and one look at them.

use super::Detection;
use super::object::{Belief, FLOOR_M, Object, SECTORS};
use super::sensor::Sensor;
use super::tracker::{ObjectChange, ObjectChangeKind, ObjectCounts};
use nalgebra::{Isometry3, Point3, Vector3};
use robot_memory_core::limits::{DETECTION_RANGE_M_MAX, TENTATIVE_OBJECTS_MAX};
use robot_memory_core::model::{ObjectState, Stamp};
use robot_memory_core::object::{Labels, TrackedObject};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Edge of a cell of the index.
const CELL_M: f64 = 1.0;
/// Squared distance by both uncertainties beyond which a detection is of another thing: of a thousand of the
/// same thing one lies farther (chi-squared, 3 degrees of freedom).
const GATE_2: f64 = 16.0;
/// The same in meters: a detector that is surer of nothing than of that makes no identity.
const GATE_M: f64 = 1.5;
/// What a label that a thing never had adds to that distance: it decides between two things that are near.
const LABEL_2: f64 = 8.0;
/// Sightings after which something is an object, and how long they take at least: noise repeats itself for
/// some frames.
const CONFIRM_HITS: u32 = 5;
const CONFIRM_SECS: f64 = 0.3;
/// After so long without a sighting what is tentative was nothing.
const TENTATIVE_SECS: f64 = 1.0;
/// Evidence that makes a thing gone, nats: that it is there and was not seen has odds of 1 to 8000.
pub(super) const GONE_NATS: f64 = 9.0;
/// Seconds of looking that it takes at least, and how many of one visit count of looking from one direction:
/// somebody stands in the way.
const GONE_SECS: f64 = 1.5;
const SECTOR_SECS: f64 = 1.0;
/// Frames within so long are one look: what hides a thing in one hides it in the next.
const LOOK_SECS: f64 = 0.3;
/// The same where a sensor looks on from one direction, as one that stands still: a detector that misses a
/// thing goes on doing so while nothing moves, for seconds, and somebody stands in the way for longer.
const STARE_SECS: f64 = 12.0;
/// A view shows something when at least this share of such views did.
const SEEN_SHARE_MIN: f64 = 0.5;
/// No detector is surer.
const SEEN_SHARE_MAX: f64 = 0.9;
/// Views since the last sighting that are still learned from.
const LEARN_VIEWS: u32 = 3;
/// A thing that was not seen for so long is visited anew.
pub(super) const VISIT_SECS: f64 = 30.0;
/// Sightings of a visit that make another thing of one that is called otherwise; their share of that label;
/// and that label's share before.
const REPLACED_COUNT: u32 = 15;
const REPLACED_SHARE: f64 = 0.8;
const REPLACED_SHARE_BEFORE: f64 = 0.15;
/// A thing that was shifted by no more, under the eyes of the sensor, is the same one.
const SHIFTED_M: f64 = 0.8;

/// Seconds from one time to another.
pub(super) fn secs(from: Stamp, to: Stamp) -> f64 {
    to.0.saturating_sub(from.0) as f64 * 1e-9
}

/// A detection with its place.
#[derive(Debug, Clone)]
pub(super) struct PlacedDetection<'a> {
    pub detection: &'a Detection,
    pub index: usize,
    /// In the fixed frame.
    pub position: Point3<f64>,
    pub orientation: Option<[f64; 4]>,
    pub variance_m2: f64,
}

/// One look.
pub(super) struct View {
    pub stamp: Stamp,
    pub topic: Arc<str>,
    /// The sensor in the fixed frame.
    pub sensor: Isometry3<f64>,
    pub robot: [f64; 3],
}

/// The objects of one frame and map.
#[derive(Debug, Default)]
pub(super) struct Space {
    pub frame: String,
    pub map_id: String,
    pub objects: BTreeMap<u32, Object>,
    cells: BTreeMap<(i32, i32), Vec<u32>>,
    keys: BTreeSet<String>,
    next_id: u32,
    pub tentative_count: usize,
    /// When it was last looked at, by the count of looks.
    pub taken: u64,
    /// Objects that were not compared with what is gone: too many are alike.
    pub unpaired: u64,
}

impl Space {
    pub fn new(frame: &str, map_id: &str) -> Self {
        Self { frame: frame.to_owned(), map_id: map_id.to_owned(), ..Self::default() }
    }

    pub fn insert(&mut self, object: Object) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        if object.belief == Belief::Tentative {
            self.tentative_count += 1;
        }
        if !object.kept.is_seen_from {
            self.cells.entry(cell(&object.position)).or_default().push(id);
        }
        self.keys.insert(object.kept.key.clone());
        self.objects.insert(id, object);
        id
    }

    pub fn remove(&mut self, id: u32) -> Option<Object> {
        let object = self.objects.remove(&id)?;
        if object.belief == Belief::Tentative {
            self.tentative_count -= 1;
        }
        self.keys.remove(&object.kept.key);
        self.uncell(cell(&object.position), id);
        Some(object)
    }

    fn uncell(&mut self, at: (i32, i32), id: u32) {
        if let Some(ids) = self.cells.get_mut(&at) {
            ids.retain(|known| *known != id);
            if ids.is_empty() {
                self.cells.remove(&at);
            }
        }
    }

    /// Changes an object, and where it is looked for.
    pub fn change(&mut self, id: u32, change: impl FnOnce(&mut Object)) {
        let Some(object) = self.objects.get_mut(&id) else { return };
        let before = (cell(&object.position), object.belief == Belief::Tentative);
        change(object);
        let after = (cell(&object.position), object.belief == Belief::Tentative);
        if before.1 && !after.1 {
            self.tentative_count -= 1;
        }
        if before.0 != after.0 && !object.kept.is_seen_from {
            self.uncell(before.0, id);
            self.cells.entry(after.0).or_default().push(id);
        }
    }

    /// The objects whose cells are within a distance, in order of id.
    pub fn near(&self, at: &Point3<f64>, radius_m: f64) -> Vec<u32> {
        let radius_m = radius_m.min(DETECTION_RANGE_M_MAX);
        let low = cell(&(at - Vector3::repeat(radius_m)));
        let high = cell(&(at + Vector3::repeat(radius_m)));
        let rows = (low.0..=high.0).flat_map(|x| self.cells.range((x, low.1)..=(x, high.1)));
        let mut ids: Vec<u32> = rows.flat_map(|(_, ids)| ids.iter().copied()).collect();
        ids.sort_unstable();
        ids
    }

    /// Takes one frame of detections that have places; answers the object of each, `None` while there is
    /// none.
    pub fn take(
        &mut self,
        view: &View,
        sensor: &mut Sensor,
        sights: &[PlacedDetection<'_>],
        counts: &mut ObjectCounts,
        changes: &mut Vec<ObjectChange>,
    ) -> Vec<Option<u32>> {
        let mut assigned = vec![None; sights.len()];
        self.assign(sights, &mut assigned, |belief| belief != Belief::Tentative);
        self.assign(sights, &mut assigned, |belief| belief == Belief::Tentative);
        let seen: BTreeSet<u32> = assigned.iter().flatten().copied().collect();
        let range_m = sights.iter().map(|sight| (sight.position - view.at()).norm());
        sensor.range_max_m = range_m.fold(sensor.range_max_m, f64::max);
        self.miss(view, sensor, &seen, changes);
        for (sight, found) in sights.iter().zip(&mut assigned) {
            match *found {
                Some(id) => *found = self.hit(id, view, sensor, sight, changes),
                None if self.tentative_count < TENTATIVE_OBJECTS_MAX => {
                    *found = Some(self.insert(self.begun(view, sight)));
                }
                None => counts.dropped += 1,
            }
        }
        self.forget_tentative(view);
        assigned
    }

    /// Gives detections to objects, one to one, the nearest first. What is gone comes back as what it was.
    fn assign(
        &self,
        sights: &[PlacedDetection<'_>],
        assigned: &mut [Option<u32>],
        is_of: impl Fn(Belief) -> bool,
    ) {
        let mut taken: BTreeSet<u32> = assigned.iter().flatten().copied().collect();
        let mut pairs: Vec<(f64, u32, usize)> = Vec::new();
        for (index, sight) in sights.iter().enumerate().filter(|(at, _)| assigned[*at].is_none()) {
            let label = sight.detection.labels.first().map_or("", |(label, _)| label);
            for id in self.near(&sight.position, GATE_M) {
                let Some(object) = self.objects.get(&id).filter(|it| is_of(it.belief)) else {
                    continue;
                };
                let distance_2 = object.distance_2(&sight.position, sight.variance_m2);
                let is_far = (sight.position - object.position).norm() > GATE_M;
                let labels = &object.kept.labels;
                let is_other = object.belief == Belief::Gone && labels.top() != label;
                if is_far || distance_2 > GATE_2 || is_other {
                    continue;
                }
                let strange = if labels.share(label) > 0.0 { 0.0 } else { LABEL_2 };
                pairs.push((distance_2 + strange, id, index));
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, id, index) in pairs {
            if assigned[index].is_none() && taken.insert(id) {
                assigned[index] = Some(id);
            }
        }
    }

    /// Notes that an object was seen; answers the object that the sighting is of.
    fn hit(
        &mut self,
        id: u32,
        view: &View,
        sensor: &mut Sensor,
        sight: &PlacedDetection<'_>,
        changes: &mut Vec<ObjectChange>,
    ) -> Option<u32> {
        let stamp = view.stamp;
        let object = self.objects.get(&id)?;
        // Told before: of a bag that is read again, or of another topic that comes late.
        if stamp <= object.newest {
            return Some(id);
        }
        if object.belief == Belief::Present && object.missed < LEARN_VIEWS {
            sensor.learn(&view.of(&object.position), true);
        }
        let belief = object.belief;
        self.change(id, |object| see(object, view, sight));
        let object = self.objects.get(&id)?;
        match belief {
            Belief::Present if is_replaced(object) => Some(self.replace(id, view, changes)),
            Belief::Present => Some(id),
            _ if !is_sure(object, stamp) => Some(id),
            Belief::Gone => {
                self.change(id, |object| object.belief = Belief::Present);
                changes.push(self.changed(id, stamp, ObjectChangeKind::Back));
                Some(id)
            }
            Belief::Tentative => Some(self.confirm(id, view, sensor, changes)),
        }
    }

    /// Makes an object of what was seen often enough: one that was shifted before the sensor's eyes, or a new
    /// one.
    fn confirm(
        &mut self,
        id: u32,
        view: &View,
        sensor: &Sensor,
        changes: &mut Vec<ObjectChange>,
    ) -> u32 {
        if let Some(other) = self.shifted_to(id, view, sensor)
            && let Some(seen) = self.remove(id)
        {
            changes.push(self.move_to(other, &seen, view.stamp));
            return other;
        }
        self.change(id, |object| {
            object.belief = Belief::Present;
            object.is_changed = true;
        });
        changes.push(self.changed(id, view.stamp, ObjectChangeKind::New));
        self.pair_moved(id, view.stamp, changes);
        id
    }

    /// The object that a tentative one is, at another place nearby: it should be seen, and is not.
    fn shifted_to(&self, id: u32, view: &View, sensor: &Sensor) -> Option<u32> {
        let new = self.objects.get(&id)?;
        let mut near: Vec<(f64, u32)> = self
            .near(&new.position, SHIFTED_M)
            .into_iter()
            .filter_map(|other| Some((other, self.objects.get(&other)?)))
            .filter(|(_, other)| {
                other.belief == Belief::Present
                    && other.kept.labels.top() == new.kept.labels.top()
                    && other.newest < new.kept.first_seen
                    && other.has_size_of(new)
                    && is_in_view(other, view, sensor)
            })
            .map(|(id, other)| ((other.position - new.position).norm(), id))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.first().filter(|(far_m, _)| *far_m <= SHIFTED_M).map(|(_, id)| *id)
    }

    /// Notes what a view should have shown, and did not.
    fn miss(
        &mut self,
        view: &View,
        sensor: &mut Sensor,
        seen: &BTreeSet<u32>,
        changes: &mut Vec<ObjectChange>,
    ) {
        let since = secs(Stamp(sensor.last), view.stamp).max(0.0);
        let missed = self.missed(view, sensor, seen);
        let is_present = |id: &&u32| {
            self.objects.get(*id).is_some_and(|object| object.belief == Belief::Present)
        };
        let seen_count = seen.iter().filter(is_present).count();
        // Of a sensor that sees little of what is there it is not known whether it is covered.
        let clear_share = seen_count as f64 / (seen_count + missed.len()).max(1) as f64;
        let mut gone = Vec::new();
        for (id, share) in missed {
            let Some(object) = self.objects.get_mut(&id) else { continue };
            if secs(object.kept.looked_at, view.stamp) > VISIT_SECS {
                object.sector_secs = [0.0; SECTORS];
            }
            object.kept.looked_at = view.stamp;
            let doubt = -(1.0 - share.min(SEEN_SHARE_MAX)).ln();
            object.stared += doubt * clear_share * since.min(1.0) / STARE_SECS;
            let sector = object.sector(&view.at());
            let looked_secs = &mut object.sector_secs[sector];
            if *looked_secs < SECTOR_SECS {
                *looked_secs += since.min(1.0);
                object.absence += doubt * (since / LOOK_SECS).min(1.0);
                object.absent_secs += since.min(1.0);
                object.is_changed = true;
            }
            let is_looked_for = object.absence >= GONE_NATS && object.absent_secs >= GONE_SECS;
            if is_looked_for || object.stared >= GONE_NATS {
                gone.push(id);
            }
        }
        for id in gone {
            self.change(id, |object| leave(object, view.stamp));
            changes.push(self.changed(id, view.stamp, ObjectChangeKind::Gone));
            self.pair_moved(id, view.stamp, changes);
        }
    }

    /// What a view did not show of what it should have: with the share of such views that would.
    fn missed(
        &mut self,
        view: &View,
        sensor: &mut Sensor,
        seen: &BTreeSet<u32>,
    ) -> Vec<(u32, f64)> {
        let mut missed = Vec::new();
        for id in self.near(&view.at(), sensor.range_max_m) {
            let Some(object) = self.objects.get_mut(&id) else { continue };
            let is_missed = object.belief == Belief::Present
                && !seen.contains(&id)
                && view.stamp > object.newest;
            if !is_missed {
                continue;
            }
            object.missed = object.missed.saturating_add(1);
            let place = view.of(&object.position);
            if !object.was_seen_from(&view.at(), place.norm()) {
                continue;
            }
            if object.missed <= LEARN_VIEWS {
                sensor.learn(&place, false);
            }
            let share = sensor.seen_share_around(&place);
            if share >= SEEN_SHARE_MIN {
                missed.push((id, share));
            }
        }
        missed
    }

    /// Something else stands where an object was: that one is gone.
    fn replace(&mut self, id: u32, view: &View, changes: &mut Vec<ObjectChange>) -> u32 {
        let Some(mut new) = self.objects.get(&id).cloned() else { return id };
        self.change(id, |object| leave(object, view.stamp));
        new.kept.labels = std::mem::take(&mut new.visit);
        new.kept.first_seen = new.hits_since;
        new.kept.count = u64::from(new.visit_count);
        new.kept.key = self.new_key(view, id as usize);
        new.kept.moved = None;
        new.visit_count = 0;
        new.is_changed = true;
        let new_id = self.insert(new);
        changes.push(self.changed(id, view.stamp, ObjectChangeKind::Gone));
        changes.push(self.changed(new_id, view.stamp, ObjectChangeKind::New));
        self.pair_moved(id, view.stamp, changes);
        self.pair_moved(new_id, view.stamp, changes);
        new_id
    }

    pub fn changed(&self, id: u32, at: Stamp, kind: ObjectChangeKind) -> ObjectChange {
        let object = self.objects.get(&id);
        ObjectChange {
            at,
            kind,
            key: object.map_or_else(String::new, |object| object.kept.key.clone()),
            position_m: object.map_or([0.0; 3], |object| object.position.coords.into()),
        }
    }

    pub(super) fn begun(&self, view: &View, sight: &PlacedDetection<'_>) -> Object {
        let kept = TrackedObject {
            key: self.new_key(view, sight.index),
            labels: Labels::default(),
            frame: self.frame.clone(),
            map_id: self.map_id.clone(),
            position_m: sight.position.coords.into(),
            orientation: None,
            sigma_m: 0.0,
            is_seen_from: false,
            size_m: None,
            first_seen: view.stamp,
            last_seen: view.stamp,
            robot_m: view.robot,
            count: 0,
            confidence: 0.0,
            state: ObjectState::Present,
            looked_at: view.stamp,
            moved: None,
            topic: view.topic.to_string(),
            seen_ranges_m: Vec::new(),
        };
        let mut object = Object::restored(kept);
        object.belief = Belief::Tentative;
        object.variance_m2 = sight.variance_m2;
        object.missed = 0;
        see(&mut object, view, sight);
        object
    }

    /// Forgets what was tentative: time begins anew, and it would never be old.
    pub fn forget_all_tentative(&mut self) {
        let tentative = self.objects.iter().filter(|(_, it)| it.belief == Belief::Tentative);
        for id in tentative.map(|(id, _)| *id).collect::<Vec<u32>>() {
            self.remove(id);
        }
    }

    /// The key of what is first seen so: another one where time began anew and it is taken.
    fn new_key(&self, view: &View, index: usize) -> String {
        let (frame, map_id) = (&self.frame, &self.map_id);
        let (topic, stamp) = (&view.topic, view.stamp.0);
        let draws = (0..=self.keys.len()).map(|draw| {
            let first = format!("object\n{frame}\n{map_id}\n{topic}\n{stamp}\n{index}\n{draw}");
            let digest = Sha256::digest(first);
            digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>()
        });
        let mut free = draws.filter(|key| !self.keys.contains(key));
        free.next().unwrap_or_default()
    }

    fn forget_tentative(&mut self, view: &View) {
        if self.tentative_count == 0 {
            return;
        }
        let is_old = |object: &Object| {
            object.belief == Belief::Tentative
                && secs(object.kept.last_seen, view.stamp) > TENTATIVE_SECS
        };
        let old: Vec<u32> =
            self.objects.iter().filter(|(_, it)| is_old(it)).map(|(id, _)| *id).collect();
        for id in old {
            self.remove(id);
        }
    }
}

impl View {
    /// Where the sensor is.
    pub fn at(&self) -> Point3<f64> {
        Point3::from(self.sensor.translation.vector)
    }

    /// A place in the sensor's frame.
    pub fn of(&self, position: &Point3<f64>) -> Vector3<f64> {
        self.sensor.inverse_transform_point(position).coords
    }
}

/// Whether a view would show an object if it were there.
fn is_in_view(object: &Object, view: &View, sensor: &Sensor) -> bool {
    let place = view.of(&object.position);
    object.was_seen_from(&view.at(), place.norm())
        && sensor.seen_share_around(&place) >= SEEN_SHARE_MIN
}

/// Whether it was seen often enough to be an object.
pub(super) fn is_sure(object: &Object, at: Stamp) -> bool {
    object.hits >= CONFIRM_HITS && secs(object.hits_since, at) >= CONFIRM_SECS
}

/// Takes a sighting.
pub(super) fn see(object: &mut Object, view: &View, sight: &PlacedDetection<'_>) {
    let kept = &mut object.kept;
    let gap_secs = secs(kept.last_seen, view.stamp);
    if gap_secs > VISIT_SECS {
        object.visit = Labels::default();
        object.visit_count = 0;
        object.variance_m2 += FLOOR_M * FLOOR_M;
        object.hits_since = view.stamp;
    }
    let begins = object.hits == 0 || gap_secs > TENTATIVE_SECS;
    if object.belief != Belief::Present && begins {
        object.hits = 0;
        object.hits_since = view.stamp;
    }
    object.hits = object.hits.saturating_add(1);
    kept.count += 1;
    object.newest = view.stamp;
    kept.first_seen = kept.first_seen.min(view.stamp);
    kept.last_seen = view.stamp;
    kept.looked_at = view.stamp;
    kept.robot_m = view.robot;
    kept.orientation = sight.orientation.or(kept.orientation);
    let size_m = sight.detection.size_m.filter(|size_m| size_m.iter().all(|it| it.is_finite()));
    kept.size_m = size_m.or(kept.size_m);
    if kept.topic != *view.topic {
        kept.topic = view.topic.to_string();
    }
    kept.labels.add(&sight.detection.labels);
    object.visit.add(&sight.detection.labels);
    object.visit_count = object.visit_count.saturating_add(1);
    object.measure(&sight.position, sight.variance_m2);
    let at = view.at();
    object.note_view(&at, (object.position - at).norm());
    object.note_there();
    object.is_changed = object.belief != Belief::Tentative;
}

/// Notes that it is not there.
fn leave(object: &mut Object, at: Stamp) {
    object.belief = Belief::Gone;
    object.hits = 0;
    object.is_changed = true;
    object.kept.looked_at = at;
}

/// Whether what is seen there since this visit began is another thing than before: nearly always called so,
/// and hardly ever before.
fn is_replaced(object: &Object) -> bool {
    let label = object.visit.top();
    object.visit_count >= REPLACED_COUNT
        && object.kept.count > 2 * u64::from(object.visit_count)
        && label != object.kept.labels.top()
        && object.visit.share(label) >= REPLACED_SHARE
        && share_before(object, label) <= REPLACED_SHARE_BEFORE
}

/// The share of a label before this visit.
fn share_before(object: &Object, label: &str) -> f64 {
    let sums = |labels: &Labels| -> (f64, f64) {
        let of = labels.weights().iter().filter(|(known, _)| known == label);
        (of.map(|(_, it)| it).sum(), labels.weights().iter().map(|(_, it)| it).sum())
    };
    let (all, visit) = (sums(&object.kept.labels), sums(&object.visit));
    (all.0 - visit.0) / (all.1 - visit.1).max(1e-9)
}

fn cell(at: &Point3<f64>) -> (i32, i32) {
    ((at.x / CELL_M).floor() as i32, (at.y / CELL_M).floor() as i32)
}
