use super::{Decode, Fault};
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Reading, Value};
use robot_memory_messages::{CdrReader, Primitive};
use std::sync::Arc;

/// `std_msgs/Float64` and its like: one number, `data`.
#[derive(Debug)]
pub(super) struct Number {
    primitive: Primitive,
    layout: Arc<Layout>,
}

impl Number {
    pub fn new(primitive: Primitive) -> Self {
        Self { primitive, layout: plain(vec!["data".to_owned()]) }
    }
}

impl Decode for Number {
    fn decode(&mut self, message: &[u8]) -> Result<Reading, Fault> {
        let number = CdrReader::new(message)?.number(self.primitive)?;
        let numbers = Numbers { layout: Arc::clone(&self.layout), values: vec![number] };
        Ok(Reading { stamp: None, frame_id: Arc::default(), value: Value::Numbers(numbers) })
    }
}

/// A layout of numbers of which no more is known than their names.
pub(super) fn plain(names: Vec<String>) -> Arc<Layout> {
    let channels =
        names.into_iter().map(|name| Channel { name, quantity: Quantity::Unknown }).collect();
    Arc::new(Layout { kind: LayoutKind::Plain, channels })
}
