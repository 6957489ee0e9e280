use rusqlite::ffi;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What can go wrong with the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk or the configured size is full. The transaction was rolled back.
    #[error("the store is full: {0}")]
    Full(#[source] rusqlite::Error),
    /// Another process holds the file.
    #[error("the store is locked by another program: {0}")]
    Busy(#[source] rusqlite::Error),
    /// The file system takes nothing: it is read-only, or the disk fails.
    #[error("the store cannot be written, its file system is read-only or fails: {0}")]
    ReadOnly(#[source] rusqlite::Error),
    /// It was opened while it could not be written, and cannot be yet.
    #[error("the store could not be written when it was opened, and cannot be yet")]
    Waiting,
    /// The file is damaged.
    #[error("the store is damaged: {0}")]
    Corrupt(String),
    /// A copy of the store is not whole.
    #[error("{} is no whole copy of a store: {reason}", .path.display())]
    BadCopy {
        /// The copy.
        path: PathBuf,
        /// What is wrong with it; no text of a memory.
        reason: String,
    },
    /// Another process has opened this store.
    #[error(
        "the store {} is in use by another process (it holds the lock {}); give each node its own store_path",
        .store.display(), .lock.display()
    )]
    InUse {
        /// The store's file.
        store: PathBuf,
        lock: PathBuf,
    },
    /// The file was written by a later version of this program.
    #[error(
        "the store has schema version {found}, this program knows versions up to {known}: \
         install the version that wrote it, or give another store_path"
    )]
    NewerSchema {
        /// The version in the file.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// The file was written by an earlier version of this program and is only to be read.
    #[error(
        "the store has schema version {found}, this program reads version {known}: \
         let the node open the store once, which brings it up to date"
    )]
    OlderSchema {
        /// The version in the file.
        found: i64,
        /// The version that this program reads.
        known: i64,
    },
    /// The words in the file are another tokenizer's, and the file is only to be read.
    #[error(
        "the words in the store were made by tokenizer {found}, this program searches those of {known}: \
         let the node open the store once, which brings it up to date"
    )]
    OtherWords {
        /// The tokenizer's version in the file.
        found: i64,
        /// The version that this program searches.
        known: i64,
    },
    /// A SQLite file that is not a memory store.
    #[error(
        "{} is an SQLite database of another program (application_id {found:#x}): give another store_path",
        .path.display()
    )]
    Foreign {
        path: PathBuf,
        /// Whose it is.
        found: i64,
    },
    /// Something that is no store and never was one.
    #[error(
        "{} is no memory store (a folder, a device, a file of another kind, or one with several hard \
         links): give another store_path",
        .path.display()
    )]
    NoStore {
        /// What is there.
        path: PathBuf,
    },
    /// A file that is mounted without its folder.
    #[error(
        "{} is mounted as a single file: its log, in which the last writes are, would lie in another \
         folder and be lost; mount the folder that it is in",
        .0.display()
    )]
    Mounted(PathBuf),
    /// A file or folder could not be made, locked or renamed.
    #[error("{action} {}: {source}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Any other fault of SQLite.
    #[error("{0}")]
    Sql(#[source] rusqlite::Error),
    /// A row that this program did not write.
    #[error("memory {id}: the column {column} has an invalid value")]
    Row { id: i64, column: &'static str },
    /// The file is no longer where it was opened.
    #[error(
        "the store {} was removed or replaced while it was open; restart the node",
        .0.display()
    )]
    Removed(PathBuf),
    /// The file changed under a reader that nothing kept apart from its writer.
    #[error("another program opened the store meanwhile; try again")]
    Changed,
    /// The store was opened for reading only.
    #[error("the store was opened for reading only")]
    ReadingOnly,
    /// A store that is written cannot be held as it is.
    #[error("the store was not opened for reading only")]
    NotReadingOnly,
    /// An earlier fault in this transaction made SQLite roll all of it back.
    #[error("the transaction was rolled back by an earlier fault")]
    RolledBack,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

impl Error {
    /// What was tried with a file when that fails.
    pub(super) fn io(action: &'static str, path: &Path) -> impl Fn(std::io::Error) -> Self + Copy {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// Whether the store cannot be written now, and may be later as it is: what was to be written can
    /// wait.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Full(_) | Self::Busy(_) | Self::ReadOnly(_) | Self::Waiting => true,
            Self::Io { source, .. } => matches!(
                source.kind(),
                ErrorKind::ReadOnlyFilesystem | ErrorKind::StorageFull | ErrorKind::QuotaExceeded
            ),
            _ => false,
        }
    }

    /// Whether a row holds what was never written: bytes that are no text, or a spelling that nothing has.
    pub fn is_of_row(&self) -> bool {
        use rusqlite::Error as Sql;
        match self {
            Self::Row { .. } => true,
            Self::Sql(error) => matches!(
                error,
                Sql::FromSqlConversionFailure(..)
                    | Sql::IntegralValueOutOfRange(..)
                    | Sql::InvalidColumnType(..)
                    | Sql::Utf8Error(..)
            ),
            _ => false,
        }
    }

    /// Whether it is of what was to be written, so that another attempt would meet it again.
    pub fn is_of_content(&self) -> bool {
        use rusqlite::ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
        match self {
            Self::Row { .. } => true,
            Self::Sql(error) => matches!(
                error.sqlite_error_code(),
                Some(ConstraintViolation | TooBig | TypeMismatch)
            ),
            _ => false,
        }
    }
}

/// SQLite's own number of an error.
fn extended_code(error: &rusqlite::Error) -> i32 {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code,
        _ => ffi::SQLITE_OK,
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full(error),
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Busy(error),
            Some(ErrorCode::ReadOnly) => Self::ReadOnly(error),
            Some(ErrorCode::SystemIoFailure) => match extended_code(&error) {
                // The memory that connections share is a file, too.
                ffi::SQLITE_IOERR_SHMSIZE => Self::Full(error),
                ffi::SQLITE_IOERR_WRITE
                | ffi::SQLITE_IOERR_FSYNC
                | ffi::SQLITE_IOERR_DIR_FSYNC
                | ffi::SQLITE_IOERR_TRUNCATE
                | ffi::SQLITE_IOERR_DELETE
                | ffi::SQLITE_IOERR_SHMOPEN
                | ffi::SQLITE_IOERR_SHMMAP => Self::ReadOnly(error),
                _ => Self::Sql(error),
            },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Corrupt(error.to_string())
            }
            _ => Self::Sql(error),
        }
    }
}

/// The result of anything the store does.
pub type Result<T, E = Error> = std::result::Result<T, E>;
