//! Which tables hold what cannot be made again, as the schema itself says.

use super::Result;
use rusqlite::types::FromSql;
use rusqlite::{Connection, Params};

/// A table of rows that are ground state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundTable {
    /// Its name, of this program's own schema.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<String>,
    /// Those of its primary key, in order.
    pub key: Vec<String>,
    /// Whether its rows are kept by `rowid`.
    pub has_rowid: bool,
}

impl GroundTable {
    /// The columns as SQL spells them, each behind a prefix.
    pub fn columns_of(&self, prefix: &str) -> String {
        let quoted = |column: &String| format!("{prefix}\"{column}\"");
        self.columns.iter().map(quoted).collect::<Vec<_>>().join(", ")
    }

    /// In which order its rows stand.
    pub fn order(&self) -> String {
        if self.has_rowid {
            return "rowid".to_owned();
        }
        self.key.iter().map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(", ")
    }

    /// So many parameters as it has columns.
    pub fn parameters(&self) -> String {
        vec!["?"; self.columns.len()].join(", ")
    }
}

/// The ground tables of an open file, in order of name. Virtual tables and what belongs to them are
/// derived from the others.
pub fn ground_tables(connection: &Connection) -> Result<Vec<GroundTable>> {
    let mut tables = Vec::new();
    let mut statement = connection.prepare(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
         AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let is_without_rowid: bool = row.get(1)?;
        let mut columns = Vec::new();
        let mut key: Vec<(i64, String)> = Vec::new();
        let mut info = connection.prepare("SELECT name, pk FROM pragma_table_info(?1)")?;
        let mut of_table = info.query([&name])?;
        while let Some(column) = of_table.next()? {
            let (column, place): (String, i64) = (column.get(0)?, column.get(1)?);
            if place > 0 {
                key.push((place, column.clone()));
            }
            columns.push(column);
        }
        key.sort();
        let key = key.into_iter().map(|(_, column)| column).collect();
        tables.push(GroundTable { name, columns, key, has_rowid: !is_without_rowid });
    }
    Ok(tables)
}

/// Lets the ids of a table go on behind this one.
pub fn raise_sequence(connection: &Connection, table: &str, seq: i64) -> Result<()> {
    let raised = connection
        .execute("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", (table, seq))?;
    if raised == 0 {
        connection
            .execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", (table, seq))?;
    }
    Ok(())
}

/// The one value that a statement finds.
pub fn value<T: FromSql>(connection: &Connection, sql: &str, params: impl Params) -> Result<T> {
    Ok(connection.query_row(sql, params, |row| row.get(0))?)
}

/// How many rows a table has.
pub fn row_count(connection: &Connection, table: &str) -> Result<u64> {
    let count: i64 = value(connection, &format!("SELECT count(*) FROM \"{table}\""), [])?;
    Ok(count.unsigned_abs())
}

/// What finds the highest number that each table gave to a row.
pub const SEQUENCES: &str = "SELECT name, seq FROM sqlite_sequence";

/// The names and numbers that a statement finds, as far as they can be read.
pub fn numbers(connection: &Connection, sql: &str) -> Vec<(String, i64)> {
    let Ok(mut statement) = connection.prepare(sql) else { return Vec::new() };
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.map_or_else(|_| Vec::new(), |rows| rows.flatten().collect())
}
