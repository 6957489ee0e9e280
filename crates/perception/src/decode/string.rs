use super::Fault;
use crate::Value;
use robot_memory_core::limits::TEXT_BYTES_MAX;
use robot_memory_messages::{CdrReader, beginning};

/// `std_msgs/String`.
pub(super) fn string(reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
    Ok(Value::Text(cut(reader.text()?.into_owned())))
}

/// The first [`TEXT_BYTES_MAX`] bytes of a text: readings wait in memory.
pub(super) fn cut(mut text: String) -> String {
    if text.len() > TEXT_BYTES_MAX {
        text.truncate(beginning(&text, TEXT_BYTES_MAX).len());
        text.shrink_to_fit();
    }
    text
}
