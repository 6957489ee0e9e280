//! Running one statement: prepared once for each connection, and its rows read as values.

use super::{Error, ReadTx, Result, WriteTx};
use rusqlite::types::FromSql;
use rusqlite::{Params, Row};
use std::ops::ControlFlow;

impl ReadTx<'_> {
    /// Calls `f` with each row.
    pub(super) fn each(
        &self,
        sql: &str,
        params: impl Params,
        mut f: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        self.each_until::<()>(sql, params, |row| f(row).map(ControlFlow::Continue)).map(drop)
    }

    /// Calls `f` with each row until it breaks; returns what it broke with.
    pub(super) fn each_until<B>(
        &self,
        sql: &str,
        params: impl Params,
        mut f: impl FnMut(&Row<'_>) -> Result<ControlFlow<B>>,
    ) -> Result<ControlFlow<B>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            let flow = f(row)?;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// All rows.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.each(sql, params, |row| {
            found.push(read(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// The first row, if there is one.
    pub(super) fn row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        rows.next()?.map(read).transpose()
    }

    /// The first column of all rows.
    pub(super) fn values<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<Vec<T>> {
        self.rows(sql, params, |row| Ok(row.get(0)?))
    }

    /// The first column of the first row, if there is one.
    pub(super) fn value<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<Option<T>> {
        self.row(sql, params, |row| Ok(row.get(0)?))
    }

    /// The first column of the row that a statement always has.
    pub(super) fn one<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<T> {
        self.value(sql, params)?.ok_or(Error::from(rusqlite::Error::QueryReturnedNoRows))
    }

    /// Whether there is a row.
    pub(super) fn exists(&self, sql: &str, params: impl Params) -> Result<bool> {
        self.row(sql, params, |_| Ok(())).map(|found| found.is_some())
    }

    /// The same of a count or a sum, which is never negative.
    pub(super) fn count(&self, sql: &str, params: impl Params) -> Result<u64> {
        self.one::<i64>(sql, params).map(i64::unsigned_abs)
    }
}

impl WriteTx<'_> {
    /// Runs a statement that changes rows.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<()> {
        self.change(sql, params).map(drop)
    }

    /// Runs a statement that changes rows; returns how many.
    pub(super) fn change(&self, sql: &str, params: impl Params) -> Result<usize> {
        Ok(self.connection.prepare_cached(sql)?.execute(params)?)
    }
}

/// Inserts a row: the transaction, the table, and each column with its value.
macro_rules! insert {
    ($tx:expr, $table:literal, $first:ident = $first_value:expr
        $(, $column:ident = $value:expr)* $(,)?) => {
        $tx.execute(
            concat!(
                "INSERT INTO ", $table, " (", stringify!($first $(, $column)*), ") VALUES (?",
                $($crate::statement::parameter!($column),)*
                ")"
            ),
            rusqlite::params![$first_value $(, $value)*],
        )
    };
}
macro_rules! parameter {
    ($column:ident) => {
        ", ?"
    };
}
pub(super) use {insert, parameter};
