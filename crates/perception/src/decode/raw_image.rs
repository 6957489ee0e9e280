use super::header::Header;
use super::{Decode, Fault};
use crate::{Image, ImageFormat, Reading, Value};
use robot_memory_messages::CdrReader;

/// `sensor_msgs/Image`; its pixels stay where they are.
#[derive(Debug, Default)]
pub(super) struct RawImage {
    header: Header,
}

impl Decode for RawImage {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let mut reader = CdrReader::new(message)?;
        let (stamp, frame_id) = self.header.read(&mut reader)?;
        let (height, width) = (reader.u32()?, reader.u32()?);
        let encoding = reader.text().map_err(|error| error.within("encoding"))?.into_owned();
        let is_bigendian = reader.u8()? != 0;
        let step = reader.u32()?;
        let given = reader.count(1).map_err(|error| error.within("data"))?;
        let begin = reader.at();
        if width == 0 || height == 0 {
            return Err(Fault::NoPixels { width, height });
        }
        if u64::from(height) * u64::from(step) > given as u64 {
            return Err(Fault::PixelsMissing { height, step, given });
        }
        let format = ImageFormat::Raw { encoding, width, height, step, is_bigendian };
        let value = Value::Image(Image { format, bytes: begin..begin + given });
        Ok(Reading { stamp, frame_id, value })
    }
}
