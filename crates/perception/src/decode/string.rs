use super::{Decode, Fault};
use crate::{Reading, Value};
use robot_memory_core::limits::TEXT_BYTES_MAX;
use robot_memory_messages::{CdrReader, beginning};
use std::sync::Arc;

/// `std_msgs/String`.
#[derive(Debug)]
pub(super) struct String;

impl Decode for String {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let value = Value::Text(cut(CdrReader::new(message)?.text()?.into_owned()));
        Ok(Reading { stamp: None, frame_id: Arc::default(), value })
    }
}

/// The first [`TEXT_BYTES_MAX`] bytes of a text: readings wait in memory.
pub(super) fn cut(mut text: std::string::String) -> std::string::String {
    if text.len() > TEXT_BYTES_MAX {
        text.truncate(beginning(&text, TEXT_BYTES_MAX).len());
        text.shrink_to_fit();
    }
    text
}
