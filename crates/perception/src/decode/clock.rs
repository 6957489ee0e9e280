use super::header::given;
use super::number::plain;
use super::{Decode, DecodeError, Fault};
use crate::{Layout, Numbers, Sample, Value};
use robot_memory_core::model::Stamp;
use robot_memory_messages::CdrReader;
use std::sync::Arc;

/// `rosgraph_msgs/Clock`: its time as the stamp, and in seconds as the number `clock`.
#[derive(Debug)]
pub(super) struct Clock {
    layout: Arc<Layout>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { layout: plain(vec!["clock".to_owned()]) }
    }
}

impl Decode for Clock {
    fn decode(&mut self, message: &[u8]) -> Result<Sample, Fault> {
        let stamp = CdrReader::new(message)?.stamp()?;
        let values = vec![stamp.0 as f64 / 1e9];
        let value = Value::Numbers(Numbers { layout: Arc::clone(&self.layout), values });
        Ok(Sample { stamp: given(stamp), frame_id: Arc::default(), value })
    }
}

/// The time that a `rosgraph_msgs/Clock` tells; zero, too.
///
/// # Errors
/// The message is not whole.
pub fn stamp_of_clock(message: &[u8]) -> Result<Stamp, DecodeError> {
    let stamp = CdrReader::new(message).and_then(|mut reader| reader.stamp());
    stamp.map_err(|error| DecodeError::Message {
        type_name: "rosgraph_msgs/msg/Clock".to_owned(),
        fault: error.into(),
    })
}
