use super::wrench::vectors;
use super::{Body, Fault};
use crate::{Layout, LayoutKind, Numbers, Quantity, Value};
use robot_memory_messages::CdrReader;
use std::sync::Arc;

/// `sensor_msgs/Imu`; its orientation is an estimate, not a measurement, and is left out.
#[derive(Debug)]
pub(super) struct Imu {
    layout: Arc<Layout>,
}

impl Default for Imu {
    fn default() -> Self {
        let channels = vectors([
            ("angular_velocity", Quantity::AngularVelocity),
            ("linear_acceleration", Quantity::Acceleration),
        ]);
        Self { layout: Arc::new(Layout { kind: LayoutKind::Imu, channels }) }
    }
}

impl Body for Imu {
    fn read(&mut self, reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
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
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&self.layout), values }))
    }
}
