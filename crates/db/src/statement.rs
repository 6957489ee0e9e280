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

/// A count as the store keeps it.
pub(super) fn whole(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// Methods that run one statement each: what each takes, its parameters where they are not these, what it
/// finds, and the statement. What it finds is the method that runs it, with the type of what is read;
/// `or_default` and `row_or_default` are a `value` and a `row` where there is one.
macro_rules! statements {
    ($($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),*) $([$($param:expr),+])?
        -> $how:ident $(<$of:ty>)? = $sql:expr;)+) => {
        $($(#[$meta])*
        $vis fn $name(
            &self $(, $arg: $type)*
        ) -> $crate::Result<$crate::statement::found!($how $(, $of)?)> {
            $crate::statement::run!(
                $how, self, $sql, $crate::statement::given!([$($arg),*] $([$($param),+])?)
            )
        })+
    };
}
macro_rules! found {
    (execute) => { () };
    (exists) => { bool };
    (count) => { u64 };
    (change) => { usize };
    (one, $of:ty) => { $of };
    (or_default, $of:ty) => { $of };
    (row_or_default, $of:ty) => { $of };
    (value, $of:ty) => { Option<$of> };
    (row, $of:ty) => { Option<$of> };
    (values, $of:ty) => { Vec<$of> };
    (rows, $of:ty) => { Vec<$of> };
}
macro_rules! run {
    (row, $tx:expr, $sql:expr, $params:expr) => {
        $tx.row($sql, $params, $crate::column::Record::read)
    };
    (rows, $tx:expr, $sql:expr, $params:expr) => {
        $tx.rows($sql, $params, $crate::column::Record::read)
    };
    (or_default, $tx:expr, $sql:expr, $params:expr) => {
        $tx.value($sql, $params).map(Option::unwrap_or_default)
    };
    (row_or_default, $tx:expr, $sql:expr, $params:expr) => {
        $tx.row($sql, $params, $crate::column::Record::read).map(Option::unwrap_or_default)
    };
    ($how:ident, $tx:expr, $sql:expr, $params:expr) => {
        $tx.$how($sql, $params)
    };
}
macro_rules! given {
    ([$($arg:ident),*]) => {
        rusqlite::params![$($arg),*]
    };
    ([$($arg:ident),*] [$($param:expr),+]) => {
        rusqlite::params![$($param),+]
    };
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
pub(super) use {found, given, insert, parameter, run, statements};
