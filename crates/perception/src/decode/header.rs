use robot_memory_core::model::Stamp;
use robot_memory_messages::{CdrError, CdrReader};
use std::sync::Arc;

/// Reads `std_msgs/Header`.
#[derive(Debug, Default)]
pub(super) struct Header {
    frame_id: Option<Arc<str>>,
}

impl Header {
    /// The stamp, `None` for zero, and the frame: the same `Arc` as long as it stays the same.
    pub fn read(
        &mut self,
        reader: &mut CdrReader<'_>,
    ) -> Result<(Option<Stamp>, Arc<str>), CdrError> {
        self.read_parts(reader).map_err(|error| error.within("header"))
    }

    fn read_parts(
        &mut self,
        reader: &mut CdrReader<'_>,
    ) -> Result<(Option<Stamp>, Arc<str>), CdrError> {
        let stamp = given(reader.stamp()?);
        let bytes = reader.text_bytes()?;
        let frame_id = match &self.frame_id {
            Some(frame_id) if frame_id.as_bytes() == bytes => Arc::clone(frame_id),
            _ => Arc::clone(self.frame_id.insert(String::from_utf8_lossy(bytes).into())),
        };
        Ok((stamp, frame_id))
    }
}

/// A stamp of zero is one that nobody filled in.
pub(super) fn given(stamp: Stamp) -> Option<Stamp> {
    (stamp != Stamp(0)).then_some(stamp)
}
