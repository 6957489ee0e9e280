//! Objects of detections: which of what a detector sees is the same thing as before, and where it is now.
//!
//! Position decides identity; labels are evidence of what a thing is, and hardly ever of which one it is.
//! Of one frame two detections are two objects. An object is gone when its place was looked at, from where
//! it had been seen before, and it was not there (docs/objects.md).

mod moves;
mod object;
mod seen_from;
mod sensor;
mod space;
mod tracker;

#[cfg(test)]
mod tests;

pub use tracker::{ObjectChange, ObjectChangeKind, ObjectChanges, ObjectCounts, ObjectTracker};

use robot_memory_core::model::Stamp;
use std::sync::Arc;

/// One thing that a detector says it sees.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Detection {
    /// What it may be, with scores from 0 to 1, the best first.
    pub labels: Vec<(String, f64)>,
    /// Where it is in the sensor's frame, m; `None`: only in the picture.
    pub position: Option<[f64; 3]>,
    /// Its orientation in the sensor's frame: quaternion x, y, z, w; `None`: not said.
    pub orientation: Option<[f64; 4]>,
    /// Variance of the position along each axis, m^2; `None`: not said.
    pub variance_m2: Option<f64>,
    /// Extent along its axes, m; `None`: not said.
    pub size_m: Option<[f64; 3]>,
    /// The frame in the tree of frames that is placed where it is, when the message leaves it to that.
    pub child_frame: Option<String>,
}

/// From where a frame of detections was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Viewpoint {
    /// When.
    pub stamp: Stamp,
    /// The topic of the detections.
    pub topic: Arc<str>,
    /// The fixed frame.
    pub frame: String,
    /// The map; empty: not said.
    pub map_id: String,
    /// Where the sensor was in the fixed frame, m, and its orientation; `None`: only the robot's place is
    /// known.
    pub sensor: Option<([f64; 3], [f64; 4])>,
    /// Where the robot was, m.
    pub robot: [f64; 3],
}
