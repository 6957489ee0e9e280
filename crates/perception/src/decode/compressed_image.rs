use super::header::Header;
use super::{Decode, Fault};
use crate::{Image, ImageFormat, Reading, Value};
use robot_memory_messages::CdrReader;

/// `sensor_msgs/CompressedImage`; its file stays where it is.
#[derive(Debug, Default)]
pub(super) struct CompressedImage {
    header: Header,
}

impl Decode for CompressedImage {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let mut reader = CdrReader::new(message)?;
        let (stamp, frame_id) = self.header.read(&mut reader)?;
        let format = reader.text().map_err(|error| error.within("format"))?.into_owned();
        let given = reader.count(1).map_err(|error| error.within("data"))?;
        let bytes = reader.at()..reader.at() + given;
        if given == 0 {
            return Err(Fault::NoPixels { width: 0, height: 0 });
        }
        let value = Value::Image(Image { format: ImageFormat::Compressed(format), bytes });
        Ok(Reading { stamp, frame_id, value })
    }
}
