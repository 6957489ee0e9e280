//! A camera that stands still, and a detector whose misses last.

use super::{UPRIGHT, from, labels, seen};
use crate::objects::{Detection, ObjectChangeKind, ObjectTracker};
use proptest::prelude::RngExt as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use robot_memory_core::model::ObjectState;

const THINGS: usize = 20;
const RATE_HZ: f64 = 5.0;
/// The mean time between two bursts of misses of a thing, and the longest burst.
const APART_SECS: f64 = 40.0;
const BURST_SECS: f64 = 10.0;
const MISS_SHARE: f64 = 0.1;
const NOISE_M: f64 = 0.015;
const GONE_SECS_MAX: f64 = 120.0;

/// A thing, when it is taken away, and until when or from when it is missed.
struct Thing {
    at: [f64; 3],
    taken_secs: f64,
    burst: (f64, f64),
}

/// A room as a camera at its wall sees it.
struct Room {
    rng: TestRng,
    things: Vec<Thing>,
}

impl Room {
    /// Of a seed; every fourth thing is taken away, one half a minute after another.
    fn new(seed: u8) -> Self {
        let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
        let things = (0..THINGS).map(|index| Thing {
            at: [
                1.5 + 0.6 * (index / 5) as f64,
                0.5 * (index % 5) as f64 - 1.0,
                0.3 * (index % 3) as f64 - 0.3,
            ],
            taken_secs: if index % 4 == 1 { 300.0 + 30.0 * index as f64 } else { f64::MAX },
            burst: (APART_SECS * unit(&mut rng), 0.0),
        });
        let things = things.collect();
        Self { rng, things }
    }

    /// What the detector says at a time.
    fn detections(&mut self, secs: f64) -> Vec<Detection> {
        let mut found = Vec::new();
        for (index, thing) in self.things.iter_mut().enumerate() {
            let (begin, end) = thing.burst;
            if secs >= begin && end <= begin {
                thing.burst.1 = begin + BURST_SECS * unit(&mut self.rng);
            } else if secs >= begin && secs >= end {
                thing.burst = (secs + 2.0 * APART_SECS * unit(&mut self.rng), 0.0);
            }
            let is_missed = secs >= thing.burst.0 || unit(&mut self.rng) < MISS_SHARE;
            if !is_missed && secs < thing.taken_secs {
                let at = thing.at.map(|it| it + NOISE_M * (2.0 * unit(&mut self.rng) - 1.0));
                found.push(seen(&format!("thing {index}"), at));
            }
        }
        found
    }
}

fn unit(rng: &mut TestRng) -> f64 {
    rng.random_range(0..1_000_000) as f64 * 1e-6
}

/// Looks on for some seconds; answers who was said to be gone, and when.
fn look_on(
    tracker: &mut ObjectTracker,
    begin_secs: f64,
    secs: f64,
    mut detections: impl FnMut(f64) -> Vec<Detection>,
) -> Vec<(f64, String)> {
    let mut gone = Vec::new();
    for step in 0..(secs * RATE_HZ) as i32 {
        let at_secs = begin_secs + f64::from(step) / RATE_HZ;
        tracker.take(&from(at_secs, [0.0; 3]), &detections(at_secs));
        let drained = tracker.drain();
        for change in drained.changes.into_iter().filter(|it| it.kind == ObjectChangeKind::Gone) {
            let object = drained.objects.iter().find(|it| it.key == change.key);
            gone.push((at_secs, object.expect("it is stored").labels.top().to_owned()));
        }
    }
    gone
}

#[test]
fn what_is_taken_away_before_a_fixed_camera_is_gone_and_nothing_else() {
    for seed in 1..=3 {
        let mut room = Room::new(seed);
        let mut tracker = ObjectTracker::default();
        let gone = look_on(&mut tracker, 1.0, 1_200.0, |secs| room.detections(secs));
        let taken = room.things.iter().enumerate().filter(|(_, it)| it.taken_secs < f64::MAX);
        let taken: Vec<(String, f64)> =
            taken.map(|(index, it)| (format!("thing {index}"), it.taken_secs)).collect();
        assert_eq!(gone.len(), taken.len(), "seed {seed}: {gone:?}");
        for ((at_secs, label), (name, taken_secs)) in gone.iter().zip(&taken) {
            assert_eq!(label, name, "seed {seed}");
            let late_secs = at_secs - taken_secs;
            assert!((30.0..GONE_SECS_MAX).contains(&late_secs), "seed {seed}: {label} {late_secs}");
        }
        assert_eq!(labels(&tracker, ObjectState::Present).len(), THINGS - taken.len());
    }
}

#[test]
fn a_camera_that_is_covered_or_nearly_so_says_nothing_of_things() {
    let mut room = Room::new(1);
    let mut tracker = ObjectTracker::default();
    assert_eq!(look_on(&mut tracker, 1.0, 200.0, |secs| room.detections(secs)), []);
    // Somebody switches the light off, and later stands before most things.
    assert_eq!(look_on(&mut tracker, 201.0, 600.0, |_| Vec::new()), []);
    assert_eq!(look_on(&mut tracker, 801.0, 30.0, |secs| room.detections(secs)), []);
    let behind = |secs: f64| {
        let all = room.detections(secs).into_iter();
        all.filter(|it| it.position.is_some_and(|at| at[1] > 0.4)).collect()
    };
    assert_eq!(look_on(&mut tracker, 831.0, 110.0, behind), []);
    assert_eq!(labels(&tracker, ObjectState::Present).len(), THINGS);
}

#[test]
fn seldom_frames_take_as_many_as_seconds() {
    let mut tracker = ObjectTracker::default();
    let (cup, bowl) = (seen("cup", [2.0, 0.0, 0.0]), seen("bowl", [2.0, 0.6, 0.0]));
    for step in 0..200 {
        let all = [cup.clone(), bowl.clone()];
        tracker.take(&from(1.0 + f64::from(step) * 0.5, [0.0; 3]), &all);
    }
    // One frame in ten seconds counts for one second.
    let at = |step: i32| from(110.0 + f64::from(step) * 10.0, [0.0; 3]);
    let gone = (0..200).find(|step| {
        tracker.take(&at(*step), std::slice::from_ref(&bowl));
        labels(&tracker, ObjectState::Gone) == ["cup"]
    });
    assert!(gone.is_some_and(|step| (30..120).contains(&step)), "{gone:?}");
    assert_eq!(at(0).sensor, Some(([0.0; 3], UPRIGHT)));
}
