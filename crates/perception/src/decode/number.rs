use super::{Body, Fault};
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Value};
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

impl Body for Number {
    fn read(&mut self, reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
        let values = vec![reader.number(self.primitive)?];
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&self.layout), values }))
    }
}

/// A layout of numbers of which no more is known than their names.
pub(super) fn plain(names: Vec<String>) -> Arc<Layout> {
    let channels =
        names.into_iter().map(|name| Channel { name, quantity: Quantity::Unknown }).collect();
    Arc::new(Layout { kind: LayoutKind::Plain, channels })
}
