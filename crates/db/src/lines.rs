//! All that the store holds as lines of JSON, a row a line, and back.
//!
//! Which tables and columns there are is read from the schema, so that none can be forgotten. Left out
//! are the words, which are made again, and `store_state`, which is about the file.

use super::tables::{GroundTable, ground_tables, raise_sequence};
use super::{Error, ReadTx, Result, WriteTx, schema};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rusqlite::config::DbConfig;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Row, params_from_iter};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The table that is about the file and not about what it holds.
const OF_THE_FILE: &str = "store_state";
/// Up to which id each table has given ids out.
const SEQUENCES: &str = "sqlite_sequence";

/// One row, as a line has it.
#[derive(Deserialize)]
struct RowLine<'l> {
    table: String,
    #[serde(borrow)]
    row: BTreeMap<String, &'l RawValue>,
}

/// Bytes that are no text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bytes {
    base64: String,
}

impl ReadTx<'_> {
    /// Calls `each` with every row of the store as a line of JSON, without its end, table by table, until
    /// it breaks. Answers how many.
    pub fn each_line(&self, each: &mut dyn FnMut(&str) -> ControlFlow<()>) -> Result<u64> {
        let mut count = 0;
        let mut tables = self.lined_tables()?;
        tables.push(GroundTable {
            name: SEQUENCES.to_owned(),
            columns: vec!["name".to_owned(), "seq".to_owned()],
            key: vec!["name".to_owned()],
            has_rowid: false,
        });
        let mut line = String::new();
        for table in tables {
            let sql = format!(
                "SELECT {} FROM \"{}\" ORDER BY {}",
                table.columns_of(""),
                table.name,
                table.order()
            );
            let mut statement = self.connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                write_row(&mut line, &table, row)?;
                count += 1;
                if each(&line).is_break() {
                    return Ok(count);
                }
            }
        }
        Ok(count)
    }

    /// Whether it holds nothing yet.
    pub fn is_empty(&self) -> Result<bool> {
        for table in self.lined_tables()? {
            let sql = format!("SELECT EXISTS (SELECT 1 FROM \"{}\")", table.name);
            if self.connection.query_row(&sql, [], |row| row.get(0))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn lined_tables(&self) -> Result<Vec<GroundTable>> {
        let mut tables = ground_tables(self.connection)?;
        tables.retain(|table| table.name != OF_THE_FILE);
        Ok(tables)
    }
}

/// Rows from lines, into an empty store.
pub struct LineWriter<'t, 'c> {
    tx: &'t WriteTx<'c>,
    tables: BTreeMap<String, GroundTable>,
}

impl<'c> WriteTx<'c> {
    /// Begins to take lines; rows may come in any order. Words are made when the store is opened next.
    pub fn line_writer<'t>(&'t self) -> Result<LineWriter<'t, 'c>> {
        let tables = self.lined_tables()?;
        let tables = tables.into_iter().map(|table| (table.name.clone(), table)).collect();
        // Until the commit a row may refer to one that comes later.
        self.connection.pragma_update(None, "defer_foreign_keys", true)?;
        self.connection.execute("UPDATE store_state SET tokens_version = 0 WHERE id = 1", [])?;
        // What triggers note of a change is in the lines, and of these rows none is one.
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        Ok(LineWriter { tx: self, tables })
    }

    /// Whether all rows that are referred to are there.
    pub fn has_whole_references(&self) -> Result<bool> {
        Ok(!self.connection.prepare("PRAGMA foreign_key_check")?.exists([])?)
    }
}

impl Drop for LineWriter<'_, '_> {
    fn drop(&mut self) {
        let is_on = DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER;
        if let Err(error) = self.tx.connection.set_db_config(is_on, true) {
            log::error!("changes are not noted until the next start: {error}");
        }
    }
}

impl LineWriter<'_, '_> {
    /// Stores the row of a line; the inner error says what is wrong with it.
    pub fn put(&mut self, line: &str) -> Result<Result<(), String>> {
        let read: RowLine<'_> = match serde_json::from_str(line) {
            Ok(read) => read,
            Err(error) => {
                // Its own text may quote the line.
                return Ok(Err(format!(
                    "is no object with table and row (column {})",
                    error.column()
                )));
            }
        };
        if read.table == SEQUENCES {
            return self.put_sequence(&read.row);
        }
        let Some(table) = self.tables.get(&read.table) else {
            return Ok(Err("table: this version has none of this name".to_owned()));
        };
        let mut columns = Vec::with_capacity(read.row.len());
        let mut values = Vec::with_capacity(read.row.len());
        for (column, raw) in &read.row {
            // Names go into the statement: only those of the schema.
            let Some(known) = table.columns.iter().find(|known| *known == column) else {
                return Ok(Err(format!("row: {} has a column that is not known", table.name)));
            };
            match value_of(raw) {
                Some(value) => values.push(value),
                None => return Ok(Err(format!("row.{known}: is no value of a column"))),
            }
            columns.push(format!("\"{known}\""));
        }
        let sql = format!(
            "INSERT INTO \"{}\" ({}) VALUES ({})",
            table.name,
            columns.join(", "),
            vec!["?"; columns.len()].join(", ")
        );
        let inserted = self
            .tx
            .connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.execute(params_from_iter(values)));
        match inserted {
            Ok(_) => Ok(Ok(())),
            Err(rusqlite::Error::SqliteFailure(fault, message))
                if fault.code == rusqlite::ErrorCode::ConstraintViolation =>
            {
                // SQLite names the constraint and its columns, and no values.
                let message = message.unwrap_or_else(|| fault.to_string());
                Ok(Err(format!("row of {}: {message}", table.name)))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn put_sequence(&self, row: &BTreeMap<String, &RawValue>) -> Result<Result<(), String>> {
        let of = |name: &str| row.get(name).and_then(|raw| value_of(raw));
        match (of("name"), of("seq")) {
            (Some(Value::Text(name)), Some(Value::Integer(seq)))
                if self.tables.contains_key(&name) =>
            {
                raise_sequence(self.tx.connection, &name, seq)?;
                Ok(Ok(()))
            }
            _ => Ok(Err("row: must have name, of a table, and seq".to_owned())),
        }
    }
}

/// The version of the schema that lines are of.
pub fn lines_schema() -> i64 {
    schema::VERSION
}

/// The first version of which there are lines.
pub const FIRST_LINES_SCHEMA: i64 = 6;

fn write_row(line: &mut String, table: &GroundTable, row: &Row<'_>) -> Result<()> {
    line.clear();
    line.push_str("{\"table\":");
    line.push_str(&json_text(&table.name));
    line.push_str(",\"row\":{");
    for (place, column) in table.columns.iter().enumerate() {
        if place > 0 {
            line.push(',');
        }
        line.push_str(&json_text(column));
        line.push(':');
        match row.get_ref(place)? {
            ValueRef::Null => line.push_str("null"),
            ValueRef::Integer(number) => line.push_str(&number.to_string()),
            // Rust's shortest text that reads as the same number; always with a point or an exponent.
            ValueRef::Real(number) if number.is_finite() => line.push_str(&format!("{number:?}")),
            ValueRef::Real(number) => {
                line.push_str(if number > 0.0 { "9e999" } else { "-9e999" });
            }
            ValueRef::Text(bytes) => {
                let text = std::str::from_utf8(bytes).map_err(|_| {
                    Error::Corrupt(format!(
                        "{}.{column} holds a text that is not UTF-8",
                        table.name
                    ))
                })?;
                line.push_str(&json_text(text));
            }
            ValueRef::Blob(bytes) => {
                line.push_str("{\"base64\":\"");
                BASE64_STANDARD.encode_string(bytes, line);
                line.push_str("\"}");
            }
        }
    }
    line.push_str("}}");
    Ok(())
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The value of a column; numbers are read to the last bit.
fn value_of(raw: &RawValue) -> Option<Value> {
    let text = raw.get();
    match text.as_bytes().first()? {
        b'n' => Some(Value::Null),
        b'"' => serde_json::from_str(text).ok().map(Value::Text),
        b'{' => {
            let Bytes { base64 } = serde_json::from_str(text).ok()?;
            BASE64_STANDARD.decode(base64).ok().map(Value::Blob)
        }
        b'-' | b'0'..=b'9' if text.contains(['.', 'e', 'E']) => text.parse().ok().map(Value::Real),
        b'-' | b'0'..=b'9' => text.parse().ok().map(Value::Integer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back_to_the_last_bit(bits: u64, integer: i64) {
            let number = f64::from_bits(bits);
            if number.is_finite() {
                let raw = RawValue::from_string(format!("{number:?}")).expect("a number");
                let Some(Value::Real(back)) = value_of(&raw) else { panic!("{number:?}") };
                prop_assert_eq!(back.to_bits(), bits);
            }
            let raw = RawValue::from_string(integer.to_string()).expect("a number");
            prop_assert_eq!(value_of(&raw), Some(Value::Integer(integer)));
        }
    }
}
