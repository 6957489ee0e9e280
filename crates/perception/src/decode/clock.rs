use super::number::plain;
use super::{Body, DecodeError};
use crate::{Numbers, Value};
use robot_memory_core::model::Stamp;
use robot_memory_messages::CdrReader;
use std::sync::Arc;

/// `rosgraph_msgs/Clock`: its time in seconds as the number `clock`.
pub(super) fn clock() -> Body {
    let layout = plain(vec!["clock".to_owned()]);
    Box::new(move |reader| {
        let values = vec![reader.stamp()?.0 as f64 / 1e9];
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
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
