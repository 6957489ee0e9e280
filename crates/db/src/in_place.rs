//! Whether the store's files are still where they were opened, and what can be done when its log is not.

use super::tables::value;
use super::{Error, Locked, Result, Store, open, with_suffix};
use rusqlite::Connection;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Device and number of a file.
pub(super) type Identity = (u64, u64);

/// Of the file at a path.
pub(super) fn identity(path: &Path) -> Option<Identity> {
    std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

impl Store {
    /// Fails when the file is no longer where it was opened: what is written to it would be lost. When it
    /// is the log that was removed, all that is in it is brought into the file, and a new one begun.
    ///
    /// # Errors
    /// [`Error::Removed`]; of a log that was removed only for as long as somebody reads it.
    pub fn check_in_place(&self) -> Result<()> {
        if identity(&self.path) != Some(self.identity) {
            return Err(Error::Removed(self.path.clone()));
        }
        let opened = *self.log_identity.locked();
        if opened.is_none() || identity(&self.log_path()) == opened {
            return Ok(());
        }
        self.begin_log()
    }

    fn log_path(&self) -> PathBuf {
        with_suffix(&self.path, "-wal")
    }

    /// Notes which file is the log, of a connection that has just been opened for writing.
    pub(super) fn note_log(&self) {
        let log = identity(&self.log_path());
        *self.log_identity.locked() = log;
    }

    /// Brings all of a removed log, which is still open, into the file, and opens a new one.
    fn begin_log(&self) -> Result<()> {
        let mut writer = self.writer();
        let mut readers = self.readers.locked();
        let removed = || Error::Removed(self.log_path());
        let opened = *self.log_identity.locked();
        if identity(&self.log_path()) == opened {
            return Ok(());
        }
        let Some(connection) = &*writer.connection else { return Ok(()) };
        // One that began before the log was removed goes on in it.
        if readers.busy > 0 || !is_emptied(connection)? {
            return Err(removed());
        }
        readers.idle.clear();
        let connection = open::writer_again(&self.path, self.bytes_max)?;
        // The one that is replaced is closed last, so that SQLite keeps what connections share.
        let former = writer.connection.replace(connection);
        drop(former);
        self.note_log();
        log::warn!(
            "{} was removed while it was open: what was in it is in the store, and a new one is begun",
            self.log_path().display()
        );
        Ok(())
    }
}

/// Brings the log into the file; answers whether nothing is left in it, and nobody reads it.
fn is_emptied(connection: &Connection) -> Result<bool> {
    value(connection, "PRAGMA wal_checkpoint(TRUNCATE)", []).map(|is_busy: bool| !is_busy)
}
