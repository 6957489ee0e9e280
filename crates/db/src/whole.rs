//! Whether rows are what was written, as far as it can be told, and the digest of all rows of a file.

use super::tables::{GroundTable, ground_tables};
use super::{Error, Result};
use robot_memory_core::model::{Category, JobScope, JobType, MemType, Scope, ScopeKind, Source};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;

/// The column that holds the digest, and is not in it.
const DIGEST: &str = "rows_sha256";
/// By how much the length of a vector may differ from 1: its numbers are f32.
const LENGTH_SLACK: f32 = 1e-3;

/// Reads all rows, in order, and answers their digest: of the schema, and of each table's name and values.
///
/// # Errors
/// [`Error::Corrupt`] when a row is not what was written: with its table, number and column, and no text.
pub fn digest_of_whole(connection: &Connection) -> Result<[u8; 32]> {
    let mut digest = Sha256::new();
    let mut statement = connection.prepare(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for place in 0..4 {
            update(&mut digest, row.get_ref(place)?);
        }
    }
    for mut table in ground_tables(connection)? {
        table.columns.retain(|column| column != DIGEST);
        update(&mut digest, ValueRef::Text(table.name.as_bytes()));
        each_row(connection, &table, i64::MIN, |_, values| {
            values.iter().for_each(|value| update(&mut digest, *value));
            ControlFlow::Continue(())
        })?;
    }
    Ok(digest.finalize().into())
}

/// Looks at the rows of a table from one number on, or at all of them where they have none, until `pause`
/// breaks. Answers from which number it is to go on; `None`: it came to the end.
///
/// # Errors
/// As [`digest_of_whole`].
pub fn look_at_rows(
    connection: &Connection,
    table: &GroundTable,
    from: i64,
    mut pause: impl FnMut() -> ControlFlow<()>,
) -> Result<Option<i64>> {
    each_row(connection, table, from, |_, _| pause())
}

/// Calls `f` with the number and the values of each whole row, until it breaks; answers behind which number
/// that was.
fn each_row(
    connection: &Connection,
    table: &GroundTable,
    from: i64,
    mut f: impl FnMut(i64, &[ValueRef<'_>]) -> ControlFlow<()>,
) -> Result<Option<i64>> {
    let (name, columns, order) = (&table.name, table.columns_of(""), table.order());
    let sql = match table.has_rowid {
        true => format!("SELECT rowid, {columns} FROM \"{name}\" WHERE rowid >= ?1 ORDER BY rowid"),
        false => format!("SELECT ?1, {columns} FROM \"{name}\" ORDER BY {order}"),
    };
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([from])?;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let values = of_row(row, table)?;
        if let Some(column) = fault(table, &values) {
            let of = if table.has_rowid { format!(" {number}") } else { String::new() };
            return Err(Error::Corrupt(format!(
                "{name}{of}: the column {column} holds what was not written"
            )));
        }
        if f(number, &values).is_break() {
            return Ok(Some(number.saturating_add(1)));
        }
    }
    Ok(None)
}

/// The values of a row behind its number.
fn of_row<'r>(row: &'r Row<'_>, table: &GroundTable) -> Result<Vec<ValueRef<'r>>> {
    let values = (1..=table.columns.len()).map(|place| row.get_ref(place));
    Ok(values.collect::<rusqlite::Result<_>>()?)
}

/// The first column of a row that is not what was written, as far as it can be told.
pub fn fault<'t>(table: &'t GroundTable, values: &[ValueRef<'_>]) -> Option<&'t str> {
    faults(table, values).into_iter().next()
}

/// The columns of a row that are not what was written, as far as it can be told: a text is UTF-8, a memory
/// says what its hash is of, and what has spellings has one of them.
pub fn faults<'t>(table: &'t GroundTable, values: &[ValueRef<'_>]) -> Vec<&'t str> {
    let columns = || table.columns.iter().map(String::as_str).zip(values);
    let mut found: Vec<&str> = columns()
        .filter(|(column, value)| match value {
            ValueRef::Text(bytes) => {
                !std::str::from_utf8(bytes).is_ok_and(|text| is_spelled(&table.name, column, text))
            }
            _ => false,
        })
        .map(|(column, _)| column)
        .collect();
    if table.name == "memory" && !found.contains(&"content") {
        let of = |name: &str| columns().find(|(column, _)| *column == name).map(|(_, value)| value);
        let is_of_hash = match (of("content"), of("content_hash")) {
            (Some(ValueRef::Text(content)), Some(ValueRef::Blob(hash))) => {
                Sha256::digest(content).as_slice() == *hash
            }
            _ => false,
        };
        let content = columns().find(|(column, _)| *column == "content");
        found.extend(content.map(|(column, _)| column).filter(|_| !is_of_hash));
    }
    found
}

/// Whether a text of a column can be read by this program.
fn is_spelled(table: &str, column: &str, text: &str) -> bool {
    match (table, column) {
        ("memory", "scope") => Scope::parse(text).is_ok(),
        ("memory", "mem_type") => MemType::parse(text).is_some(),
        ("memory", "category") => Category::parse(text).is_some(),
        ("memory", "source") => Source::parse(text).is_some(),
        ("memory", "tags" | "scope_files" | "scope_entities") => {
            text.is_empty() || serde_json::from_str::<Vec<String>>(text).is_ok()
        }
        // A page of zeros reads as text; no request has any.
        ("memory", "content" | "context")
        | ("perception", "data" | "metadata")
        | ("session", "context")
        | ("turn", "text" | "data") => !text.contains('\0'),
        ("job", "job_type") => JobType::parse(text).is_some(),
        ("job", "scope") => text == JobScope::ALL || ScopeKind::parse(text).is_some(),
        _ => true,
    }
}

/// Whether a vector has the length 1.
pub fn is_unit_vector(bytes: &[u8]) -> bool {
    let (components, rest) = bytes.as_chunks::<4>();
    let squares = components.iter().map(|bytes| f32::from_le_bytes(*bytes).powi(2));
    let length = squares.sum::<f32>().sqrt();
    rest.is_empty() && (length - 1.0).abs() <= LENGTH_SLACK
}

/// Adds one value, so that no two rows of different values add the same bytes.
fn update(digest: &mut Sha256, value: ValueRef<'_>) {
    let (kind, bytes): (u8, &[u8]) = match value {
        ValueRef::Null => (0, &[]),
        ValueRef::Integer(number) => {
            digest.update([1]);
            return digest.update(number.to_le_bytes());
        }
        ValueRef::Real(number) => {
            digest.update([2]);
            return digest.update(number.to_bits().to_le_bytes());
        }
        ValueRef::Text(bytes) => (3, bytes),
        ValueRef::Blob(bytes) => (4, bytes),
    };
    digest.update([kind]);
    digest.update((bytes.len() as u64).to_le_bytes());
    digest.update(bytes);
}
