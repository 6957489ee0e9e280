//! How far the tracker's objects are the things.

use super::camera::Frame;
use super::things::{Building, Thing, distance};
use robot_memory_core::model::ObjectState;
use robot_memory_perception::objects::{ObjectChange, ObjectChangeKind, ObjectTracker};
use std::collections::{BTreeMap, BTreeSet};

/// An object is a thing that is so near.
const NEAR_M: f64 = 0.4;
/// Sightings since it is where it is, that make a thing one that had to be known.
const SEEN_MIN: u64 = 20;

/// What came out.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// Of the sightings with an identity, those whose identity is mostly this thing.
    pub identity_precision: f64,
    /// Of the sightings of things, those with the identity that the thing mostly has.
    pub identity_recall: f64,
    /// Of the objects that are there, those that are a thing, called so.
    pub object_precision: f64,
    /// Of the things that were seen, those that are an object, called so.
    pub object_recall: f64,
    pub moved_precision: f64,
    pub moved_recall: f64,
    pub gone_precision: f64,
    pub gone_recall: f64,
    pub detections: u64,
    pub objects: usize,
    /// Of one core, while the detector runs.
    pub cpu_share: f64,
}

#[derive(Debug, Default)]
pub struct Judge {
    /// The key of each number, with those that it was merged into.
    keys: BTreeMap<u32, String>,
    merged: BTreeMap<String, String>,
    /// Sightings by number and thing.
    sightings: BTreeMap<(u32, Option<usize>), u64>,
    /// By key: whether each of its moves was one; whether it was gone rightly.
    moved: Vec<(String, bool, [f64; 3])>,
    gone: (u64, u64),
    seen: BTreeMap<usize, (usize, u64)>,
    detections: u64,
}

impl Judge {
    pub fn note(&mut self, tracker: &ObjectTracker, frame: &Frame, found: &[Option<u32>]) {
        self.detections += found.len() as u64;
        for (thing, number) in frame.things.iter().zip(found) {
            let Some(number) = *number else { continue };
            *self.sightings.entry((number, *thing)).or_default() += 1;
            if !self.keys.contains_key(&number)
                && let Some(key) = tracker.key_of("map", "building", number)
            {
                self.keys.insert(number, key.to_owned());
            }
        }
        for thing in frame.things.iter().flatten() {
            self.seen.entry(*thing).or_default().1 += 1;
        }
    }

    /// The sightings of a thing count from its last move on.
    fn seen_there(&self, id: usize) -> u64 {
        self.seen.get(&id).map_or(0, |seen| seen.1)
    }

    pub fn forget_moved(&mut self, building: &Building) {
        for (id, thing) in building.things.iter().enumerate() {
            let seen = self.seen.entry(id).or_default();
            if seen.0 != thing.moves {
                *seen = (thing.moves, 0);
            }
        }
    }

    pub fn note_change(&mut self, change: &ObjectChange, building: &Building) {
        let is_near =
            |thing: &&Thing| thing.is_there && distance(thing.at, change.position_m) < NEAR_M;
        match &change.kind {
            ObjectChangeKind::Moved { merged } => {
                if let Some(merged) = merged {
                    self.merged.insert(merged.clone(), change.key.clone());
                }
                let near = building.things.iter().filter(is_near);
                let is_right = near.into_iter().any(|thing| thing.moves > 0);
                self.moved.push((change.key.clone(), is_right, change.position_m));
            }
            ObjectChangeKind::Gone => {
                let Some(thing) = self.thing_of(&change.key) else {
                    // Something that never was.
                    self.gone.0 += 1;
                    self.gone.1 += 1;
                    return;
                };
                let is_there = building.things.get(thing).is_some_and(|it| is_near(&it));
                self.gone.0 += u64::from(!is_there);
                self.gone.1 += 1;
            }
            ObjectChangeKind::New | ObjectChangeKind::Back => {}
        }
    }

    fn key_of(&self, number: u32) -> Option<&str> {
        let mut key = self.keys.get(&number)?;
        for _ in 0..self.merged.len() {
            match self.merged.get(key) {
                Some(into) => key = into,
                None => break,
            }
        }
        Some(key)
    }

    fn by_key(&self) -> BTreeMap<&str, BTreeMap<Option<usize>, u64>> {
        let mut by_key: BTreeMap<&str, BTreeMap<Option<usize>, u64>> = BTreeMap::new();
        for ((number, thing), count) in &self.sightings {
            if let Some(key) = self.key_of(*number) {
                *by_key.entry(key).or_default().entry(*thing).or_default() += count;
            }
        }
        by_key
    }

    /// The thing that an object mostly is.
    fn thing_of(&self, key: &str) -> Option<usize> {
        let mut things: BTreeMap<Option<usize>, u64> = BTreeMap::new();
        for ((number, thing), count) in &self.sightings {
            if self.key_of(*number) == Some(key) {
                *things.entry(*thing).or_default() += count;
            }
        }
        most(&things).flatten()
    }

    pub fn figures(&self, tracker: &ObjectTracker, building: &Building, cpu_share: f64) -> Figures {
        let by_key = self.by_key();
        let (mut right, mut all) = (0, 0);
        let mut best: BTreeMap<usize, u64> = BTreeMap::new();
        for things in by_key.values() {
            let own = most(things).flatten();
            for (thing, count) in things {
                all += count;
                right += if thing.is_some() && *thing == own { *count } else { 0 };
                if let Some(thing) = thing {
                    let most = best.entry(*thing).or_default();
                    *most = (*most).max(*count);
                }
            }
        }
        let of_things: u64 = self
            .sightings
            .iter()
            .filter(|((_, thing), _)| thing.is_some())
            .map(|(_, count)| *count)
            .sum();
        let (object_precision, object_recall, objects) = self.objects(tracker, building);
        let movers = building
            .things
            .iter()
            .enumerate()
            .filter(|(id, it)| it.moves > 0 && it.is_there && self.seen_there(*id) >= SEEN_MIN);
        let movers: Vec<usize> = movers.map(|(id, _)| id).collect();
        let moved: Vec<bool> = self
            .moved
            .iter()
            .map(|(key, is_right, _)| {
                let of = by_key.get(key.as_str()).and_then(most).flatten();
                *is_right && of.is_some_and(|of| building.things[of].moves > 0)
            })
            .collect();
        let found: BTreeSet<usize> = self
            .moved
            .iter()
            .zip(&moved)
            .filter(|(_, is_right)| **is_right)
            .filter_map(|((key, ..), _)| by_key.get(key.as_str()).and_then(most).flatten())
            .collect();
        let right_moves = moved.iter().filter(|is_right| **is_right).count();
        Figures {
            identity_precision: share(right, all),
            identity_recall: share(best.values().sum(), of_things),
            object_precision,
            object_recall,
            moved_precision: share(right_moves as u64, moved.len() as u64),
            moved_recall: share(
                movers.iter().filter(|id| found.contains(id)).count() as u64,
                movers.len() as u64,
            ),
            gone_precision: share(self.gone.0, self.gone.1),
            gone_recall: self.gone_recall(tracker, building, &by_key),
            detections: self.detections,
            objects,
            cpu_share,
        }
    }

    fn objects(&self, tracker: &ObjectTracker, building: &Building) -> (f64, f64, usize) {
        let mut found = BTreeSet::new();
        let present = tracker.objects().into_iter().filter(|it| it.state == ObjectState::Present);
        let present: Vec<_> = present.collect();
        for object in &present {
            let near = building.things.iter().enumerate().filter(|(id, thing)| {
                thing.is_there
                    && !found.contains(id)
                    && object.labels.top() == format!("kind {}", thing.kind)
            });
            let near = near.map(|(id, thing)| (distance(thing.at, object.position_m), id));
            let nearest = near.min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((_, id)) = nearest.filter(|(far_m, _)| *far_m < NEAR_M) {
                found.insert(id);
            }
        }
        let wanted = building.things.iter().enumerate();
        let wanted = wanted.filter(|(id, it)| it.is_there && self.seen_there(*id) >= SEEN_MIN);
        let wanted: BTreeSet<usize> = wanted.map(|(id, _)| id).collect();
        let known = wanted.intersection(&found).count();
        (
            share(found.len() as u64, present.len() as u64),
            share(known as u64, wanted.len() as u64),
            present.len(),
        )
    }

    /// Of the things that were taken away, those that are known to be gone.
    fn gone_recall(
        &self,
        tracker: &ObjectTracker,
        building: &Building,
        by_key: &BTreeMap<&str, BTreeMap<Option<usize>, u64>>,
    ) -> f64 {
        let gone = tracker.objects().into_iter().filter(|it| it.state == ObjectState::Gone);
        let gone: BTreeSet<usize> =
            gone.filter_map(|it| by_key.get(it.key.as_str()).and_then(most).flatten()).collect();
        let taken: BTreeSet<usize> = building.taken.iter().copied().collect();
        share(taken.intersection(&gone).count() as u64, taken.len() as u64)
    }
}

fn most(things: &BTreeMap<Option<usize>, u64>) -> Option<Option<usize>> {
    things.iter().max_by_key(|(_, count)| **count).map(|(thing, _)| *thing)
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
