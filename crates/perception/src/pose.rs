//! Where the robot was at a time, from messages that say it or from the tree of frames (tf2).

mod frames;
mod localized;
mod track;

#[cfg(test)]
mod tests;

pub use track::PoseTrack;

use robot_memory_core::model::Stamp;
use serde_json::{Value, json};

/// Which pose is meant, and which is too old or too uncertain.
#[derive(Debug, Clone, PartialEq)]
pub struct PoseSettings {
    /// The fixed frame in which transforms give the robot; messages name their own.
    pub pose_frame: String,
    /// The robot's frame in the tree of frames.
    pub base_frame: String,
    /// The map in which poses hold; empty: not said.
    pub map_id: String,
    /// Seconds between a pose and the time it is given for at most.
    pub age_secs_max: f64,
    /// Standard deviation of x and of y at most, m; 0: not checked.
    pub std_dev_m_max: f64,
    /// Seconds for which poses in `pose_frame` that tell their covariance must be as certain as that before
    /// one is believed: after the start, after a change of the map, and after an uncertain one.
    pub settle_secs: f64,
    /// Whether other usual frames, and messages of a pose behind them, stand in where these frames are not
    /// known, and nobody is told when nothing is.
    pub is_auto: bool,
}

/// Where the robot was.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// x, y, z in `frame`, m.
    pub position: [f64; 3],
    /// Unit quaternion x, y, z, w with w not negative.
    pub orientation: [f64; 4],
    /// The frame in which it is, without a slash at its start.
    pub frame: String,
    /// The map; empty: not said.
    pub map_id: String,
    /// Seconds from the nearest time for which the pose was told.
    pub age_secs: f64,
    /// Standard deviation of x and y (the larger one), m; `None`: not told.
    pub std_dev_m: Option<f64>,
}

impl Placed {
    /// The object `spatial` of an event's context: `robot_position` (m, to a tenth of a millimeter),
    /// `robot_orientation` (quaternion x, y, z, w), `frame`, `map_id` and `std_dev_m` if they are known,
    /// `pose_age_secs`.
    pub fn to_json(&self) -> Value {
        let rounded = |values: &[f64], unit: f64| -> Vec<f64> {
            // Adding 0 makes -0 a 0.
            values.iter().map(|value| (value * unit).round() / unit + 0.0).collect()
        };
        let mut spatial = json!({
            "robot_position": rounded(&self.position, 1e4),
            "robot_orientation": rounded(&self.orientation, 1e6),
            "frame": self.frame,
            "pose_age_secs": rounded(&[self.age_secs], 1e3)[0],
        });
        if !self.map_id.is_empty() {
            spatial["map_id"] = json!(self.map_id);
        }
        if let Some(std_dev_m) = self.std_dev_m {
            spatial["std_dev_m"] = json!(rounded(&[std_dev_m], 1e3)[0]);
        }
        spatial
    }
}

/// Where frames are in others at one time.
#[derive(Debug, Clone, Default)]
pub struct FrameTree(frames::Frames);

impl FrameTree {
    /// Since when it is told where `from` is in `to`, by all transforms between them; `None`: it is always at
    /// the same place there.
    pub fn since(&self, to: &str, from: &str) -> Option<Stamp> {
        self.0.since(to, from)
    }

    /// Where `from` is in `to`: the place of its origin, m, and a unit quaternion x, y, z, w. `None` when no
    /// transforms lead from one to the other.
    pub fn between(&self, to: &str, from: &str) -> Option<([f64; 3], [f64; 4])> {
        let (placed, _) = self.0.between(to, from, Stamp(0))?;
        let rotation = placed.rotation.coords;
        let rotation = [rotation.x, rotation.y, rotation.z, rotation.w];
        Some((placed.translation.vector.into(), rotation))
    }
}

/// Why there is no pose: one clause.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PoseMissing {
    /// Nothing was heard yet.
    #[error("none yet")]
    NoneYet,
    /// What was heard is no pose.
    #[error("{0}")]
    Invalid(&'static str),
    /// The nearest is too far in time.
    #[error("stale by {secs:.1} s")]
    Stale {
        /// From the nearest pose to the time that was asked for.
        secs: f64,
    },
    /// Too uncertain.
    #[error("standard deviation {std_dev_m:.1} m")]
    Uncertain {
        /// The larger one of x and y.
        std_dev_m: f64,
    },
    /// Certain, but not for long enough yet.
    #[error("certain for {certain_secs:.1} s only")]
    Unsettled {
        /// Since the last uncertain one.
        certain_secs: f64,
    },
    /// Two frames are not connected.
    #[error("no transform {from} -> {to}")]
    NoTransform {
        /// The fixed frame.
        from: String,
        /// The robot's.
        to: String,
    },
}
