use super::header::Header;
use super::{Decode, Fault};
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Reading, Value};
use robot_memory_messages::{CdrReader, Primitive};
use std::sync::Arc;

/// `geometry_msgs/Wrench` and `WrenchStamped`.
#[derive(Debug)]
pub(super) struct Wrench {
    header: Option<Header>,
    layout: Arc<Layout>,
}

impl Wrench {
    pub fn new(is_stamped: bool) -> Self {
        let channels = vectors([("force", Quantity::Force), ("torque", Quantity::Torque)]);
        let layout = Arc::new(Layout { kind: LayoutKind::Wrench, channels });
        Self { header: is_stamped.then(Header::default), layout }
    }
}

impl Decode for Wrench {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let mut reader = CdrReader::new(message)?;
        let (stamp, frame_id) = match &mut self.header {
            Some(header) => header.read(&mut reader)?,
            None => (None, Arc::default()),
        };
        let mut values = Vec::with_capacity(6);
        reader.numbers(Primitive::F64, 6, &mut values)?;
        let numbers = Numbers { layout: Arc::clone(&self.layout), values };
        Ok(Reading { stamp, frame_id, value: Value::Numbers(numbers) })
    }
}

/// Channels of two vectors: `force.x`, `force.y` ...
pub(super) fn vectors(names: [(&str, Quantity); 2]) -> Vec<Channel> {
    let axes = |(name, quantity)| {
        ["x", "y", "z"].map(|axis| Channel { name: format!("{name}.{axis}"), quantity })
    };
    names.into_iter().flat_map(axes).collect()
}
