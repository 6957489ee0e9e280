//! The database of robotmem 0.1: the tables `memories`, `sessions` and `session_outcomes`.

use super::ForeignError;
use crate::statement::whole;
use crate::with_suffix;
use robot_memory_core::limits::{CONTEXT_BYTES_MAX, FOREIGN_VALUE_BYTES_MAX};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, params};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

const PROGRAM: &str = "robotmem";

/// Ids, or sessions, that are read at a time.
const PAGE: i64 = 500;

/// How long it is waited for robotmem, when it writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// A database of robotmem, open to be read.
pub struct RobotmemFile {
    connection: Connection,
}

/// A row of `memories`. A text that is null is empty.
#[expect(missing_docs, reason = "named as the columns are")]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RobotmemMemory {
    pub id: i64,
    pub session_id: String,
    pub collection: String,
    pub kind: String,
    pub content: String,
    pub context: String,
    pub perception_type: String,
    pub perception_data: String,
    pub perception_metadata: String,
    pub confidence: Option<f64>,
    pub status: String,
    pub superseded_by: Option<i64>,
    pub invalidated_reason: String,
    pub created_at: String,
    pub updated_at: String,
}

/// A row of `sessions`, with its latest outcome. A context that is longer than one may be is cut.
#[expect(missing_docs, reason = "named as the columns are")]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RobotmemSession {
    pub id: i64,
    /// Empty: it has none.
    pub session_id: String,
    pub collection: String,
    pub context: String,
    pub status: String,
    pub created_at: String,
    pub updated_at: String,
    pub score: Option<f64>,
}

impl RobotmemFile {
    /// Opens it without changing it. What robotmem has not brought from its log into the file is read as well.
    ///
    /// # Errors
    /// When it is damaged, or no database of robotmem.
    pub fn open(path: &Path) -> Result<Self, ForeignError> {
        let connection = connect(path)?;
        let file = Self { connection };
        file.check().map_err(|error| match error {
            ForeignError::Sqlite(error) => of_file(error),
            error => error,
        })?;
        Ok(file)
    }

    fn check(&self) -> Result<(), ForeignError> {
        for table in ["memories", "sessions", "session_outcomes"] {
            let found: i64 = self.connection.query_row(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1",
                [table],
                |row| row.get(0),
            )?;
            if found == 0 {
                let reason = format!("it has no table {table}");
                return Err(ForeignError::Other { program: PROGRAM, reason });
            }
        }
        let sound: String =
            self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        // An index for words may be of a module that is not there; nothing of it is read.
        if sound != "ok" && !sound.contains("no such module") {
            return Err(ForeignError::Damaged(sound));
        }
        Ok(())
    }

    /// Sessions after the one of this id, in order; none: there are no more.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn sessions_after(&self, id: i64) -> Result<Vec<RobotmemSession>, ForeignError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT s.external_id, s.collection, substr(s.context, 1, ?3), s.status, s.created_at, s.updated_at, \
             (SELECT o.score FROM session_outcomes o WHERE o.session_id = s.external_id \
             ORDER BY o.id DESC LIMIT 1), s.id \
             FROM sessions s WHERE s.id > ?1 ORDER BY s.id LIMIT ?2",
        )?;
        let mut rows = statement.query(params![id, PAGE, whole(CONTEXT_BYTES_MAX + 1)])?;
        let mut sessions = Vec::new();
        while let Some(row) = rows.next()? {
            sessions.push(RobotmemSession {
                id: row.get(7)?,
                session_id: text(row, 0, "external_id")?,
                collection: text(row, 1, "collection")?,
                context: text(row, 2, "context")?,
                status: text(row, 3, "status")?,
                created_at: text(row, 4, "created_at")?,
                updated_at: text(row, 5, "updated_at")?,
                score: number(row, 6, "score")?,
            });
        }
        Ok(sessions)
    }

    /// The ids of memories after this one, in order; none: there are no more.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn ids_after(&self, id: i64) -> Result<Vec<i64>, ForeignError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id FROM memories WHERE id > ?1 ORDER BY id LIMIT ?2")?;
        let ids = statement.query_map([id, PAGE], |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }

    /// The memory of this id.
    ///
    /// # Errors
    /// When it cannot be read, is not there any more, or is longer than a value may be.
    pub fn memory(&self, id: i64) -> Result<RobotmemMemory, ForeignError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT session_id, collection, type, content, context, perception_type, \
             perception_data, perception_metadata, confidence, status, superseded_by, \
             invalidated_reason, created_at, updated_at FROM memories WHERE id = ?1",
        )?;
        let mut rows = statement.query([id])?;
        let Some(row) = rows.next()? else {
            return Err(ForeignError::Value { field: "id", reason: format!("{id} is gone") });
        };
        Ok(RobotmemMemory {
            id,
            session_id: text(row, 0, "session_id")?,
            collection: text(row, 1, "collection")?,
            kind: text(row, 2, "type")?,
            content: text(row, 3, "content")?,
            context: text(row, 4, "context")?,
            perception_type: text(row, 5, "perception_type")?,
            perception_data: text(row, 6, "perception_data")?,
            perception_metadata: text(row, 7, "perception_metadata")?,
            confidence: number(row, 8, "confidence")?,
            status: text(row, 9, "status")?,
            superseded_by: row.get_ref(10)?.as_i64_or_null().unwrap_or_default(),
            invalidated_reason: text(row, 11, "invalidated_reason")?,
            created_at: text(row, 12, "created_at")?,
            updated_at: text(row, 13, "updated_at")?,
        })
    }
}

fn connect(path: &Path) -> Result<Connection, ForeignError> {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' => uri.push(char::from(*byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?mode=ro");
    // Without a log nobody writes it, and it can be read where nothing can be put beside it.
    let is_in_use = ["-wal", "-journal", "-shm"].iter().any(|suffix| {
        std::fs::metadata(with_suffix(path, suffix)).is_ok_and(|beside| beside.len() > 0)
    });
    if !is_in_use {
        uri.push_str("&immutable=1");
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, FOREIGN_VALUE_BYTES_MAX)?;
    // What a file calls a function is not run, and damaged pages are told from others.
    connection.execute_batch(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON",
    )?;
    Ok(connection)
}

/// What a fault of SQLite says of the file.
fn of_file(error: rusqlite::Error) -> ForeignError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            ForeignError::Other { program: PROGRAM, reason: error.to_string() }
        }
        Some(ErrorCode::DatabaseCorrupt) => ForeignError::Damaged(error.to_string()),
        _ => error.into(),
    }
}

/// A column as text: columns of SQLite hold values of any type.
fn text(row: &Row<'_>, place: usize, field: &'static str) -> Result<String, ForeignError> {
    match row.get_ref(place)? {
        ValueRef::Null => Ok(String::new()),
        ValueRef::Integer(number) => Ok(number.to_string()),
        ValueRef::Real(number) => Ok(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            let text = std::str::from_utf8(bytes).map_err(|_| ForeignError::Value {
                field,
                reason: format!("its {} bytes are no UTF-8", bytes.len()),
            })?;
            Ok(text.to_owned())
        }
    }
}

fn number(row: &Row<'_>, place: usize, field: &'static str) -> Result<Option<f64>, ForeignError> {
    match row.get_ref(place)? {
        ValueRef::Null => Ok(None),
        #[expect(clippy::cast_precision_loss, reason = "a confidence is 0 or 1 then")]
        ValueRef::Integer(number) => Ok(Some(number as f64)),
        ValueRef::Real(number) => Ok(Some(number)),
        ValueRef::Text(_) | ValueRef::Blob(_) => {
            Err(ForeignError::Value { field, reason: "it is no number".to_owned() })
        }
    }
}
