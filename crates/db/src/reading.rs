//! Reading a store that may be another process's, without a trace.
//!
//! While a log lies beside the file, SQLite's own locks keep the reader's snapshot whole; with
//! `readonly_shm` it also reads what a killed writer left behind without repairing it. Without a log
//! the store is closed, and its folder may be one in which nothing can be made: then it is read as
//! immutable, which takes no locks, and looked at afterwards for whether it was.

#[cfg(test)]
mod tests;

use super::files::with_suffix;
use super::open::register_sqlite_vec;
use super::{Error, ReadTx, Result, schema};
use rusqlite::{Connection, OpenFlags};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a reader waits for a writer that begins or ends: SQLite locks the log only then.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// The path of a store that is there, whatever links lead to it.
pub fn real_path(path: &Path) -> Result<PathBuf> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {
            std::fs::canonicalize(path).map_err(Error::io("cannot find", path))
        }
        Ok(_) => Err(Error::NoStore { path: path.into() }),
        Err(source) => Err(Error::io("cannot open", path)(source)),
    }
}

/// Fails when the file is not a memory store of this program's schema.
pub fn inspect(path: &Path) -> Result<()> {
    on_connection(path, |connection| inspect_on(path, connection)).map_err(|error| match error {
        // Bytes that are no database are more likely another file than a damaged store.
        Error::Corrupt(_) => Error::NoStore { path: path.into() },
        error => error,
    })
}

/// The same, on a connection.
pub fn inspect_on(path: &Path, connection: &Connection) -> Result<()> {
    let version = schema::version(connection)?;
    let application_id = schema::application_id(connection)?;
    if application_id != schema::APPLICATION_ID {
        return Err(Error::Foreign { path: path.into(), found: application_id });
    }
    schema::refuse_newer(version)?;
    if version < schema::VERSION {
        return Err(Error::OlderSchema { found: version, known: schema::VERSION });
    }
    Ok(())
}

/// Runs `f` on one snapshot.
pub fn read<T, E: From<Error>>(
    path: &Path,
    f: impl FnOnce(&ReadTx<'_>) -> Result<T, E>,
) -> Result<T, E> {
    on_connection(path, |connection| f(&ReadTx::begin(connection, "BEGIN")?))
}

/// One snapshot, for as long as it is kept.
pub struct Snapshot {
    path: PathBuf,
    connection: Connection,
    before: State,
}

impl Snapshot {
    /// Of the store as it is now.
    pub fn take(path: &Path) -> Result<Self> {
        let before = state(path);
        let connection = connect(path, before.options())?;
        connection.execute_batch("BEGIN")?;
        // A transaction sees the state in which it first reads.
        schema::version(&connection)?;
        Ok(Self { path: path.into(), connection, before })
    }

    /// Runs `f` on it.
    pub fn read<T, E: From<Error>>(
        &self,
        f: impl FnOnce(&ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let result = f(&ReadTx { connection: &self.connection, open: false });
        self.check()?;
        result
    }

    /// What sees it.
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Fails when it may have changed meanwhile.
    pub(super) fn check(&self) -> Result<()> {
        self.before.check(&self.path)
    }
}

fn on_connection<T, E: From<Error>>(
    path: &Path,
    f: impl FnOnce(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    let before = state(path);
    let result = connect(path, before.options()).map_err(E::from).and_then(|c| f(&c));
    before.check(path)?;
    result
}

/// A connection to a store that nobody writes for as long as it is kept.
pub fn connect_as_found(path: &Path) -> Result<Connection> {
    connect(path, state(path).options())
}

pub(super) fn connect(path: &Path, options: &str) -> Result<Connection> {
    register_sqlite_vec();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri(path, options), flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// What changes when anybody opens or changes the store.
#[derive(PartialEq, Eq)]
struct State {
    /// Whether there is a log of either kind with anything in it.
    has_log: bool,
    /// The file's number, length and time of change.
    file: Option<(u64, u64, i64, i64)>,
}

impl State {
    /// SQLite's options for a connection to a store in this state.
    fn options(&self) -> &'static str {
        if self.has_log { "mode=ro&readonly_shm=1" } else { "immutable=1" }
    }

    /// Fails when the store may have changed under a reader that took no locks. What a writer did
    /// meanwhile may have shown as anything, an error among it.
    fn check(&self, path: &Path) -> Result<()> {
        if self.has_log || state(path) == *self { Ok(()) } else { Err(Error::Changed) }
    }
}

fn state(path: &Path) -> State {
    let is_filled =
        |suffix| std::fs::metadata(with_suffix(path, suffix)).is_ok_and(|log| log.len() > 0);
    State {
        has_log: ["-wal", "-journal"].into_iter().any(is_filled),
        file: std::fs::metadata(path)
            .ok()
            .map(|file| (file.ino(), file.len(), file.ctime(), file.ctime_nsec())),
    }
}

/// A path in SQLite's notation, which has characters of its own meaning.
fn uri(path: &Path, options: &str) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte));
            }
            byte => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push('?');
    uri.push_str(options);
    uri
}
