use super::number::plain;
use super::string::cut;
use super::{Body, Fault};
use crate::{Layout, Numbers, Value};
use robot_memory_messages::{FieldPath, PathValue};
use std::sync::Arc;

/// What a path finds in a type of which no more is known than its definition.
pub(super) fn part(path: FieldPath) -> Body {
    // The layout of the numbers found last, and the shape it is for.
    let mut known: Option<(Vec<u32>, Arc<Layout>)> = None;
    Box::new(move |reader| {
        Ok(match path.read(reader.message())? {
            PathValue::Bool(value) => Value::Bool(value),
            PathValue::Text(text) => Value::Text(cut(text)),
            PathValue::Numbers { values, .. } if values.is_empty() => return Err(Fault::Empty),
            PathValue::Numbers { values, shape } => {
                let layout = match &known {
                    Some((of, layout)) if *of == shape => Arc::clone(layout),
                    _ => {
                        let layout = plain(path.names(&shape));
                        Arc::clone(&known.insert((shape, layout)).1)
                    }
                };
                Value::Numbers(Numbers { layout, values })
            }
        })
    })
}
