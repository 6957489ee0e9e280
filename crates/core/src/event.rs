//! What a robot felt or saw, as it is handed over to be remembered.

use crate::model::{PerceptionType, Stamp, text_enum};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

text_enum! {
    /// What makes an event.
    TriggerKind {
        /// A touch: from the force's rise to its release.
        Contact = "contact",
        /// A force that rises faster than by handling.
        Impact = "impact",
        /// Something held that moves in the grip.
        Slip = "slip",
        /// A boolean that changes, as a protective stop.
        Edge = "edge",
        /// A text that changes.
        Change = "change",
        /// Joints that move: from start to stop.
        Motion = "motion",
        /// A change against the stream's own recent statistics.
        Novelty = "novelty",
        /// A picture that differs from the last one kept.
        Keyframe = "keyframe",
        /// A component, or a line of a log, that reaches a level, as ERROR.
        Level = "level",
        /// A number that passes a bound.
        Threshold = "threshold",
        /// A battery: low, critical, charging, charged.
        Charge = "charge",
        /// A robot that is commanded and does not move.
        Stuck = "stuck",
        /// A robot that drives: from start to stop.
        Drive = "drive",
        /// An operator who begins to command.
        Takeover = "takeover",
        /// Time that has passed.
        Periodic = "periodic",
        /// Somebody asked for it.
        Capture = "capture",
    }
}

/// A duration as sentences tell it: to 0.01 s below one second, to 0.1 s below two minutes, to 0.1 min from there on.
pub fn told_secs(secs: f64) -> f64 {
    match secs.abs() {
        size if size >= 120.0 => (secs / 6.0).round() * 6.0,
        size if size < 1.0 => (secs * 100.0).round() / 100.0,
        _ => (secs * 10.0).round() / 10.0,
    }
}

impl TriggerKind {
    /// Worth of keeping what it makes, 0 to 1, when the stream does not say: what somebody asked for,
    /// then what should not have happened, then what was done, then what only passed.
    pub const fn importance(self) -> f64 {
        match self {
            Self::Capture => 0.9,
            Self::Edge | Self::Impact | Self::Stuck => 0.8,
            Self::Slip | Self::Level | Self::Takeover => 0.7,
            Self::Contact | Self::Threshold | Self::Charge => 0.6,
            Self::Change | Self::Novelty => 0.5,
            Self::Motion | Self::Drive => 0.4,
            Self::Keyframe => 0.3,
            Self::Periodic => 0.2,
        }
    }
}

text_enum! {
    /// What kind of thing a stream of numbers measures.
    LayoutKind {
        /// Force x, y, z and torque x, y, z (`geometry_msgs/Wrench`).
        Wrench = "wrench",
        /// Position, velocity and effort of joints (`sensor_msgs/JointState`).
        Joints = "joints",
        /// Taxels, or any other array of numbers (`std_msgs/Float32MultiArray`).
        Taxels = "taxels",
        /// Angular velocity x, y, z and linear acceleration x, y, z (`sensor_msgs/Imu`).
        Imu = "imu",
        /// Numbers found by a path in a message of any type.
        Plain = "plain",
    }
}

/// Something that happened, finished and ready to be remembered.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The same for the same activity, heard or imported: an event is stored once.
    pub key: String,
    /// Shared by all that happened at the same time.
    pub event_id: String,
    /// When it began: message or ROS time.
    pub stamp: Stamp,
    pub end: Stamp,
    pub stream: String,
    pub topic: String,
    pub trigger: TriggerKind,
    /// The sense.
    pub perception_type: PerceptionType,
    /// A sentence.
    pub description: String,
    /// JSON: the sampled window (docs/events.md).
    pub data: String,
    /// JSON object: rates, frame, topic, trigger.
    pub metadata: String,
    /// JSON object: where the robot was.
    pub context: String,
    /// Worth of keeping, 0 to 1.
    pub importance: f64,
    /// Empty: the default collection.
    pub collection: String,
    /// What it felt like.
    pub signature: Option<Signature>,
    /// The raw messages of the window, in the order of their stamps, when a clip is asked for. They are
    /// written to the clip's file, and to nothing else.
    #[serde(skip)]
    pub clip: Vec<ClipMessage>,
}

/// A window of numbers as one point: near points felt alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "(SignatureKind, Vec<f32>)", into = "(SignatureKind, Vec<f32>)")]
pub struct Signature {
    /// Only signatures of one kind are compared.
    pub kind: SignatureKind,
    /// Of the kind's fixed length; finite.
    pub values: Vec<f32>,
}

impl From<(SignatureKind, Vec<f32>)> for Signature {
    fn from((kind, values): (SignatureKind, Vec<f32>)) -> Self {
        Self { kind, values }
    }
}

impl From<Signature> for (SignatureKind, Vec<f32>) {
    fn from(Signature { kind, values }: Signature) -> Self {
        (kind, values)
    }
}

/// Of which kind of numbers a signature is.
pub type SignatureKind = LayoutKind;

/// A raw message for a clip.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct ClipMessage {
    pub topic: String,
    /// `sensor_msgs/msg/JointState`.
    pub type_name: Arc<str>,
    /// The type's definition in the concatenated form of MCAP's `ros2msg`; empty when not known.
    pub definition: Arc<str>,
    /// When it was received.
    pub received: Stamp,
    /// When it holds.
    pub stamp: Stamp,
    /// The message, CDR with its header of four bytes.
    pub bytes: Arc<[u8]>,
}
