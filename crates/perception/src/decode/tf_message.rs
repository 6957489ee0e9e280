use super::Fault;
use super::header::given;
use crate::{Transform, Value};
use robot_memory_core::limits::MESSAGE_NUMBERS_MAX;
use robot_memory_messages::{CdrError, CdrReader};

/// Bytes of a `geometry_msgs/TransformStamped` at least.
const TRANSFORM_BYTES_MIN: usize = 72;

/// `tf2_msgs/TFMessage`. Transforms that are not finite are left out.
pub(super) fn transforms(reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
    let count = reader.count(TRANSFORM_BYTES_MIN).map_err(|error| error.within("transforms"))?;
    if count > MESSAGE_NUMBERS_MAX {
        return Err(Fault::TooMany { what: "transforms", count });
    }
    let mut transforms = Vec::with_capacity(count);
    for index in 0..count {
        let transform = read_transform(reader)
            .map_err(|error| error.within(&format!("transforms[{index}]")))?;
        let numbers = transform.translation.iter().chain(&transform.rotation);
        if numbers.into_iter().all(|number| number.is_finite()) {
            transforms.push(transform);
        }
    }
    Ok(Value::Transforms(transforms))
}

fn read_transform(reader: &mut CdrReader<'_>) -> Result<Transform, CdrError> {
    Ok(Transform {
        stamp: given(reader.stamp()?),
        parent: reader.text()?.into_owned(),
        child: reader.text()?.into_owned(),
        translation: reader.f64_array()?,
        rotation: reader.f64_array()?,
    })
}
