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

/// Numbers of 64 bits that a message has behind its header.
pub(super) fn measured(names: &'static [(&'static str, Quantity)]) -> Body {
    let layout = plain_of(names);
    Box::new(move |reader| {
        let mut values = Vec::with_capacity(names.len());
        reader.numbers(Primitive::F64, names.len(), &mut values)?;
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
}

/// A layout of numbers with what they measure.
pub(super) fn plain_of(names: &[(&str, Quantity)]) -> Arc<Layout> {
    let channel = |(name, quantity): &(&str, Quantity)| Channel {
        name: (*name).to_owned(),
        quantity: *quantity,
    };
    Arc::new(Layout { kind: LayoutKind::Plain, channels: names.iter().map(channel).collect() })
}

/// A layout of numbers of which no more is known than their names.
pub(super) fn plain(names: Vec<String>) -> Arc<Layout> {
    let channels =
        names.into_iter().map(|name| Channel { name, quantity: Quantity::Unknown }).collect();
    Arc::new(Layout { kind: LayoutKind::Plain, channels })
}
