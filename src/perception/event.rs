use super::{LayoutKind, TriggerKind};
use crate::model::{PerceptionType, Stamp};
use std::sync::Arc;

/// Something that happened, finished and ready to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The same for the same happening, heard or imported: an event is stored once.
    pub key: String,
    /// Shared by all that happened at the same time.
    pub event_id: String,
    /// When it began: message or ROS time.
    pub stamp: Stamp,
    /// When it ended.
    pub end: Stamp,
    /// The stream's name.
    pub stream: String,
    /// Its topic.
    pub topic: String,
    /// What made it.
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
    /// The raw messages of the window, in the order of their stamps, when a clip is asked for.
    pub clip: Vec<ClipMessage>,
}

/// A window of numbers as one point: near points felt alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// Only signatures of one kind are compared.
    pub kind: SignatureKind,
    /// Of the kind's fixed length; finite.
    pub values: Vec<f32>,
}

/// Of which kind of numbers a signature is.
pub type SignatureKind = LayoutKind;

/// A raw message for a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct ClipMessage {
    /// Its topic.
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
