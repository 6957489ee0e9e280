//! The one SQLite file. Only this module names rusqlite, and only it knows SQL.
//!
//! Rows are the ground state. One connection writes, behind a lock; others read, each in its own
//! snapshot. [`ReadTx`] and [`WriteTx`] are two types, and only the second can change anything.

mod audit;
mod error;
mod idempotency;
mod memories;
mod open;
mod schema;
mod sessions;
mod vectors;
mod words;

pub use error::{Error, Result};
pub use memories::{Accesses, Draft, SessionRow, UpdatedContent};
pub use sessions::SessionDraft;

use rusqlite::Connection;
use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Idle reading connections that are kept.
const READERS_KEPT_MAX: usize = 8;

/// An open store.
pub struct Store {
    path: PathBuf,
    writer: Mutex<Option<Connection>>,
    readers: Mutex<Vec<Connection>>,
    _lock: File,
}

/// What opening found out of the ordinary.
pub struct Opened {
    /// Where a damaged store was put aside.
    pub damaged_aside: Option<PathBuf>,
    /// Whether the last run ended without closing the store.
    pub unclean: bool,
}

impl Store {
    /// Opens the store, making it when there is none.
    ///
    /// A damaged file is renamed and a new one begun. Fails when another process has it open, when
    /// a later version wrote it, or when it is not a memory store; then it is left as it was.
    pub fn open(path: &Path, bytes_max: u64) -> Result<(Self, Opened)> {
        let file = open::file(path, bytes_max)?;
        let store = Self {
            path: path.into(),
            writer: Mutex::new(Some(file.writer)),
            readers: Mutex::new(Vec::new()),
            _lock: file.lock,
        };
        Ok((store, Opened { damaged_aside: file.damaged_aside, unclean: file.unclean }))
    }

    /// Takes the right to write; waits for whoever has it.
    pub fn writer(&self) -> Writer<'_> {
        Writer(self.writer.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs `f` on one snapshot of the store.
    pub fn read<T, E: From<Error>>(
        &self,
        f: impl FnOnce(&ReadTx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open::reader(&self.path)?,
        };
        let result = {
            let tx = ReadTx::begin(&connection, "BEGIN")?;
            f(&tx)
        };
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < READERS_KEPT_MAX {
            readers.push(connection);
        }
        result
    }

    /// Bytes of the file and its log.
    pub fn bytes(&self) -> u64 {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        size(&self.path) + size(Path::new(&log))
    }

    /// Brings the log into the file and marks it as closed in order. Later calls fail with
    /// [`Error::Closed`].
    pub fn close(&self) -> Result<()> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let connection = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(connection) = connection {
            connection.execute("UPDATE store_state SET clean = 1 WHERE id = 1", [])?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            connection.close().map_err(|(_, error)| Error::from(error))?;
        }
        Ok(())
    }
}

/// The right to write. While it is held no other transaction commits.
pub struct Writer<'s>(MutexGuard<'s, Option<Connection>>);

impl Writer<'_> {
    /// Begins a transaction that can change rows.
    pub fn begin(&mut self) -> Result<WriteTx<'_>> {
        let connection = self.0.as_ref().ok_or(Error::Closed)?;
        Ok(WriteTx(ReadTx::begin(connection, "BEGIN IMMEDIATE")?))
    }
}

/// One snapshot of the store. Ends without a trace when it is dropped.
pub struct ReadTx<'c> {
    connection: &'c Connection,
    open: bool,
}

impl<'c> ReadTx<'c> {
    fn begin(connection: &'c Connection, statement: &str) -> Result<Self> {
        connection.execute_batch(statement)?;
        Ok(Self { connection, open: true })
    }

    /// The revision of this snapshot: it rises with every committed change.
    pub fn revision(&self) -> Result<i64> {
        let mut statement =
            self.connection.prepare_cached("SELECT revision FROM store_state WHERE id = 1")?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }
}

impl Drop for ReadTx<'_> {
    fn drop(&mut self) {
        // SQLite has rolled back by itself after some faults (a full disk); then there is nothing
        // to end.
        if self.open
            && !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            log::error!("a transaction could not be rolled back: {error}");
        }
    }
}

/// A transaction that can change rows. Dropped without [`WriteTx::commit`] it changes nothing.
pub struct WriteTx<'c>(ReadTx<'c>);

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &ReadTx<'c> {
        &self.0
    }
}

impl WriteTx<'_> {
    /// Makes all changes durable and answers the store's revision after it.
    ///
    /// On an error nothing was changed; when the machine stops inside, either all of it or nothing
    /// is there afterwards.
    pub fn commit(mut self) -> Result<i64> {
        let revision = self
            .connection
            .prepare_cached(
                "UPDATE store_state SET revision = revision + 1 WHERE id = 1 RETURNING revision",
            )?
            .query_row([], |row| row.get(0))?;
        self.connection.execute_batch("COMMIT")?;
        self.0.open = false;
        Ok(revision)
    }
}
