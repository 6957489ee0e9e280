//! Passing over parts of a message.

use super::cdr::{CdrError, CdrProblem, CdrReader};
use super::layout::{Count, Field, Kind};

/// Reads how many elements a field has: never more than the bytes left can hold.
pub(super) fn count_of(reader: &mut CdrReader<'_>, field: &Field) -> Result<usize, CdrError> {
    let size_min = field.kind.size_min();
    match field.count {
        Count::One => Ok(1),
        Count::Fixed(count) => reader.check_left(count, size_min).map(|()| count),
        Count::Sequence(bound) => {
            let count = reader.count(size_min)?;
            match bound {
                Some(count_max) if count > count_max => {
                    Err(reader.error(CdrProblem::TooMany { count, count_max }))
                }
                _ => Ok(count),
            }
        }
    }
}

pub(super) fn skip_fields(reader: &mut CdrReader<'_>, fields: &[Field]) -> Result<(), CdrError> {
    fields
        .iter()
        .try_for_each(|field| skip_field(reader, field).map_err(|error| error.within(&field.name)))
}

pub(super) fn skip_field(reader: &mut CdrReader<'_>, field: &Field) -> Result<(), CdrError> {
    let count = count_of(reader, field)?;
    skip_elements(reader, &field.kind, count)
}

pub(super) fn skip_elements(
    reader: &mut CdrReader<'_>,
    kind: &Kind,
    count: usize,
) -> Result<(), CdrError> {
    match kind {
        Kind::Primitive(primitive) => reader.skip(*primitive, count),
        Kind::Text => (0..count).try_for_each(|_| reader.text_bytes().map(drop)),
        Kind::WideText => (0..count).try_for_each(|_| {
            let units = reader.count(4)?;
            reader.take(4 * units).map(drop)
        }),
        Kind::Structure(structure) => {
            (0..count).try_for_each(|_| structure.read(reader, skip_field))
        }
    }
}
