//! Reading a row's columns, and rows as records that say which column each field is.

use super::{Error, HearsayState, Result};
use robot_memory_core::api::Side;
use robot_memory_core::claim::{MemoryRef, Ruling};
use robot_memory_core::model::{
    BranchStatus, Category, JobProgress, JobScope, JobStatus, JobType, Kind, LedgerChange, Level,
    MemType, PairVerdict, PerceptionType, Scope, SessionStatus, Source, Stamp, Status,
    SupersededRule, Trust,
};
use rusqlite::Row;
use rusqlite::types::FromSql;
use serde::de::DeserializeOwned;

/// What a column holds, or some that stand together.
pub trait Cell: Sized {
    /// How many columns it takes.
    const WIDTH: usize = 1;

    /// Reads it from this column on, which a fault calls by its name.
    fn read(row: &Row<'_>, place: usize, name: &'static str) -> Result<Self>;
}

/// A row as it is read.
pub trait Record: Sized {
    /// Reads a row of its columns.
    fn read(row: &Row<'_>) -> Result<Self>;
}

/// Two columns that hold anything.
impl<A: FromSql, B: FromSql> Record for (A, B) {
    fn read(row: &Row<'_>) -> Result<Self> {
        Ok((row.get(0)?, row.get(1)?))
    }
}

/// Three.
impl<A: FromSql, B: FromSql, C: FromSql> Record for (A, B, C) {
    fn read(row: &Row<'_>) -> Result<Self> {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    }
}

/// Values of a row's columns, by their place.
pub trait Cells {
    /// A value, of a column that a fault calls by its name.
    fn cell<T: Cell>(&self, place: usize, name: &'static str) -> Result<T>;
    /// A text, as long as the row is there.
    fn str(&self, place: usize) -> Result<&str>;
    /// Bytes, as long as the row is there.
    fn blob(&self, place: usize) -> Result<&[u8]>;
    /// A count or a sum, which is never negative.
    fn count(&self, place: usize) -> Result<u64>;
    /// A time.
    fn stamp(&self, place: usize) -> Result<Stamp>;
    /// A time, or NULL.
    fn optional_stamp(&self, place: usize) -> Result<Option<Stamp>>;
}

impl Cells for Row<'_> {
    fn cell<T: Cell>(&self, place: usize, name: &'static str) -> Result<T> {
        T::read(self, place, name)
    }

    fn str(&self, place: usize) -> Result<&str> {
        Ok(self.get_ref(place)?.as_str().map_err(rusqlite::Error::from)?)
    }

    fn blob(&self, place: usize) -> Result<&[u8]> {
        Ok(self.get_ref(place)?.as_blob().map_err(rusqlite::Error::from)?)
    }

    fn count(&self, place: usize) -> Result<u64> {
        Ok(self.get::<_, i64>(place)?.unsigned_abs())
    }

    fn stamp(&self, place: usize) -> Result<Stamp> {
        Ok(Stamp(self.get(place)?))
    }

    fn optional_stamp(&self, place: usize) -> Result<Option<Stamp>> {
        Ok(self.get::<_, Option<i64>>(place)?.map(Stamp))
    }
}

/// A column that has an invalid value. The first column of a row is its id, where it has one.
fn fault(row: &Row<'_>, name: &'static str) -> Error {
    let column = name.strip_prefix("m.").unwrap_or(name);
    Error::Row { id: row.get(0).unwrap_or_default(), column }
}

/// Reads JSON.
pub fn json<T: DeserializeOwned>(row: &Row<'_>, place: usize, name: &'static str) -> Result<T> {
    serde_json::from_str(row.str(place)?).map_err(|_| fault(row, name))
}

macro_rules! plain {
    ($($type:ty),+) => {
        $(impl Cell for $type {
            fn read(row: &Row<'_>, place: usize, _: &'static str) -> Result<Self> {
                Ok(row.get(place)?)
            }
        })+
    };
}

plain!(bool, f64, i64, u32, String, Vec<u8>, Option<f64>, Option<i64>, Option<u32>);

macro_rules! spelled {
    ($($type:ident),+) => {
        $(impl Cell for $type {
            fn read(row: &Row<'_>, place: usize, name: &'static str) -> Result<Self> {
                row.cell::<Option<Self>>(place, name)?.ok_or_else(|| fault(row, name))
            }
        }

        impl Cell for Option<$type> {
            fn read(row: &Row<'_>, place: usize, name: &'static str) -> Result<Self> {
                match row.get_ref(place)?.as_str_or_null().map_err(rusqlite::Error::from)? {
                    Some(text) => $type::parse(text).map(Some).ok_or_else(|| fault(row, name)),
                    None => Ok(None),
                }
            }
        })+
    };
}

spelled!(
    BranchStatus,
    Category,
    HearsayState,
    JobStatus,
    JobType,
    Kind,
    LedgerChange,
    Level,
    MemType,
    PairVerdict,
    PerceptionType,
    Ruling,
    SessionStatus,
    Side,
    Source,
    Status,
    SupersededRule,
    Trust
);

impl Cell for u64 {
    fn read(row: &Row<'_>, place: usize, _: &'static str) -> Result<Self> {
        row.count(place)
    }
}

impl Cell for Stamp {
    fn read(row: &Row<'_>, place: usize, _: &'static str) -> Result<Self> {
        row.stamp(place)
    }
}

impl Cell for Option<Stamp> {
    fn read(row: &Row<'_>, place: usize, _: &'static str) -> Result<Self> {
        row.optional_stamp(place)
    }
}

impl Cell for Scope {
    fn read(row: &Row<'_>, place: usize, _: &'static str) -> Result<Self> {
        Self::parse(row.str(place)?).map_err(|_| fault(row, "scope"))
    }
}

/// Kind and name.
impl Cell for JobScope {
    const WIDTH: usize = 2;

    fn read(row: &Row<'_>, place: usize, _: &'static str) -> Result<Self> {
        Self::parse(row.str(place)?, row.str(place + 1)?).map_err(|_| fault(row, "job.scope"))
    }
}

/// Step, done and total.
impl Cell for JobProgress {
    const WIDTH: usize = 3;

    fn read(row: &Row<'_>, place: usize, _: &'static str) -> Result<Self> {
        let [done, total] = [place + 1, place + 2].map(|place| row.count(place));
        Ok(Self { step: row.get(place)?, done: done?, total: total? })
    }
}

/// A list of texts in JSON; empty when there is none.
impl Cell for Vec<String> {
    fn read(row: &Row<'_>, place: usize, name: &'static str) -> Result<Self> {
        if row.str(place)?.is_empty() { Ok(Self::new()) } else { json(row, place, name) }
    }
}

/// A list of memories of robots in JSON.
impl Cell for Vec<MemoryRef> {
    fn read(row: &Row<'_>, place: usize, name: &'static str) -> Result<Self> {
        json(row, place, name)
    }
}

/// A list of ids in JSON.
impl Cell for Vec<i64> {
    fn read(row: &Row<'_>, place: usize, name: &'static str) -> Result<Self> {
        json(row, place, name)
    }
}

/// Declares how rows are read: each field with its column. `$select!("FROM …")` is the statement that reads
/// them. A function after `=>` reads what follows in a way of its own, as the last field. The columns begin
/// with the id of the row for faults, which may be given `by` an expression.
macro_rules! reader {
    ($name:ident, $select:ident $(by $id:literal)? {
        $first:ident = $first_sql:expr $(, $field:ident = $sql:expr $(=> $read:path)?)* $(,)?
    }) => {
        $crate::column::select!(($) $select, $($id, ", ",)? $first_sql $(, ", ", $sql)*);

        impl $crate::column::Record for $name {
            fn read(row: &rusqlite::Row<'_>) -> $crate::Result<Self> {
                let mut place = 0 $(+ $crate::column::one!($id))?;
                Ok(Self {
                    $first: $crate::column::next!(row, place, $first_sql),
                    $($field: $crate::column::next!(row, place, $sql $(=> $read)?),)*
                })
            }
        }
    };
}

/// Makes a macro that is `SELECT`, these columns, and what it is given.
macro_rules! select {
    (($d:tt) $select:ident, $($columns:expr),+) => {
        macro_rules! $select {
            ($d($d rest:expr),+) => {
                concat!("SELECT ", $($columns),+, " ", $d($d rest),+)
            };
        }
    };
}

macro_rules! next {
    ($row:ident, $place:ident, $sql:expr => $read:path) => {
        $read($row, $place)?
    };
    ($row:ident, $place:ident, $sql:expr) => {
        $crate::column::take($row, &mut $place, $sql)?
    };
}

macro_rules! one {
    ($id:literal) => {
        1
    };
}

/// Reads what stands at this place, and goes on behind it.
pub fn take<T: Cell>(row: &Row<'_>, place: &mut usize, name: &'static str) -> Result<T> {
    let at = *place;
    *place += T::WIDTH;
    T::read(row, at, name)
}

/// Declares a record with [`reader`].
macro_rules! record {
    ($(#[$meta:meta])* pub struct $name:ident, $select:ident $(by $id:literal)? {
        $($(#[$field_meta:meta])* pub $field:ident: $type:ty = $sql:expr $(=> $read:path)?),+ $(,)?
    }) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)+
        }

        $crate::column::reader!($name, $select $(by $id)? {
            $($field = $sql $(=> $read)?),+
        });
    };
}

pub(super) use {next, one, reader, record, select};
