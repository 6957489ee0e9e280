//! From messages to events: what a robot felt and saw, with what led up to it.
//!
//! Pure: messages and the time go in, finished events come out. The same messages with the same
//! stamps give the same events, whether they are heard on a robot or read from a bag.

mod clip_texts;
pub mod decode;
mod describe;
mod event;
mod facts;
pub mod picture;
mod pose;
mod reading;
mod recorder;
pub mod settings;
mod signal;
pub mod signature;
mod span;
mod stream;
mod told;
pub mod trigger;

pub use clip_texts::ClipTexts;
pub use describe::Sense;
pub use event::{ClipMessage, Event, Signature, SignatureKind};
pub use pose::{Placed, PoseMissing, PoseSettings, PoseTrack};
pub use reading::{
    Channel, Image, ImageFormat, Layout, LayoutKind, Numbers, Pose, Quantity, Reading, Transform,
    Value,
};
pub use recorder::{
    Capture, Received, Recorder, RecorderSettings, Source, StreamCounts, StreamError, has_header,
    header_stamp,
};
pub use settings::{SettingsError, Streams};
pub use signal::{Edge, Measure, Signal, TriggerKind};
pub use stream::{Durability, QosOverrides, Reliability, StreamSettings, TriggerSettings};
pub use told::{Happening, told};
pub use trigger::Trigger;
