//! Reading the rows of a table around what cannot be read.

use crate::tables::GroundTable;
use crate::{Result, whole};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, Statement, params_from_iter};

/// Rows of one table that are not what was written and are held in memory; of more only the count is known.
const BAD_ROWS_MAX: usize = 10_000;

/// Tables whose rows are not held when they are bad: they are made again.
const VECTORS: [&str; 2] = ["memory_picture", "memory_vector"];

/// What became of the rows of a table.
#[derive(Debug, Default)]
pub struct Walked {
    /// Rows that could be read, and hold what they cannot hold.
    pub dropped: u64,
    /// Rows that are not what was written: their values, as far as they can be read.
    pub bad: Vec<Vec<Value>>,
    /// Between which numbers of rows nothing could be read, both without.
    pub gaps: Vec<(i64, i64)>,
    /// Whether there is no end from which it could be read to the other, in a table without numbers.
    pub is_broken: bool,
}

impl Walked {
    /// Whether all rows were read and kept.
    pub fn is_whole(&self) -> bool {
        self.dropped == 0 && self.bad.is_empty() && self.gaps.is_empty() && !self.is_broken
    }
}

/// How a pass over rows ended.
enum Pass {
    /// At the last of them.
    Done,
    /// Behind this row comes what cannot be read; `None`: it begins with that.
    Broken(Option<i64>),
}

/// Copies what can be read of a table into the same table of a new file. Fails only when that cannot be
/// written.
pub fn copy_rows(source: &Connection, into: &Connection, table: &GroundTable) -> Result<Walked> {
    let verb = if table.name == "store_state" { "REPLACE" } else { "IGNORE" };
    let insert = format!(
        "INSERT OR {verb} INTO \"{}\" ({}) VALUES ({})",
        table.name,
        table.columns_of(""),
        table.parameters(),
    );
    let insert = into.prepare(&insert)?;
    let copier = Copier { source, table, insert, dropped: 0, bad: Vec::new() };
    if table.has_rowid { copier.by_rowid() } else { copier.by_key() }
}

struct Copier<'c> {
    source: &'c Connection,
    table: &'c GroundTable,
    insert: Statement<'c>,
    dropped: u64,
    bad: Vec<Vec<Value>>,
}

impl Copier<'_> {
    fn by_key(mut self) -> Result<Walked> {
        let order = self.table.order();
        let descending = order.replace(',', " DESC,") + " DESC";
        let mut is_broken = false;
        for order in [order, descending] {
            let columns = self.table.columns_of("");
            let sql = format!("SELECT {columns} FROM \"{}\" ORDER BY {order}", self.table.name);
            let Ok(mut statement) = self.source.prepare(&sql) else {
                is_broken = true;
                continue;
            };
            let Ok(mut rows) = statement.query([]) else {
                is_broken = true;
                continue;
            };
            is_broken = loop {
                match rows.next() {
                    Ok(Some(row)) => self.keep(row, 0)?,
                    Ok(None) => break false,
                    Err(_) => break true,
                }
            };
            if !is_broken {
                break;
            }
        }
        let Self { dropped, bad, .. } = self;
        Ok(Walked { dropped, bad, is_broken, ..Walked::default() })
    }

    fn by_rowid(mut self) -> Result<Walked> {
        let mut gaps = Vec::new();
        let mut after = i64::MIN;
        loop {
            match self.ascend(after)? {
                Pass::Done => break,
                Pass::Broken(last) => after = last.unwrap_or(after),
            }
            let Some(beyond) = self.next_readable(after) else {
                // What is behind it is reached from the end only.
                let before = self.descend(i64::MAX, after)?;
                gaps.push((after, before));
                break;
            };
            let before = self.descend(beyond, after)?;
            gaps.push((after, before));
            after = match self.ascend(beyond - 1)? {
                Pass::Done => break,
                Pass::Broken(Some(last)) => last,
                // Its number can be read, and the row cannot.
                Pass::Broken(None) => {
                    gaps.push((beyond - 1, beyond.saturating_add(1)));
                    beyond
                }
            };
        }
        let Self { dropped, bad, .. } = self;
        Ok(Walked { dropped, bad, gaps, is_broken: false })
    }

    /// Copies the rows behind one, up to what cannot be read.
    fn ascend(&mut self, after: i64) -> Result<Pass> {
        self.pass(">", after, "ASC")
    }

    /// Copies the rows before one, from it down to what cannot be read or to `after`; answers the
    /// lowest that it came to.
    fn descend(&mut self, before: i64, after: i64) -> Result<i64> {
        let columns = self.table.columns_of("");
        let sql = format!(
            "SELECT rowid, {columns} FROM \"{}\" WHERE rowid < ?1 AND rowid > ?2 \
             ORDER BY rowid DESC",
            self.table.name
        );
        let mut lowest = before;
        let Ok(mut statement) = self.source.prepare(&sql) else { return Ok(lowest) };
        let Ok(mut rows) = statement.query([before, after]) else { return Ok(lowest) };
        while let Ok(Some(row)) = rows.next() {
            match row.get::<_, i64>(0) {
                Ok(rowid) if rowid < lowest && rowid > after => lowest = rowid,
                _ => break,
            }
            self.keep(row, 1)?;
        }
        Ok(lowest)
    }

    fn pass(&mut self, comparison: &str, from: i64, order: &str) -> Result<Pass> {
        let columns = self.table.columns_of("");
        let sql = format!(
            "SELECT rowid, {columns} FROM \"{}\" WHERE rowid {comparison} ?1 ORDER BY rowid {order}",
            self.table.name
        );
        let mut last = None;
        let Ok(mut statement) = self.source.prepare(&sql) else { return Ok(Pass::Broken(None)) };
        let Ok(mut rows) = statement.query([from]) else { return Ok(Pass::Broken(None)) };
        loop {
            match rows.next() {
                Ok(None) => return Ok(Pass::Done),
                Err(_) => return Ok(Pass::Broken(last)),
                Ok(Some(row)) => {
                    // Pages that are linked in a circle never end.
                    match row.get::<_, i64>(0) {
                        Ok(rowid) if rowid > last.unwrap_or(from) => last = Some(rowid),
                        _ => return Ok(Pass::Broken(last)),
                    }
                    self.keep(row, 1)?;
                }
            }
        }
    }

    /// The number of a row behind another one from which reading may go on; `None` when there is none,
    /// or none that can be reached.
    fn next_readable(&self, after: i64) -> Option<i64> {
        let sql = format!(
            "SELECT rowid FROM \"{}\" WHERE rowid > ?1 ORDER BY rowid LIMIT 1",
            self.table.name
        );
        let mut statement = self.source.prepare(&sql).ok()?;
        let mut step = 1_i64;
        let mut from = after.max(0);
        loop {
            from = from.checked_add(step)?;
            if let Ok(mut rows) = statement.query([from])
                && let Ok(found) = rows.next()
            {
                return found.and_then(|row| row.get(0).ok());
            }
            step = step.checked_mul(2)?;
        }
    }

    /// Copies one row, unless it has an invalid value.
    fn keep(&mut self, row: &Row<'_>, first: usize) -> Result<()> {
        let places = first..first + self.table.columns.len();
        let Ok(values) =
            places.map(|place| row.get_ref(place)).collect::<rusqlite::Result<Vec<_>>>()
        else {
            self.dropped += 1;
            return Ok(());
        };
        if !is_whole(self.table, &values) {
            if self.bad.len() < BAD_ROWS_MAX && !VECTORS.contains(&self.table.name.as_str()) {
                self.bad.push(values.into_iter().map(value).collect());
            } else {
                self.dropped += 1;
            }
            return Ok(());
        }
        if !put(&mut self.insert, &values.into_iter().map(value).collect::<Vec<_>>())? {
            self.dropped += 1;
        }
        Ok(())
    }
}

/// Inserts a row; answers whether the schema allows it.
pub fn put(insert: &mut Statement<'_>, values: &[Value]) -> Result<bool> {
    use rusqlite::ErrorCode::{ConstraintViolation, TypeMismatch};
    match insert.execute(params_from_iter(values)) {
        Ok(_) => Ok(true),
        Err(error)
            if matches!(error.sqlite_error_code(), Some(ConstraintViolation | TypeMismatch)) =>
        {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

/// A text that is no UTF-8 has the sign U+FFFD where it cannot be read.
fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_owned()),
    }
}

/// Whether a row is what was written, as far as it can be told.
fn is_whole(table: &GroundTable, values: &[ValueRef<'_>]) -> bool {
    if whole::fault(table, values).is_some() {
        return false;
    }
    let of_vector = table.columns.iter().position(|column| column == "embedding");
    match of_vector.and_then(|place| values.get(place)) {
        Some(ValueRef::Blob(bytes)) => whole::is_unit_vector(bytes),
        _ => true,
    }
}
