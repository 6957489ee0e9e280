//! The table `object`: things that detectors saw.

use super::column::{Cell, Cells, Record, json, record};
use super::{ReadTx, Result, WriteTx};
use crate::statement::statements;
use robot_memory_core::model::{Scope, Stamp};
use robot_memory_core::object::TrackedObject;
use rusqlite::{Row, params};

record! {
    /// A thing as it is stored.
    #[derive(Debug, Clone, PartialEq)]
    pub struct StoredObject, select_object {
        pub id: i64 = "id",
        pub scope: Scope = "scope",
        pub told: TrackedObject = "told",
    }
}

impl Cell for TrackedObject {
    fn read(row: &Row<'_>, place: usize, name: &'static str) -> Result<Self> {
        json(row, place, name)
    }
}

impl ReadTx<'_> {
    statements! {
        /// The picture of an object, JPEG; empty: there is none.
        pub fn object_thumbnail(id: i64) -> or_default<Vec<u8>> =
            "SELECT thumbnail FROM object WHERE id = ?1";
    }

    /// The objects that were seen last, at most `limit`, the newest first. One that cannot be read is left out.
    pub fn objects(&self, limit: u32) -> Result<Vec<StoredObject>> {
        let sql = select_object!("FROM object ORDER BY last_seen DESC, id DESC LIMIT ?1");
        Ok(self.rows(sql, [limit], |row| Ok(readable(row)))?.into_iter().flatten().collect())
    }

    /// The object with this key, if it can be read.
    pub fn object_of_key(&self, key: &str) -> Result<Option<StoredObject>> {
        let sql = select_object!("FROM object WHERE object_key = ?1");
        Ok(self.row(sql, [key], |row| Ok(readable(row)))?.flatten())
    }

    /// The scopes that objects are of, in order.
    pub fn object_scopes(&self) -> Result<Vec<Scope>> {
        let sql = "SELECT DISTINCT scope FROM object ORDER BY scope";
        self.rows(sql, [], |row| row.cell(0, "scope"))
    }
}

/// An object, unless it cannot be read.
fn readable(row: &Row<'_>) -> Option<StoredObject> {
    let read = StoredObject::read(row);
    read.inspect_err(|error| log::warn!("an object is left out: {error}")).ok()
}

impl WriteTx<'_> {
    /// Stores an object, in the place of what was known of it.
    pub fn put_object(&self, scope: &Scope, object: &TrackedObject) -> Result<()> {
        let told = serde_json::to_string(object).unwrap_or_default();
        self.execute(
            "INSERT INTO object (object_key, scope, frame, map_id, last_seen, told) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (object_key) DO UPDATE SET \
             scope = excluded.scope, frame = excluded.frame, map_id = excluded.map_id, last_seen = excluded.last_seen, \
             told = excluded.told",
            params![
                object.key,
                scope.to_string(),
                object.frame,
                object.map_id,
                object.last_seen.0,
                told
            ],
        )
    }

    statements! {
        /// Stores the picture of an object.
        pub fn put_object_thumbnail(key: &str, jpeg: &[u8]) -> execute =
            "UPDATE object SET thumbnail = ?2 WHERE object_key = ?1";

        /// Deletes an object.
        pub fn delete_object(key: &str) -> change = "DELETE FROM object WHERE object_key = ?1";

        /// Deletes the objects that were not seen for longest, until there are so many.
        pub fn trim_objects(max: u32) -> change =
            "DELETE FROM object WHERE id IN (SELECT id FROM object \
             ORDER BY last_seen DESC, id DESC LIMIT -1 OFFSET ?1)";

        /// Deletes the objects of a scope that were last seen in a span.
        pub fn delete_objects(scope: &Scope, since: Stamp, until: Stamp)
            [scope.to_string(), since.0, until.0] -> change =
            "DELETE FROM object WHERE scope = ?1 AND last_seen >= ?2 AND last_seen < ?3";
    }
}
