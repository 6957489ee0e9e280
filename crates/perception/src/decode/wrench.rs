use super::{Body, Fault};
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Value};
use robot_memory_messages::{CdrReader, Primitive};
use std::sync::Arc;

/// `geometry_msgs/Wrench` and `WrenchStamped`.
#[derive(Debug)]
pub(super) struct Wrench {
    layout: Arc<Layout>,
}

impl Default for Wrench {
    fn default() -> Self {
        let channels = vectors([("force", Quantity::Force), ("torque", Quantity::Torque)]);
        Self { layout: Arc::new(Layout { kind: LayoutKind::Wrench, channels }) }
    }
}

impl Body for Wrench {
    fn read(&mut self, reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
        let mut values = Vec::with_capacity(6);
        reader.numbers(Primitive::F64, 6, &mut values)?;
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&self.layout), values }))
    }
}

/// Channels of two vectors: `force.x`, `force.y` ...
pub(super) fn vectors(names: [(&str, Quantity); 2]) -> Vec<Channel> {
    let axes = |(name, quantity)| {
        ["x", "y", "z"].map(|axis| Channel { name: format!("{name}.{axis}"), quantity })
    };
    names.into_iter().flat_map(axes).collect()
}
