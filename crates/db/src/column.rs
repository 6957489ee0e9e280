//! Reading spellings and lists out of a row's columns.

use super::{Error, Result};
use robot_memory_core::model::Scope;
use rusqlite::Row;

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
        let json = self.row.get_ref(place)?.as_str().map_err(rusqlite::Error::from)?;
        if json.is_empty() {
            return Ok(Vec::new());
        }
        serde_json::from_str(json).map_err(|_| Error::Row { id: self.id, column: name })
    }
}
