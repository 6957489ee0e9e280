use super::Body;
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Value};
use robot_memory_messages::Primitive;
use std::sync::Arc;

/// `std_msgs/Float64` and its like: one number, `data`.
pub(super) fn number(primitive: Primitive) -> Body {
    let layout = plain(vec!["data".to_owned()]);
    Box::new(move |reader| {
        let values = vec![reader.number(primitive)?];
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
}

/// A layout of numbers of which no more is known than their names.
pub(super) fn plain(names: Vec<String>) -> Arc<Layout> {
    let channels =
        names.into_iter().map(|name| Channel { name, quantity: Quantity::Unknown }).collect();
    Arc::new(Layout { kind: LayoutKind::Plain, channels })
}
