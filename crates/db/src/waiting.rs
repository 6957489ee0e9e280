//! A store that cannot be written: read meanwhile, and written again as soon as that can be.

use super::lock::StoreLock;
use super::open::{BUSY_TIMEOUT, OpenFile, PROBE_TIMEOUT};
use super::{Error, Locked, Opened, READERS_KEPT_MAX, Result, Store, open, reading};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long [`Store::open_again`] waits for the reads that are going on.
const READS_TIMEOUT: Duration = Duration::from_millis(500);
/// Between two looks whether they are done.
const READS_PAUSE: Duration = Duration::from_millis(1);

impl Store {
    /// Opens a store that cannot be written now, because of `fault`, to be read.
    pub(super) fn open_waiting(
        path: PathBuf,
        bytes_max: u64,
        fault: Error,
    ) -> Result<(Self, Opened)> {
        // What cannot be read as it is is no better off than by the fault.
        let lock = match StoreLock::if_possible(&path) {
            Ok(lock) => lock,
            // Somebody else has it, whatever else is wrong.
            Err(error @ Error::InUse { .. }) => return Err(error),
            Err(_) => return Err(fault),
        };
        let Ok(store) = Self::on(path, bytes_max) else { return Err(fault) };
        *store.lock.locked() = Some(lock);
        store.is_waiting.store(true, Ordering::Release);
        let inspected =
            store.with_reader(|connection| reading::inspect_on(&store.path, connection));
        match inspected {
            Ok(()) => {
                let waits_for = Some(fault);
                Ok((
                    store,
                    Opened { damaged_aside: None, unclean: false, missing_commits: 0, waits_for },
                ))
            }
            Err(error) => {
                log::debug!("the store cannot be read either: {error}");
                Err(fault)
            }
        }
    }

    /// Whether it was opened while it could not be written, and [`Store::open_again`] had no success yet.
    pub fn is_waiting(&self) -> bool {
        self.is_waiting.load(Ordering::Acquire)
    }

    /// Opens a store for writing that could only be read so far; answers whether it was such a one.
    /// Reads wait for as long as that takes.
    ///
    /// # Errors
    /// When it still cannot be written, or when reads go on for too long: SQLite keeps one view of a file
    /// for all connections of a process.
    pub fn open_again(&self) -> Result<bool> {
        let begun = Instant::now();
        // In the order in which others take them, too: who has the right to write may read.
        let mut writer = self.writer();
        let mut readers = self.readers.locked();
        if !self.is_waiting() {
            return Ok(false);
        }
        while readers.busy > 0 {
            drop(readers);
            if begun.elapsed() > READS_TIMEOUT {
                return Err(Error::Waiting);
            }
            std::thread::sleep(READS_PAUSE);
            readers = self.readers.locked();
        }
        readers.idle.clear();
        let mut held = self.lock.locked();
        // It may be one for reading.
        drop(held.take());
        match open::file_again(&self.path, self.bytes_max) {
            Ok(OpenFile {
                lock, writer: connection, check_due, missing_commits, unclean, ..
            }) => {
                self.rewrite_due.store(unclean, Ordering::Relaxed);
                self.missing_commits.store(missing_commits, Ordering::Relaxed);
                *held = Some(lock);
                *writer.connection = Some(connection);
                self.note_log();
                self.check_due.store(check_due, Ordering::Relaxed);
                self.is_waiting.store(false, Ordering::Release);
                Ok(true)
            }
            Err(error) => {
                *held = StoreLock::if_possible(&self.path).ok();
                Err(error)
            }
        }
    }

    /// Whether it can be written: changes nothing, but puts that on disk. What is rolled back never comes
    /// to the disk, and would say nothing of it.
    ///
    /// # Errors
    /// When it cannot.
    pub fn probe(&self) -> Result<()> {
        let writer = self.writer();
        let connection = match &*writer.connection {
            Some(connection) => connection,
            None if self.is_waiting() => return Err(Error::Waiting),
            None => return Err(Error::Closed),
        };
        connection.busy_timeout(PROBE_TIMEOUT)?;
        let written = connection.execute("UPDATE store_state SET run = run WHERE id = 1", []);
        connection.busy_timeout(BUSY_TIMEOUT)?;
        written?;
        Ok(())
    }
}

/// A read that is going on.
pub(super) struct ReadInProgress<'s> {
    store: &'s Store,
    /// Whether the file cannot be opened for writing yet.
    pub is_waiting: bool,
}

impl<'s> ReadInProgress<'s> {
    pub fn begin(store: &'s Store) -> Self {
        let mut readers = store.readers.locked();
        readers.busy += 1;
        Self { store, is_waiting: store.is_waiting() }
    }

    /// A connection that is not in use.
    pub fn idle(&self) -> Option<Connection> {
        self.store.readers.locked().idle.pop()
    }

    /// Keeps a connection for the next.
    pub fn end(self, connection: Connection) {
        let mut readers = self.store.readers.locked();
        if readers.idle.len() < READERS_KEPT_MAX {
            readers.idle.push(connection);
        }
    }
}

impl Drop for ReadInProgress<'_> {
    fn drop(&mut self) {
        self.store.readers.locked().busy -= 1;
    }
}
