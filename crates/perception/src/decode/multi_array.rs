use super::{Body, Fault};
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Value};
use robot_memory_core::limits::MESSAGE_NUMBERS_MAX;
use robot_memory_messages::{CdrError, CdrReader, Primitive};
use std::sync::Arc;

/// `std_msgs/Float32MultiArray` and its like: `data[0]`, `data[1]` ... in the order of the message.
pub(super) fn numbers(element: Primitive) -> Body {
    let mut layout = taxels(0);
    Box::new(move |reader| {
        skip_layout(reader).map_err(|error| error.within("layout"))?;
        let count = reader.count(element.size()).map_err(|error| error.within("data"))?;
        match count {
            0 => return Err(Fault::Empty),
            _ if count > MESSAGE_NUMBERS_MAX => {
                return Err(Fault::TooMany { what: "numbers", count });
            }
            _ => {}
        }
        let mut values = Vec::with_capacity(count);
        reader.numbers(element, count, &mut values).map_err(|error| error.within("data"))?;
        if layout.channels.len() != count {
            layout = taxels(count);
        }
        Ok(Value::Numbers(Numbers { layout: Arc::clone(&layout), values }))
    })
}

fn taxels(count: usize) -> Arc<Layout> {
    let name = |index| Channel { name: format!("data[{index}]"), quantity: Quantity::Unknown };
    Arc::new(Layout { kind: LayoutKind::Taxels, channels: (0..count).map(name).collect() })
}

/// Skips `std_msgs/MultiArrayLayout`: how the numbers are arranged is not needed to tell them apart.
fn skip_layout(reader: &mut CdrReader<'_>) -> Result<(), CdrError> {
    for _ in 0..reader.count(12)? {
        let _label = reader.text_bytes()?;
        let (_size, _stride) = (reader.u32()?, reader.u32()?);
    }
    let _data_offset = reader.u32()?;
    Ok(())
}
