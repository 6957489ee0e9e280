//! From messages to events: what a robot felt and saw, with what led up to it; and to objects: where the
//! things are that detectors saw.
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
mod event_text;
mod facts;
pub mod objects;
pub mod picture;
mod pose;
mod recorder;
mod sample;
mod selection;
pub mod settings;
mod signal;
mod span;
mod stream;
pub mod trigger;

pub use describe::Sense;
pub use event_text::{Activity, event_text};
pub use pose::{FrameTree, Placed, PoseMissing, PoseSettings, PoseTrack};
pub use recorder::{
    Capture, Received, Recorder, RecorderSettings, Source, StreamCounts, StreamError, has_header,
    header_stamp,
};
pub use robot_memory_core::event::{
    ClipMessage, Event, LayoutKind, Signature, SignatureKind, TriggerKind,
};
pub use sample::{
    Channel, Image, ImageFormat, Layout, Numbers, Pose, Quantity, Report, ReportLevel, Sample,
    Transform, Value,
};
pub use selection::{Selection, is_like};
pub use settings::{SettingsError, Streams};
pub use signal::{Edge, Measure, Signal};
pub use stream::{Durability, QosOverrides, Reliability, StreamSettings, TriggerSettings};
pub use trigger::Trigger;
