use super::number::plain;
use super::string::cut;
use super::{Body, Fault};
use crate::{Layout, Numbers, Value};
use robot_memory_messages::{FieldPath, PathValue};
use std::sync::Arc;

/// What a path finds in a type of which no more is known than its definition.
pub(super) fn part(path: FieldPath) -> Body {
    // The layout of the numbers found last, and the shape and labels it is for.
    let mut known: Option<(Vec<u32>, Vec<String>, Arc<Layout>)> = None;
    Box::new(move |reader| {
        Ok(match path.read(reader.message())? {
            PathValue::Bool(value) => Value::Bool(value),
            PathValue::Text(text) => Value::Text(cut(text)),
            PathValue::Numbers { values, .. } if values.is_empty() => return Err(Fault::Empty),
            PathValue::Nothing => return Err(Fault::NotSelected),
            PathValue::Numbers { values, shape, labels } => {
                let layout = match &known {
                    Some((of, called, layout)) if *of == shape && *called == labels => {
                        Arc::clone(layout)
                    }
                    _ => {
                        let layout = plain(path.names(&shape, &labels));
                        Arc::clone(&known.insert((shape, labels, layout)).2)
                    }
                };
                Value::Numbers(Numbers { layout, values })
            }
        })
    })
}
