//! A simulated building whose truth is known: things in rooms, a robot that drives through them with a camera
//! and a detector that is wrong as detectors are; and how far the tracker's objects are those things.
//!
//! The detector misses, mislabels, sees what is not there, for a frame or for some, and its noise grows with
//! the distance. The robot's pose drifts. Somebody stands in the way. Between two tours of the building things
//! are moved, taken away, put in and exchanged.

mod camera;
mod judge;
mod things;

// The other simulations have it, too, and use more of it.
#[allow(dead_code, clippy::duplicate_mod)]
#[path = "../statements/random.rs"]
mod random;

pub use judge::Figures;

use camera::Camera;
use judge::Judge;
use random::SplitMix64;
use robot_memory_perception::objects::ObjectTracker;
use std::time::{Duration, Instant};
use things::Building;

/// Frames a second of the detector.
const RATE_HZ: f64 = 30.0;
/// Seconds in a room on each tour.
const ROOM_SECS: f64 = 15.0;
/// Seconds from one tour to the next.
const PAUSE_SECS: f64 = 600.0;

/// What is lived through.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub seed: u64,
    pub things: usize,
    pub tours: usize,
}

/// Lives through it, and answers how far the objects are the things.
pub fn live(plan: Plan) -> Figures {
    let mut random = SplitMix64::new(plan.seed);
    let mut building = Building::new(plan.things, &mut random);
    let mut tracker = ObjectTracker::default();
    let mut judge = Judge::default();
    let mut camera = Camera::new(RATE_HZ);
    let (mut now_secs, mut spent) = (0.0, Duration::ZERO);
    let mut frames = 0_u64;
    for tour in 0..plan.tours {
        if tour > 0 {
            building.change(&mut random);
            judge.forget_moved(&building);
            now_secs += PAUSE_SECS;
        }
        for room in 0..building.room_count() {
            camera.enter(room, &mut random);
            for step in 0..(ROOM_SECS * RATE_HZ) as usize {
                now_secs += 1.0 / RATE_HZ;
                let share = step as f64 / (ROOM_SECS * RATE_HZ);
                let frame = camera.frame(&building, room, share, now_secs, &mut random);
                let began = Instant::now();
                let found = tracker.take(&frame.viewpoint, &frame.detections);
                let changes = if frames.is_multiple_of(30) { Some(tracker.drain()) } else { None };
                spent += began.elapsed();
                frames += 1;
                judge.note(&tracker, &frame, &found);
                for change in changes.iter().flat_map(|changes| &changes.changes) {
                    judge.note_change(change, &building);
                }
            }
        }
    }
    for change in &tracker.drain().changes {
        judge.note_change(change, &building);
    }
    let secs = frames as f64 / RATE_HZ;
    judge.figures(&tracker, &building, spent.as_secs_f64() / secs)
}
