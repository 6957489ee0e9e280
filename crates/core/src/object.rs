//! Things that detectors saw, and where they are, as the store has it.

use crate::limits::{CAPTIONS_MAX, OBJECT_LABELS_MAX, OBJECTS_MAX, THUMBNAILS_WAITING_MAX};
use crate::model::{ObjectState, Stamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Bytes of an object, nearly: itself and its texts.
const OBJECT_BYTES: usize = 1_024;

/// Labels with the sums of their scores: evidence of what a thing is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Labels(Vec<(String, f64)>);

impl Labels {
    /// Of stored sums, in any order.
    pub fn new(weights: Vec<(String, f64)>) -> Self {
        let mut labels = Self(weights);
        labels.order();
        labels
    }

    /// Counts one sighting. Of more labels than are kept the least goes.
    pub fn add(&mut self, seen: &[(String, f64)]) {
        for (label, score) in seen.iter().filter(|(_, score)| score.is_finite()) {
            match self.0.iter_mut().find(|(known, _)| known == label) {
                Some((_, weight)) => *weight += score,
                None => {
                    if self.0.len() >= OBJECT_LABELS_MAX {
                        self.0.pop();
                    }
                    self.0.push((label.clone(), *score));
                }
            }
        }
        self.order();
    }

    fn order(&mut self) {
        self.0.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    }

    /// The one with the most weight; empty: none.
    pub fn top(&self) -> &str {
        self.0.first().map_or("", |(label, _)| label)
    }

    /// Keeps the labels that are of use.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&str) -> bool) {
        self.0.retain(|(label, _)| is_kept(label));
    }

    /// The share of a label, 0 to 1.
    pub fn share(&self, label: &str) -> f64 {
        let sum: f64 = self.0.iter().map(|(_, weight)| weight).sum();
        let own =
            self.0.iter().find(|(known, _)| known == label).map_or(0.0, |(_, weight)| *weight);
        if sum > 0.0 { own / sum } else { 0.0 }
    }

    /// All of them with their weights, the first the most.
    pub fn weights(&self) -> &[(String, f64)] {
        &self.0
    }
}

/// That a thing was moved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// When it was first seen at its new place.
    pub at: Stamp,
    /// Its place before, m.
    pub from_m: [f64; 3],
}

/// One thing, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrackedObject {
    /// Made of the topic and the time of the first sighting: the same messages make the same keys.
    pub key: String,
    /// What it was called.
    pub labels: Labels,
    /// The fixed frame.
    pub frame: String,
    /// The map; empty: not said.
    pub map_id: String,
    /// Where it is, m; of one that is only `is_seen_from`, where the robot was.
    pub position_m: [f64; 3],
    /// Its orientation: quaternion x, y, z, w; `None`: not known.
    pub orientation: Option<[f64; 4]>,
    /// Standard deviation of the position along each axis, m.
    pub sigma_m: f64,
    /// Whether its own place is not known, only from where it was seen.
    pub is_seen_from: bool,
    /// Extent, m; `None`: not known.
    pub size_m: Option<[f64; 3]>,
    /// When it was first seen here.
    pub first_seen: Stamp,
    /// When it was last seen.
    pub last_seen: Stamp,
    /// Where the robot was then, m.
    pub robot_m: [f64; 3],
    /// How often it was seen.
    pub count: u64,
    /// Probability that it is there and is what its first label says.
    pub confidence: f64,
    /// Whether it is there.
    pub state: ObjectState,
    /// When its place was last looked at with a view that would have shown it.
    pub looked_at: Stamp,
    /// The last move; `None`: it was never seen to move.
    pub moved: Option<Moved>,
    /// The topic that it was last seen on.
    pub topic: String,
    /// By direction around it: from how far it was seen, m; 0: from there it was not.
    pub seen_ranges_m: Vec<f32>,
}

/// What a picture is said to show.
#[derive(Debug, Clone, PartialEq)]
pub struct Caption {
    /// When.
    pub at: Stamp,
    /// On which topic.
    pub topic: String,
    /// What was said.
    pub text: String,
    /// The fixed frame.
    pub frame: String,
    /// The map; empty: not said.
    pub map_id: String,
    /// Where the robot was, m.
    pub robot_m: [f64; 3],
}

/// What became known of objects since the last time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeenObjects {
    /// Objects that were seen, or are otherwise than before.
    pub objects: Vec<TrackedObject>,
    /// Keys of objects that are one with another one.
    pub merged: Vec<String>,
    /// Pictures of objects that are new or moved, JPEG, by their keys.
    pub thumbnails: Vec<(String, Vec<u8>)>,
    /// What pictures are said to show.
    pub captions: Vec<Caption>,
    /// Of which stored objects it is a continuation (`objects_generation` of the engine); `None`: of any.
    pub generation: Option<u64>,
}

impl SeenObjects {
    /// Adds what became known later, in the place of what was known before.
    pub fn add(&mut self, later: Self) {
        let Self { objects, merged, thumbnails, captions, generation } = later;
        if self.generation != generation {
            *self = Self { generation, ..Self::default() };
        }
        let known: BTreeSet<&str> = objects.iter().map(|object| &*object.key).collect();
        let merged_now: BTreeSet<&str> = merged.iter().map(|key| &**key).collect();
        let is_gone = |key: &str| merged_now.contains(key);
        self.objects.retain(|object| !known.contains(&*object.key) && !is_gone(&object.key));
        self.merged.retain(|key| !is_gone(key));
        let shown: BTreeSet<&str> = thumbnails.iter().map(|(key, _)| &**key).collect();
        self.thumbnails.retain(|(key, _)| !shown.contains(&**key) && !is_gone(key));
        self.objects.extend(objects);
        self.merged.extend(merged);
        self.thumbnails.extend(thumbnails);
        self.captions.extend(captions);
        keep_last(&mut self.objects, OBJECTS_MAX);
        keep_last(&mut self.merged, OBJECTS_MAX);
        keep_last(&mut self.thumbnails, THUMBNAILS_WAITING_MAX);
        keep_last(&mut self.captions, CAPTIONS_MAX);
    }

    /// Bytes that it takes, nearly.
    pub fn bytes(&self) -> usize {
        let pictures: usize =
            self.thumbnails.iter().map(|(key, jpeg)| key.len() + jpeg.len()).sum();
        let captions: usize = self.captions.iter().map(|caption| caption.text.len()).sum();
        let merged: usize = self.merged.iter().map(String::len).sum();
        self.objects.len() * OBJECT_BYTES + pictures + captions + merged
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.merged.is_empty() && self.captions.is_empty()
    }
}

fn keep_last<T>(all: &mut Vec<T>, max: usize) {
    let more = all.len().saturating_sub(max);
    all.drain(..more);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_bounded_and_has_one_picture_of_each() {
        let mut waiting = SeenObjects::default();
        for second in 0..3 * OBJECTS_MAX {
            let (key, merged) = (format!("{}", second % 7), format!("merged {second}"));
            let later = SeenObjects {
                merged: vec![merged],
                thumbnails: vec![(key, vec![0; 100])],
                ..SeenObjects::default()
            };
            if second % 1_000 == 0 || second > 3 * OBJECTS_MAX - 9 {
                waiting.add(later);
            } else {
                waiting.merged.extend(later.merged);
            }
        }
        assert_eq!((waiting.thumbnails.len(), waiting.merged.len()), (7, OBJECTS_MAX));
        assert!((OBJECTS_MAX * 8..OBJECTS_MAX * 20).contains(&waiting.bytes()));
        let cleared = SeenObjects { generation: Some(1), ..SeenObjects::default() };
        waiting.add(cleared.clone());
        assert_eq!(waiting, cleared, "what is of deleted objects is not stored");
    }
}
