use super::frames::{Frames, History, Timed};
use super::localized::Localized;
use super::{FrameTree, Placed, PoseMissing, PoseSettings};
use crate::objects::Viewpoint;
use crate::{Pose, Transform, Value};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use robot_memory_core::model::Stamp;
use std::sync::Arc;

/// A transform that is stamped farther from the message that brought it is of another clock; taken, it
/// would make all others look old.
const APART_NANOS_MAX: u64 = 10_000_000_000;

/// Fixed frames and frames of the robot that stand in for those of the settings, as REP 105 calls them.
const USUAL_FRAMES: [(&str, &str); 4] = [
    ("map", "base_link"),
    ("map", "base_footprint"),
    ("odom", "base_link"),
    ("odom", "base_footprint"),
];

/// The poses of the last seconds, bounded in number.
///
/// A pose at a time between two known ones lies on the straight way between them, its orientation on
/// the shortest arc (slerp: Shoemake, SIGGRAPH 1985).
#[derive(Debug, Clone)]
pub struct PoseTrack {
    settings: PoseSettings,
    /// Of messages: the frame they are in, and where the robot was.
    given: Option<(String, History<PoseSample>)>,
    pub(super) frames: Frames,
    localized: Localized,
    /// Whether a localization tells its covariance; else a message of the pose does.
    has_localization: bool,
    /// When the map became another one: what is stamped before that is of the old one.
    map_since: Option<Stamp>,
    /// Why the last message was not taken.
    fault: Option<&'static str>,
}

/// The pose that one message gives.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PoseSample {
    isometry: Isometry3<f64>,
    /// The larger variance of x and y, m^2; 0 when it is not told.
    variance: f64,
}

impl Timed for PoseSample {
    fn between(&self, later: &Self, share: f64) -> Self {
        Self {
            isometry: self.isometry.between(&later.isometry, share),
            variance: self.variance.max(later.variance),
        }
    }
}

impl PoseTrack {
    /// A track that knows nothing yet.
    pub fn new(settings: PoseSettings) -> Self {
        let clean = |frame: &str| frame_name(frame).to_owned();
        let settings = PoseSettings {
            pose_frame: clean(&settings.pose_frame),
            base_frame: clean(&settings.base_frame),
            ..settings
        };
        let localized = Localized::new(settings.settle_secs, settings.std_dev_m_max);
        Self {
            settings,
            given: None,
            frames: Frames::default(),
            localized,
            has_localization: false,
            map_since: None,
            fault: None,
        }
    }

    /// Takes a pose (in `frame_id`; empty: in the settings' frame) or transforms that change with time.
    /// `stamp` is the reading's; a transform with its own stamp has that. Other values, and what is no
    /// pose (NaN, a quaternion of zeros), are left out.
    pub fn take(&mut self, stamp: Stamp, frame_id: &str, value: &Value) {
        if self.is_of_old_map(stamp) {
            return;
        }
        match value {
            Value::Pose(pose) => self.take_pose(stamp, frame_id, pose),
            Value::Transforms(transforms) => {
                for transform in transforms {
                    let own = transform.stamp.unwrap_or(stamp);
                    if own.0.abs_diff(stamp.0) > APART_NANOS_MAX {
                        self.fault = Some("transforms are stamped seconds from when they came");
                    } else {
                        self.put(transform, Some(own));
                    }
                }
            }
            _ => {}
        }
    }

    /// Takes transforms that hold for ever (`/tf_static`).
    pub fn take_static(&mut self, value: &Value) {
        let Value::Transforms(transforms) = value else { return };
        for transform in transforms {
            self.put(transform, None);
        }
    }

    fn put(&mut self, transform: &Transform, stamp: Option<Stamp>) {
        match isometry(transform.translation, transform.rotation) {
            Ok(placed) => {
                let (parent, child) = (frame_name(&transform.parent), frame_name(&transform.child));
                self.frames.put(parent, child, stamp, placed);
            }
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// Forgets what holds at a time: time began anew. Static transforms stay, since nobody sends them
    /// again.
    pub fn reset(&mut self) {
        self.forget_places();
        self.localized.reset();
        self.map_since = None;
    }

    fn forget_places(&mut self) {
        self.given = None;
        self.frames.forget_dynamic();
        self.fault = None;
    }

    /// A localization tells the covariance from now on.
    pub fn expect_localization(&mut self) {
        self.has_localization = true;
    }

    fn is_of_old_map(&self, stamp: Stamp) -> bool {
        self.map_since.is_some_and(|since| stamp < since)
    }

    /// The map that the robot is in; empty: not known.
    pub fn map_id(&self) -> &str {
        &self.settings.map_id
    }

    /// Where frames are in others by now.
    pub fn frames(&self) -> FrameTree {
        FrameTree(self.frames.latest())
    }

    /// The robot is in another map: what was known of where it is does not hold there.
    pub fn set_map_id(&mut self, map_id: &str, at: Stamp) {
        if self.settings.map_id == map_id {
            return;
        }
        // The first name says which map it was all along.
        if !self.settings.map_id.is_empty() {
            self.forget_places();
            self.localized.lose();
            self.map_since = Some(at);
        }
        map_id.clone_into(&mut self.settings.map_id);
    }

    /// Takes the covariance of a pose of the localization, which may publish it beside transforms.
    pub fn take_covariance(&mut self, stamp: Stamp, frame_id: &str, pose: &Pose) {
        let is_in_map =
            matches!(frame_name(frame_id), "") || frame_name(frame_id) == self.settings.pose_frame;
        let counts = is_in_map && !self.is_of_old_map(stamp);
        if let Some(variance) = variance_of(pose).filter(|_| counts) {
            self.localized.take(stamp, variance.sqrt());
        }
    }

    fn take_pose(&mut self, stamp: Stamp, frame_id: &str, pose: &Pose) {
        let isometry = match isometry(pose.position, pose.orientation) {
            Ok(isometry) => isometry,
            Err(fault) => {
                self.fault = Some(fault);
                return;
            }
        };
        if !self.has_localization {
            self.take_covariance(stamp, frame_id, pose);
        }
        let variance = variance_of(pose).unwrap_or(0.0);
        let frame = match frame_name(frame_id) {
            "" => self.settings.pose_frame.as_str(),
            frame => frame,
        };
        if self.given.as_ref().is_none_or(|(given_in, _)| given_in != frame) {
            self.given = Some((frame.to_owned(), History::default()));
        }
        if let Some((_, history)) = &mut self.given {
            history.put(stamp, PoseSample { isometry, variance });
        }
    }

    /// Where the robot was at `stamp`. What a message said goes before what frames say.
    ///
    /// # Errors
    ///
    /// Why it is not known.
    pub fn at(&self, stamp: Stamp) -> Result<Placed, PoseMissing> {
        let settings = &self.settings;
        let own = [(settings.pose_frame.as_str(), settings.base_frame.as_str())];
        if settings.is_auto {
            let found = own.into_iter().chain(USUAL_FRAMES);
            let placed = found.map(|(from, to)| self.by_frames(from, to, stamp));
            if let Some(placed) = placed.into_iter().find_map(Result::ok) {
                return Ok(placed);
            }
            return self.by_messages(stamp);
        }
        if self.given.is_some() {
            return self.by_messages(stamp);
        }
        let [(from, to)] = own;
        self.by_frames(from, to, stamp)
    }

    /// From where a sensor saw something at `stamp`: its own place, where the frames lead to it, and the
    /// robot's.
    ///
    /// # Errors
    ///
    /// Why the robot's place is not known.
    pub fn viewpoint(
        &self,
        stamp: Stamp,
        sensor_frame: &str,
        topic: Arc<str>,
    ) -> Result<Viewpoint, PoseMissing> {
        let robot = self.at(stamp)?;
        let sensor_frame = frame_name(sensor_frame);
        let is_known = |frame: &&str| *frame == sensor_frame || self.frames.is_known(frame);
        let placed = self.frames.between(&robot.frame, sensor_frame, stamp).or_else(|| {
            // A message says where the robot is, and frames where the sensor is on it.
            let bases = [self.settings.base_frame.as_str(), "base_link", "base_footprint"];
            let base = bases.into_iter().find(is_known)?;
            let (on_robot, age_secs) = self.frames.between(base, sensor_frame, stamp)?;
            let robot = isometry(robot.position, robot.orientation).ok()?;
            Some((robot * on_robot, age_secs))
        });
        let sensor = placed.filter(|(_, age_secs)| self.check_age(*age_secs).is_ok());
        Ok(Viewpoint {
            stamp,
            topic,
            sensor: sensor.map(|(it, _)| (it.translation.vector.into(), it.rotation.coords.into())),
            robot: robot.position,
            frame: robot.frame,
            map_id: robot.map_id,
        })
    }

    /// Where a frame is in another one at `stamp`, m; `None`: that is not known.
    pub fn position_in(&self, frame: &str, child: &str, stamp: Stamp) -> Option<[f64; 3]> {
        let between = self.frames.between(frame_name(frame), frame_name(child), stamp);
        let (placed, _) = between.filter(|(_, secs)| self.check_age(*secs).is_ok())?;
        Some(placed.translation.vector.into())
    }

    /// As a message said.
    fn by_messages(&self, stamp: Stamp) -> Result<Placed, PoseMissing> {
        let (frame, history) = self.given.as_ref().ok_or(PoseMissing::NoneYet)?;
        let (sample, age_secs) = history.at(stamp).ok_or(PoseMissing::NoneYet)?;
        let std_dev_m = sample.variance.sqrt();
        self.check_age(age_secs)?;
        let std_dev_m_max = self.settings.std_dev_m_max;
        if std_dev_m_max > 0.0 && std_dev_m > std_dev_m_max {
            return Err(PoseMissing::Uncertain { std_dev_m });
        }
        if *frame == self.settings.pose_frame {
            self.localized.check(stamp)?;
        }
        let told = (sample.variance > 0.0).then_some(std_dev_m);
        Ok(Placed { std_dev_m: told, ..self.placed(sample.isometry, age_secs, frame) })
    }

    /// As frames say.
    fn by_frames(&self, from: &str, to: &str, stamp: Stamp) -> Result<Placed, PoseMissing> {
        if self.frames.is_empty() {
            return Err(self.fault.map_or(PoseMissing::NoneYet, PoseMissing::Invalid));
        }
        let missing = || PoseMissing::NoTransform { from: from.to_owned(), to: to.to_owned() };
        let (isometry, age_secs) = self.frames.between(from, to, stamp).ok_or_else(missing)?;
        self.check_age(age_secs)?;
        if from != self.settings.pose_frame {
            return Ok(self.placed(isometry, age_secs, from));
        }
        self.localized.check(stamp)?;
        let std_dev_m = self.localized.std_dev_m();
        Ok(Placed { std_dev_m, ..self.placed(isometry, age_secs, from) })
    }

    fn placed(&self, isometry: Isometry3<f64>, age_secs: f64, frame: &str) -> Placed {
        let rotation = isometry.rotation.coords;
        // Both signs are the same rotation.
        let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
        Placed {
            position: isometry.translation.vector.into(),
            orientation: [rotation.x, rotation.y, rotation.z, rotation.w].map(|c| c * sign),
            frame: frame.to_owned(),
            // What odometry calls a place is none of the map.
            map_id: match frame == self.settings.pose_frame {
                true => self.settings.map_id.clone(),
                false => String::new(),
            },
            age_secs,
            std_dev_m: None,
        }
    }

    fn check_age(&self, age_secs: f64) -> Result<(), PoseMissing> {
        if age_secs > self.settings.age_secs_max {
            return Err(PoseMissing::Stale { secs: age_secs });
        }
        Ok(())
    }
}

/// The larger variance of x and y, m^2; `None`: not told, or not known, which drivers say by a negative one or
/// by zeros. Of z nothing is asked: those of planar robots write a million there.
fn variance_of(pose: &Pose) -> Option<f64> {
    let [x, y, ..] = pose.variances?;
    let variance = if x.is_nan() || y.is_nan() { f64::INFINITY } else { x.max(y) };
    (variance > 0.0).then_some(variance)
}

/// A frame's name without the slashes that ROS 1 put before it.
fn frame_name(name: &str) -> &str {
    name.trim_start_matches('/')
}

/// A place and a rotation, if they are one.
fn isometry(position: [f64; 3], rotation: [f64; 4]) -> Result<Isometry3<f64>, &'static str> {
    /// Meters from the origin of a frame: more than around the earth, and squares stay finite.
    const DISTANCE_M_MAX: f64 = 1e9;
    const NORMS: std::ops::RangeInclusive<f64> = 0.9..=1.1;
    if !position.iter().all(|c| c.abs() <= DISTANCE_M_MAX) {
        return Err("position is not finite");
    }
    let [x, y, z, w] = rotation;
    let rotation = Quaternion::new(w, x, y, z);
    // A rounded one is meant as a rotation, zeros are not.
    if !NORMS.contains(&rotation.norm()) {
        return Err("orientation is no rotation");
    }
    let rotation = UnitQuaternion::new_normalize(rotation);
    Ok(Isometry3::from_parts(Translation3::from(Vector3::from(position)), rotation))
}
