//! What is not said about a stream: defaults, by the type of its topic.

use super::{keys, names};
use crate::decode::are_detections;
use crate::{QosOverrides, Selection, StreamSettings, TriggerKind, TriggerSettings};
use robot_memory_core::model::PerceptionType;
use std::collections::BTreeMap;

/// Pictures that are looked at each second: a view changes slowly, and decoding a JPEG takes
/// milliseconds.
const IMAGE_RATE_MAX_HZ: f64 = 5.0;
/// Events a minute of a stream that measures: more is a trigger that is not set right.
const EVENTS_PER_MINUTE_MAX: u32 = 60;

/// What the types that are known by themselves say.
struct Defaults {
    perception_type: PerceptionType,
    triggers: &'static [TriggerKind],
    rate_max_hz: f64,
    events_per_minute_max: u32,
}

/// `None` for a type that is listened to by a `field` only.
fn defaults(type_name: &str) -> Option<Defaults> {
    use PerceptionType::{Procedural, Proprioceptive, Tactile, Visual};
    use TriggerKind::{
        Change, Charge, Contact, Drive, Edge, Impact, Keyframe, Level, Motion, Novelty, Slip,
        Stuck, Takeover, Threshold,
    };
    let (perception_type, triggers): (_, &'static [TriggerKind]) = match type_name {
        "sensor_msgs/msg/JointState" => (Proprioceptive, &[Motion]),
        "geometry_msgs/msg/Wrench" | "geometry_msgs/msg/WrenchStamped" => {
            (Tactile, &[Contact, Impact])
        }
        "std_msgs/msg/Float32MultiArray" | "std_msgs/msg/Float64MultiArray" => {
            (Tactile, &[Contact, Slip])
        }
        "sensor_msgs/msg/Image" | "sensor_msgs/msg/CompressedImage" => (Visual, &[Keyframe]),
        "diagnostic_msgs/msg/DiagnosticArray" => (Proprioceptive, &[Level]),
        "rcl_interfaces/msg/Log" => (Procedural, &[Level]),
        "sensor_msgs/msg/BatteryState" => (Proprioceptive, &[Charge]),
        "sensor_msgs/msg/Range" | "sensor_msgs/msg/LaserScan" => (Tactile, &[Threshold]),
        "sensor_msgs/msg/PointCloud2" => (Visual, &[Threshold]),
        "sensor_msgs/msg/Joy" => (Procedural, &[Takeover]),
        "geometry_msgs/msg/Twist" | "geometry_msgs/msg/TwistStamped" => (Proprioceptive, &[Stuck]),
        "nav_msgs/msg/Odometry" => (Proprioceptive, &[Drive]),
        "control_msgs/msg/DynamicJointState" => (Proprioceptive, &[Motion]),
        "sensor_msgs/msg/Temperature"
        | "sensor_msgs/msg/FluidPressure"
        | "sensor_msgs/msg/MagneticField" => (Proprioceptive, &[Novelty]),
        "sensor_msgs/msg/Imu" => (Proprioceptive, &[Impact]),
        // What a robot says about itself: a stop, a state, a step of its program.
        "std_msgs/msg/Bool" => (Proprioceptive, &[Edge]),
        "std_msgs/msg/String" => (Procedural, &[Change]),
        "std_msgs/msg/Float32" | "std_msgs/msg/Float64" => (Proprioceptive, &[Novelty]),
        // They become objects, not events.
        detections if are_detections(detections) => (Visual, &[]),
        integers if is_integer(integers.trim_end_matches("MultiArray")) => {
            (Proprioceptive, &[Novelty])
        }
        _ => return None,
    };
    // Pictures and clouds.
    let is_image = perception_type == Visual && !triggers.is_empty();
    let is_said = matches!(triggers, [Edge | Change]);
    Some(Defaults {
        perception_type,
        triggers,
        rate_max_hz: if is_image { IMAGE_RATE_MAX_HZ } else { 0.0 },
        events_per_minute_max: if is_said { 0 } else { EVENTS_PER_MINUTE_MAX },
    })
}

/// Whether it is one of the types from `std_msgs/msg/Int8` to `std_msgs/msg/UInt64`.
fn is_integer(type_name: &str) -> bool {
    let name = type_name.strip_prefix("std_msgs/msg/").unwrap_or_default();
    let bits = name.strip_prefix('U').unwrap_or(name).strip_prefix("Int");
    matches!(bits, Some("8" | "16" | "32" | "64"))
}

/// The settings of a topic that nobody configured; `None` when its type has no numbers, words or
/// pictures of its own (poses, transforms, the clock) or needs a `field`. `type_name` is a full name.
pub fn of_topic(topic: &str, type_name: &str) -> Option<StreamSettings> {
    defaults(type_name)?;
    // Commands are passed on and smoothed on topics of other names.
    let is_twist = type_name.starts_with("geometry_msgs/msg/Twist");
    let is_obeyed = matches!(topic.rsplit('/').next(), Some("cmd_vel" | "cmd_vel_unstamped"));
    if is_twist && !is_obeyed && !names::is_teleop(topic) {
        return None;
    }
    Some(StreamSettings { type_name: Some(type_name.to_owned()), ..StreamSettings::new(topic) })
}

impl StreamSettings {
    /// The settings of a stream of which nothing but the topic is said. Its name is the topic without
    /// the slash at its start.
    pub fn new(topic: &str) -> Self {
        let value = |key: &keys::NumberKey| key.default.unwrap_or_default();
        Self {
            name: topic.trim_start_matches("~/").trim_start_matches('/').to_owned(),
            topic: topic.to_owned(),
            type_name: None,
            field: None,
            selection: Selection::default(),
            perception_type: None,
            triggers: None,
            before_secs: value(&keys::BEFORE_SECS),
            after_secs: value(&keys::AFTER_SECS),
            event_secs_max: value(&keys::EVENT_SECS_MAX),
            sample_rate_hz: value(&keys::SAMPLE_RATE_HZ),
            with_others: true,
            rate_max_hz: None,
            events_per_minute_max: None,
            events_per_day_max: value(&keys::EVENTS_PER_DAY_MAX) as u32,
            ring_bytes_max: value(&keys::RING_BYTES_MAX) as usize,
            thumbnail_bytes_max: value(&keys::THUMBNAIL_BYTES_MAX) as usize,
            clip: false,
            importance: None,
            collection: String::new(),
            qos: QosOverrides::default(),
        }
    }

    /// These settings for messages of a type: what is as the type says (`None`) is filled in, but for
    /// `importance`, which is as the trigger says. A type that is not known is watched for novelty.
    /// `type_name` is a full name.
    pub fn completed(&self, type_name: &str) -> Self {
        let known = defaults(type_name);
        let other = Defaults {
            perception_type: PerceptionType::Proprioceptive,
            triggers: &[TriggerKind::Novelty],
            rate_max_hz: 0.0,
            events_per_minute_max: EVENTS_PER_MINUTE_MAX,
        };
        let by_type = known.unwrap_or(other);
        // The numbers at a path are no longer known to be joints that move or a body that is hit; the `data`
        // of a boolean or a text is all of it.
        let is_part = self.field.is_some()
            && !matches!(
                by_type.triggers,
                [TriggerKind::Contact, _]
                    | [TriggerKind::Keyframe | TriggerKind::Edge | TriggerKind::Change]
            );
        let is_operated = by_type.triggers == [TriggerKind::Stuck] && names::is_teleop(&self.topic);
        let kinds = match (is_part, is_operated) {
            (true, _) => &[TriggerKind::Novelty],
            (_, true) => &[TriggerKind::Takeover],
            _ => by_type.triggers,
        };
        let by_default = || kinds.iter().map(|kind| (*kind).into()).collect();
        let mut triggers: Vec<TriggerSettings> = self.triggers.clone().unwrap_or_else(by_default);
        if names::is_stop(&self.topic) || names::is_stop(&self.name) {
            // It may have been pressed before it was heard.
            for edge in triggers.iter_mut().filter(|one| one.kind == TriggerKind::Edge) {
                edge.parameters.entry("first".to_owned()).or_insert(1.0);
            }
        }
        // What is counted one by one must not be cut off: a field of an own type may be a boolean.
        let is_said = !triggers.is_empty()
            && triggers
                .iter()
                .all(|trigger| matches!(trigger.kind, TriggerKind::Edge | TriggerKind::Change));
        let per_minute = if is_said { 0 } else { by_type.events_per_minute_max };
        Self {
            type_name: Some(type_name.to_owned()),
            perception_type: Some(self.perception_type.unwrap_or(by_type.perception_type)),
            triggers: Some(triggers),
            rate_max_hz: Some(self.rate_max_hz.unwrap_or(by_type.rate_max_hz)),
            events_per_minute_max: Some(self.events_per_minute_max.unwrap_or(per_minute)),
            ..self.clone()
        }
    }
}

impl From<TriggerKind> for TriggerSettings {
    /// With its default parameters.
    fn from(kind: TriggerKind) -> Self {
        Self { kind, parameters: BTreeMap::new() }
    }
}
