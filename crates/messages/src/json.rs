//! A whole message as JSON.

use super::cdr::{CdrError, CdrReader};
use super::interface::Interface;
use super::layout::{Count, Field, Kind, Primitive};
use super::text::beginning;
use super::walk::{count_of, skip_elements, skip_field};
use robot_memory_core::limits::MESSAGE_VALUES_MAX;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Bytes in an array that is still shown.
const BYTES_SHOWN_MAX: usize = 64;
/// Bytes of a text that are shown.
const TEXT_SHOWN_BYTES_MAX: usize = 4_096;

impl Interface {
    /// A message as JSON, with the names of its fields in their alphabetic order.
    ///
    /// Numbers that are not finite are null. Bytes beyond 64, and elements beyond
    /// [`MESSAGE_VALUES_MAX`] values in all, are told by their number, as `"<921600 uint8>"`; a text
    /// beyond 4096 bytes is cut.
    ///
    /// # Errors
    /// The message is not of this type, or not whole.
    pub fn to_json(&self, message: &[u8]) -> Result<Value, CdrError> {
        self.json(message, None)
    }

    /// The same of the fields with these names only, on every level; the values of others do not count.
    ///
    /// # Errors
    /// As of [`Interface::to_json`].
    pub fn to_json_of(&self, message: &[u8], names: &[&str]) -> Result<Value, CdrError> {
        self.json(message, Some(names))
    }

    fn json(&self, message: &[u8], names: Option<&[&str]>) -> Result<Value, CdrError> {
        let mut reader = CdrReader::new(message)?;
        let mut json = Json { values_left: MESSAGE_VALUES_MAX, names };
        json.element(&mut reader, &Kind::Structure(Arc::clone(self.root())))
    }
}

struct Json<'a> {
    /// Values that may still be shown.
    values_left: usize,
    /// Fields that are shown; `None`: all.
    names: Option<&'a [&'a str]>,
}

impl Json<'_> {
    fn field(&mut self, reader: &mut CdrReader<'_>, field: &Field) -> Result<Value, CdrError> {
        if field.count == Count::One {
            return self.element(reader, &field.kind);
        }
        let count = count_of(reader, field)?;
        let is_bytes = matches!(field.kind, Kind::Primitive(Primitive::U8 | Primitive::I8));
        // Of a part of the fields, what is in an element counts when it is read.
        let values_each = if self.names.is_some() { 1 } else { field.kind.values_count() };
        let values = count.saturating_mul(values_each);
        if values > self.values_left || (is_bytes && count > BYTES_SHOWN_MAX) {
            skip_elements(reader, &field.kind, count)?;
            return Ok(format!("<{count} {}>", field.kind.name()).into());
        }
        self.values_left -= values;
        let elements = (0..count).map(|index| {
            self.element(reader, &field.kind).map_err(|error| error.within(&format!("[{index}]")))
        });
        elements.collect::<Result<Vec<Value>, CdrError>>().map(Value::Array)
    }

    fn element(&mut self, reader: &mut CdrReader<'_>, kind: &Kind) -> Result<Value, CdrError> {
        Ok(match kind {
            Kind::Primitive(Primitive::Bool) => reader.bool()?.into(),
            Kind::Primitive(Primitive::U64) => reader.u64()?.into(),
            Kind::Primitive(Primitive::I64) => reader.i64()?.into(),
            Kind::Primitive(primitive @ (Primitive::F32 | Primitive::F64)) => {
                // Null when it is not finite.
                reader.number(*primitive)?.into()
            }
            Kind::Primitive(primitive) => (reader.number(*primitive)? as i64).into(),
            Kind::Text => shown(&reader.text()?).into(),
            Kind::WideText => shown(&reader.wide_text()?).into(),
            Kind::Structure(structure) => {
                let mut object = Map::new();
                structure.read(reader, |reader, field| {
                    if self.names.is_some_and(|names| !names.contains(&field.name.as_str())) {
                        return skip_field(reader, field);
                    }
                    object.insert(field.name.clone(), self.field(reader, field)?);
                    Ok(())
                })?;
                Value::Object(object)
            }
        })
    }
}

/// A text, cut when it is long.
fn shown(text: &str) -> String {
    if text.len() <= TEXT_SHOWN_BYTES_MAX {
        return text.to_owned();
    }
    format!("{}…", beginning(text, TEXT_SHOWN_BYTES_MAX))
}
