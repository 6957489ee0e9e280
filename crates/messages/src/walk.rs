//! Passing over parts of a message.

use super::cdr::{CdrError, CdrProblem, CdrReader};
use super::layout::{Count, Field, Kind, Structure};

/// Reads how many elements a field has: never more than the bytes left can hold.
pub(super) fn count_of(
    reader: &mut CdrReader<'_>,
    field: &Field,
    structures: &[Structure],
) -> Result<usize, CdrError> {
    let size_min = field.kind.size_min(structures);
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

pub(super) fn skip_field(
    reader: &mut CdrReader<'_>,
    field: &Field,
    structures: &[Structure],
) -> Result<(), CdrError> {
    count_of(reader, field, structures)
        .and_then(|count| skip_elements(reader, field.kind, count, structures))
        .map_err(|error| error.within(&field.name))
}

pub(super) fn skip_elements(
    reader: &mut CdrReader<'_>,
    kind: Kind,
    count: usize,
    structures: &[Structure],
) -> Result<(), CdrError> {
    match kind {
        Kind::Primitive(primitive) => reader.skip(primitive, count)?,
        Kind::Text => {
            for _ in 0..count {
                reader.text_bytes()?;
            }
        }
        Kind::WideText => {
            for _ in 0..count {
                let units = reader.count(4)?;
                reader.take(4 * units)?;
            }
        }
        Kind::Structure(index) => {
            for _ in 0..count {
                skip_structure(reader, &structures[index], structures)?;
            }
        }
    }
    Ok(())
}

fn skip_structure(
    reader: &mut CdrReader<'_>,
    structure: &Structure,
    structures: &[Structure],
) -> Result<(), CdrError> {
    if structure.fields.is_empty() {
        return reader.u8().map(drop);
    }
    structure.fields.iter().try_for_each(|field| skip_field(reader, field, structures))
}
