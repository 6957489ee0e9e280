use super::Fault;
use crate::{Image, ImageFormat, Value};
use robot_memory_messages::CdrReader;

/// `sensor_msgs/CompressedImage`; its file stays where it is.
pub(super) fn compressed(reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
    let format = reader.text().map_err(|error| error.within("format"))?.into_owned();
    let given = reader.count(1).map_err(|error| error.within("data"))?;
    let bytes = reader.at()..reader.at() + given;
    if given == 0 {
        return Err(Fault::NoPixels { width: 0, height: 0 });
    }
    Ok(Value::Image(Image { format: ImageFormat::Compressed(format), bytes }))
}

/// `sensor_msgs/Image`; its pixels stay where they are.
pub(super) fn raw(reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
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
    Ok(Value::Image(Image { format, bytes: begin..begin + given }))
}
