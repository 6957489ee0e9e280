use super::Body;
use super::wrench::vectors;
use crate::{Layout, LayoutKind, Numbers, Quantity, Value};
use std::sync::Arc;

/// `sensor_msgs/Imu`; its orientation is an estimate, not a measurement, and is left out.
pub(super) fn imu() -> Body {
    let channels = vectors([
        ("angular_velocity", Quantity::AngularVelocity),
        ("linear_acceleration", Quantity::Acceleration),
    ]);
    let layout = Arc::new(Layout { kind: LayoutKind::Imu, channels });
    Box::new(move |reader| {
        let _orientation_and_covariance: [f64; 13] = reader.f64_array()?;
        let mut values = Vec::with_capacity(6);
        for _ in 0..2 {
            let vector = reader.f64_array::<3>()?;
            let covariance = reader.f64_array::<9>()?;
            // As its definition says: -1 at first where the sensor measures no such thing.
            let is_measured = covariance[0] != -1.0;
            values.extend(vector.map(|number| match is_measured && number.is_finite() {
                true => number,
                false => f64::NAN,
            }));
        }
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
}
