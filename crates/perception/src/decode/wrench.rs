use super::Body;
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Value};
use robot_memory_messages::Primitive;
use std::sync::Arc;

/// `geometry_msgs/Wrench` and `WrenchStamped`.
pub(super) fn wrench() -> Body {
    let channels = vectors([("force", Quantity::Force), ("torque", Quantity::Torque)]);
    let layout = Arc::new(Layout { kind: LayoutKind::Wrench, channels });
    Box::new(move |reader| {
        let mut values = Vec::with_capacity(6);
        reader.numbers(Primitive::F64, 6, &mut values)?;
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
}

/// Channels of two vectors: `force.x`, `force.y` ...
pub(super) fn vectors(names: [(&str, Quantity); 2]) -> Vec<Channel> {
    let axes = |(name, quantity)| {
        ["x", "y", "z"].map(|axis| Channel { name: format!("{name}.{axis}"), quantity })
    };
    names.into_iter().flat_map(axes).collect()
}
