//! Rows that are not what was written, and no backup has: kept as far as they can be read, and withdrawn when
//! what they say is in doubt.

use super::walk::put;
use crate::tables::GroundTable;
use crate::{Result, whole};
use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use sha2::{Digest, Sha256};

/// Why a row is withdrawn whose text is in doubt.
const TEXT_DAMAGED: &str = "its text was found damaged on the disk";

/// Columns that hold JSON, or nothing.
const JSON: [&str; 6] = ["context", "data", "metadata", "tags", "scope_files", "scope_entities"];

/// Columns in which a text may be in doubt; what is in the others says what the row is about.
const TEXTS: [(&str, &[&str]); 5] = [
    (
        "memory",
        &[
            "content",
            "content_hash",
            "context",
            "tags",
            "scope_files",
            "scope_entities",
            "turn_id",
            "agent",
            "category",
            "invalidated_reason",
        ],
    ),
    ("memory_audit", &["content", "context", "agent"]),
    ("perception", &["data", "metadata"]),
    ("session", &["context", "agent"]),
    ("turn", &["text", "data", "agent"]),
];

/// Puts what can be kept of these rows into the new file, but for those that are there by now; answers how
/// many of them were, and how many were not.
pub fn keep(into: &Connection, table: &GroundTable, bad: Vec<Vec<Value>>) -> Result<(u64, u64)> {
    let (mut kept, mut dropped) = (0, 0);
    let (name, columns, parameters) = (&table.name, table.columns_of(""), table.parameters());
    let mut insert = into
        .prepare(&format!("INSERT OR ABORT INTO \"{name}\" ({columns}) VALUES ({parameters})"))?;
    for values in bad {
        if is_there(into, table, &values)? {
            continue;
        }
        let is_put = match repaired(table, values) {
            Some(values) => put(&mut insert, &values)?,
            None => false,
        };
        if is_put { kept += 1 } else { dropped += 1 }
    }
    Ok((kept, dropped))
}

/// Whether there is a row of the same key.
fn is_there(into: &Connection, table: &GroundTable, values: &[Value]) -> Result<bool> {
    let places = |column: &String| table.columns.iter().position(|known| known == column);
    let key: Vec<&Value> =
        table.key.iter().filter_map(places).filter_map(|place| values.get(place)).collect();
    let equal: Vec<String> = table.key.iter().map(|column| format!("\"{column}\" = ?")).collect();
    if key.is_empty() {
        return Ok(false);
    }
    let sql = format!("SELECT 1 FROM \"{}\" WHERE {}", table.name, equal.join(" AND "));
    Ok(into.prepare_cached(&sql)?.exists(rusqlite::params_from_iter(key))?)
}

/// The row as it can be kept; `None` when it cannot.
fn repaired(table: &GroundTable, mut values: Vec<Value>) -> Option<Vec<Value>> {
    let (_, texts) = TEXTS.iter().find(|(name, _)| *name == table.name)?;
    let of = |name: &str| table.columns.iter().position(|column| column == name);
    let refs: Vec<ValueRef<'_>> = values.iter().map(ValueRef::from).collect();
    let mut faults = whole::faults(table, &refs);
    let replaced = table.columns.iter().zip(&values).filter(|(_, value)| match value {
        Value::Text(text) => text.contains(char::REPLACEMENT_CHARACTER),
        _ => false,
    });
    faults.extend(replaced.map(|(column, _)| column.as_str()));
    if faults.iter().any(|fault| !texts.contains(fault)) {
        return None;
    }
    for column in &faults {
        let place = of(column)?;
        if let Value::Text(text) = &values[place] {
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            let is_list = serde_json::from_str::<Vec<String>>(text).is_ok();
            let is_readable = match *column {
                "tags" | "scope_files" | "scope_entities" => is_list,
                column if JSON.contains(&column) => is_json,
                "category" => {
                    values[place] = Value::Null;
                    continue;
                }
                _ => true,
            };
            if !is_readable {
                values[place] = Value::Text(String::new());
            }
        }
    }
    if table.name == "memory" && faults.contains(&"content") {
        withdraw(table, &mut values)?;
    }
    Some(values)
}

/// Lets a memory say that it holds no more, with the hash of what can be read of it.
fn withdraw(table: &GroundTable, values: &mut [Value]) -> Option<()> {
    let of = |name: &str| table.columns.iter().position(|column| column == name);
    let content = match &values[of("content")?] {
        Value::Text(content) => content.clone(),
        _ => return None,
    };
    values[of("content_hash")?] = Value::Blob(Sha256::digest(content.as_bytes()).to_vec());
    let (status, at) = (of("status")?, of("invalidated_at")?);
    let is_superseded = matches!(&values[status], Value::Text(status) if status == "superseded");
    if !is_superseded {
        values[status] = Value::Text("invalidated".into());
        if values[at] == Value::Null {
            values[at] = values[of("updated_at")?].clone();
        }
        values[of("invalidated_reason")?] = Value::Text(TEXT_DAMAGED.into());
    }
    Some(())
}
