//! Reading spellings and lists out of a row's columns.

use super::{Error, Result};
use robot_memory_core::model::{Scope, Stamp};
use rusqlite::Row;
use serde::de::DeserializeOwned;

/// Values of a row's columns, by their place.
pub trait Cells {
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

/// The columns of a row, by their place; names are for the errors.
#[derive(Clone, Copy)]
pub struct Column<'r, 's> {
    pub row: &'r Row<'s>,
    /// Of the row, for errors.
    pub id: i64,
}

impl Column<'_, '_> {
    /// One of the spellings that `parse` knows.
    pub fn text<T>(
        self,
        place: usize,
        name: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T> {
        let unknown = Error::Row { id: self.id, column: name };
        self.optional_text(place, name, parse)?.ok_or(unknown)
    }

    /// One of the spellings that `parse` knows, or NULL.
    pub fn optional_text<T>(
        self,
        place: usize,
        name: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.row.get_ref(place)?.as_str_or_null().map_err(rusqlite::Error::from)? {
            Some(spelling) => {
                parse(spelling).map(Some).ok_or(Error::Row { id: self.id, column: name })
            }
            None => Ok(None),
        }
    }

    /// Who may see the row.
    pub fn scope(self, place: usize) -> Result<Scope> {
        self.text(place, "scope", |text| Scope::parse(text).ok())
    }

    /// A JSON array of texts, or an empty text for none.
    pub fn list(self, place: usize, name: &'static str) -> Result<Vec<String>> {
        if self.row.str(place)?.is_empty() { Ok(Vec::new()) } else { self.json(place, name) }
    }

    /// JSON.
    pub fn json<T: DeserializeOwned>(self, place: usize, name: &'static str) -> Result<T> {
        serde_json::from_str(self.row.str(place)?)
            .map_err(|_| Error::Row { id: self.id, column: name })
    }
}
