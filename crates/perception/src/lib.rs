//! From messages to events: what a robot felt and saw, with what led up to it.
//!
//! Pure: messages and the time go in, finished events come out. The same messages with the same
//! stamps give the same events, whether they are heard on a robot or read from a bag.
//!
//! ```
//! use robot_memory_perception::Streams;
//!
//! assert!(Streams::parse("[{topic: /wrench, type: geometry_msgs/msg/WrenchStamped}]").is_ok());
//! let refused = Streams::parse("[{topic: /wrench, trigger: []}]").unwrap_err();
//! assert!(refused.to_string().contains("triggers"));
//! ```

#![warn(missing_docs)]

pub mod decode;
mod describe;
mod facts;
pub mod picture;
mod pose;
mod reading;
mod recorder;
pub mod settings;
mod signal;
mod span;
mod stream;
mod told;
pub mod trigger;

pub use describe::Sense;
pub use pose::{Placed, PoseMissing, PoseSettings, PoseTrack};
pub use reading::{
    Channel, Image, ImageFormat, Layout, Numbers, Pose, Quantity, Reading, Transform, Value,
};
pub use recorder::{
    Capture, Received, Recorder, RecorderSettings, Source, StreamCounts, StreamError, has_header,
    header_stamp,
};
pub use robot_memory_core::event::{
    ClipMessage, Event, LayoutKind, Signature, SignatureKind, TriggerKind,
};
pub use settings::{SettingsError, Streams};
pub use signal::{Edge, Measure, Signal};
pub use stream::{Durability, QosOverrides, Reliability, StreamSettings, TriggerSettings};
pub use told::{Happening, told};
pub use trigger::Trigger;
