use super::{Selection, TriggerKind};
use robot_memory_core::model::{PerceptionType, text_enum};
use std::collections::BTreeMap;

/// What one topic is listened to for.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamSettings {
    /// Its name in memories and diagnostics, unique among the streams.
    pub name: String,
    /// The topic; resolved in the node's namespace.
    pub topic: String,
    /// `sensor_msgs/msg/JointState`; `None`: that of who publishes the topic.
    pub type_name: Option<String>,
    /// Where in a message its numbers, text or boolean are; `None`: as its type says.
    pub field: Option<String>,
    /// Which records of a message are looked at.
    pub selection: Selection,
    /// `None`: as its type says.
    pub perception_type: Option<PerceptionType>,
    /// What makes events; `None`: as its type says. Empty: none, it is only kept beside the others.
    pub triggers: Option<Vec<TriggerSettings>>,
    /// Seconds kept from before an event begins.
    pub before_secs: f64,
    /// Seconds kept after it ends.
    pub after_secs: f64,
    /// Seconds after which an event that does not end is closed.
    pub event_secs_max: f64,
    /// Samples a second in what is kept of numbers.
    pub sample_rate_hz: f64,
    /// Whether the numbers of other streams are kept beside this one's events.
    pub with_others: bool,
    /// Messages a second that are looked at; 0: all; `None`: as its type says. The others are counted.
    pub rate_max_hz: Option<f64>,
    /// Events a minute that are kept, the first ones; 0: all; `None`: as its type says. The others are
    /// counted.
    pub events_per_minute_max: Option<u32>,
    /// Events a day (UTC) that are kept; 0: all. The others are counted.
    pub events_per_day_max: u32,
    /// Bytes of messages kept for what may begin; the oldest go first.
    pub ring_bytes_max: usize,
    /// Bytes of an image's thumbnail; 0: none.
    pub thumbnail_bytes_max: usize,
    /// Whether the raw messages are also written to a clip.
    pub clip: bool,
    /// Worth of keeping, 0 to 1; `None`: as the trigger says.
    pub importance: Option<f64>,
    /// Empty: the default collection.
    pub collection: String,
    /// How it is subscribed to.
    pub qos: QosOverrides,
}

/// A trigger and what it was told.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerSettings {
    pub kind: TriggerKind,
    /// Its parameters by name; those not given have their defaults.
    pub parameters: BTreeMap<String, f64>,
}

/// What is asked of a subscription; `None`: what fits all that publish, best effort else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QosOverrides {
    /// Whether lost messages are sent again.
    pub reliability: Option<Reliability>,
    /// Whether messages from before the subscription are sent.
    pub durability: Option<Durability>,
    /// Messages that may wait in the middleware.
    pub depth: Option<u32>,
}

text_enum! {
    /// QoS reliability.
    Reliability {
        /// Sent again when lost.
        Reliable = "reliable",
        /// Sent once.
        BestEffort = "best_effort",
    }
}

text_enum! {
    /// QoS durability.
    Durability {
        /// From now on.
        Volatile = "volatile",
        /// The last ones from before, too.
        TransientLocal = "transient_local",
    }
}
