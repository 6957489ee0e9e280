use super::header::Header;
use super::wrench::vectors;
use super::{Decode, Fault};
use crate::{Layout, LayoutKind, Numbers, Quantity, Reading, Value};
use robot_memory_messages::CdrReader;
use std::sync::Arc;

/// `sensor_msgs/Imu`; its orientation is an estimate, not a measurement, and is left out.
#[derive(Debug)]
pub(super) struct Imu {
    header: Header,
    layout: Arc<Layout>,
}

impl Default for Imu {
    fn default() -> Self {
        let channels = vectors([
            ("angular_velocity", Quantity::AngularVelocity),
            ("linear_acceleration", Quantity::Acceleration),
        ]);
        let layout = Arc::new(Layout { kind: LayoutKind::Imu, channels });
        Self { header: Header::default(), layout }
    }
}

impl Decode for Imu {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let mut reader = CdrReader::new(message)?;
        let (stamp, frame_id) = self.header.read(&mut reader)?;
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
        let numbers = Numbers { layout: Arc::clone(&self.layout), values };
        Ok(Reading { stamp, frame_id, value: Value::Numbers(numbers) })
    }
}
