//! Opening the file: its lock, its pragmas, its health.

use super::acknowledged::{Acknowledged, hold_against};
use super::check::check;
use super::files::{copy_private, folder_of, free_bytes, make_private_folder, with_suffix};
use super::lock::StoreLock;
use super::log_tail::LogTail;
use super::tables::value;
use super::{Error, Result, reading, schema};
use crate::statement::whole;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
use std::ffi::{c_char, c_int};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

/// How long a connection waits for a program outside (a backup tool, the sqlite3 shell) that holds
/// the file.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// Bytes of a page of a new file. A vector of 512 f32 is just over half of 4096 bytes, so that there
/// each would take a page of its own. At 100,000 rows with such vectors, files of 4096, 8192 and
/// 16384 bytes a page are 460, 321 and 282 MB, and a commit of one row writes 63, 93 and 169 kB to
/// the log: 8192 has most of the gain, and wears a flash card little more.
pub(super) const PAGE_BYTES: i64 = 8192;

/// Pages in the log at which a writer brings it into the file by itself, 32 MiB, when nobody else
/// has done it in time.
const LOG_PAGES_MAX: i64 = 4096;

/// KiB of pages that the writing connection keeps: the hashes of a million facts lie scattered over
/// as much. Readers were no faster with more than SQLite's own 2 MB, as the system keeps the file.
const WRITER_CACHE_KIB: i64 = 16 * 1024;

/// Bytes of a file that is checked before it is used, which takes about a second for this size; a
/// larger one is used at once and checked beside that.
const CHECKED_FIRST_BYTES_MAX: u64 = 512 << 20;

/// Bytes of a file that is checked before it is used also when the last run closed it: that takes a tenth of a
/// second. What happened to a larger one meanwhile is found by the look of each day.
const CHECKED_EVER_BYTES_MAX: u64 = 64 << 20;

/// How long the attempt to open a file for writing waits that was opened without before, and how long a
/// look whether it can be written again.
pub(super) const PROBE_TIMEOUT: Duration = Duration::from_millis(50);

/// What [`file`] found and made.
pub struct OpenFile {
    /// The one connection that writes.
    pub writer: Connection,
    /// Held for as long as the store is open, and let go after all connections.
    pub lock: StoreLock,
    /// Where a damaged file was put aside.
    pub damaged_aside: Option<PathBuf>,
    /// Whether the last run ended without closing the store.
    pub unclean: bool,
    /// Whether the file is still to be checked for damage.
    pub check_due: bool,
    /// Commits that were acknowledged and are not there.
    pub missing_commits: u64,
}

/// Opens or makes the store's file, alone, private to this user, migrated and checked. A damaged one
/// is put aside first; so is one that the caller found to be damaged.
pub fn file(path: &Path, bytes_max: u64, found_damage: Option<&str>) -> Result<OpenFile> {
    register_sqlite_vec();
    let was_store = has_companion(path);
    let mut lock = StoreLock::beside(path)?;
    let past = Past::read(path, &lock);
    make_private(path)?;
    lock.hold_file()?;
    let opened = match found_damage {
        Some(reason) => Err(Error::Corrupt(reason.to_owned())),
        None => writer(path, bytes_max, BUSY_TIMEOUT, &past),
    };
    match opened {
        Ok((writer, found)) => Ok(OpenFile {
            lock,
            writer,
            damaged_aside: None,
            unclean: found.unclean,
            check_due: found.check_due,
            missing_commits: found.missing_commits,
        }),
        Err(Error::Corrupt(_)) if found_damage.is_none() && !was_store && !is_sqlite(path) => {
            Err(Error::NoStore { path: path.into() })
        }
        Err(Error::Corrupt(reason)) => {
            let aside = free_aside(path);
            // Before it is gone from its place: whatever happens in between, the next start knows.
            note_salvage(path, &aside);
            quarantine(path, &aside)?;
            log::warn!("the store {} is damaged: {reason}", path.display());
            make_private(path)?;
            lock.hold_file()?;
            // What is lacking is told by whoever saves what can be read.
            let (writer, _) = writer(path, bytes_max, BUSY_TIMEOUT, &past)?;
            Ok(OpenFile {
                lock,
                writer,
                damaged_aside: Some(aside),
                unclean: true,
                check_due: false,
                missing_commits: 0,
            })
        }
        Err(error) => Err(error),
    }
}

/// The same of a file that was read so far because it could not be written, and that nobody of this
/// process has open. What is damaged stays where it is.
pub fn file_again(path: &Path, bytes_max: u64) -> Result<OpenFile> {
    let mut lock = StoreLock::beside(path)?;
    lock.hold_file()?;
    let past = Past::read(path, &lock);
    let (writer, found) = writer(path, bytes_max, PROBE_TIMEOUT, &past)?;
    let FileCondition { unclean, check_due, missing_commits } = found;
    Ok(OpenFile { lock, writer, damaged_aside: None, unclean, check_due, missing_commits })
}

/// What is known of a store beside what its file says.
struct Past {
    acknowledged: Option<Acknowledged>,
    tail: LogTail,
}

impl Past {
    /// To be read before anything is opened: SQLite begins the log anew.
    fn read(path: &Path, lock: &StoreLock) -> Self {
        let log = with_suffix(path, "-wal");
        let is_filled = |path: &Path| std::fs::metadata(path).is_ok_and(|file| file.len() > 0);
        if !is_filled(path) && !is_filled(&log) {
            // Of one that was removed nothing holds.
            if let Some(Err(error)) = lock.note_file().map(Acknowledged::forget) {
                log::debug!("{}: {error}", path.display());
            }
        }
        Self {
            acknowledged: lock.note_file().and_then(Acknowledged::read),
            tail: LogTail::read(&log),
        }
    }
}

/// A reading connection to a file that cannot be written now. Where SQLite's locks can be taken they
/// are; where even the file for them cannot be made, nobody writes.
pub fn waiting_reader(path: &Path) -> Result<Connection> {
    let attached = reader(path).and_then(|connection| {
        schema::version(&connection)?;
        Ok(connection)
    });
    attached.or_else(|_| reading::connect_as_found(path))
}

/// The one path of a store, whatever links lead to it: its lock has that name. Makes the folder.
pub fn real_path(path: &Path) -> Result<PathBuf> {
    let io = |action| Error::io(action, path);
    let folder = folder_of(path);
    make_private_folder(folder)?;
    let Ok(found) = std::fs::metadata(path) else {
        let folder = std::fs::canonicalize(folder).map_err(io("cannot find the folder of"))?;
        let name = path.file_name().ok_or_else(|| Error::NoStore { path: path.into() })?;
        return Ok(folder.join(name));
    };
    if !found.is_file() || found.nlink() > 1 {
        return Err(Error::NoStore { path: path.into() });
    }
    if is_mounted(path) {
        return Err(Error::Mounted(path.into()));
    }
    std::fs::canonicalize(path).map_err(io("cannot find"))
}

/// Whether a file is mounted at this path without its folder: then its log would be another one than at
/// its other paths, and be gone with the folder. `false` where the system does not tell.
fn is_mounted(path: &Path) -> bool {
    statx(CWD, path, AtFlags::empty(), StatxFlags::empty())
        .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Whether what only a store has lies beside this path: a lock or a log.
fn has_companion(path: &Path) -> bool {
    [".lock", "-wal"].iter().any(|suffix| with_suffix(path, suffix).exists())
}

/// Whether a file begins as SQLite's do, or with nothing at all, as after a loss of power.
fn is_sqlite(path: &Path) -> bool {
    let mut start = [0; 16];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && (&start == b"SQLite format 3\0" || start == [0; 16])
}

/// A further connection, which only reads.
pub fn reader(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "query_only", true)?;
    keep_statements(&connection)?;
    Ok(connection)
}

/// Statements are planned once, whatever is bound to them: SQLite would else plan many anew for each value,
/// for the sake of statistics (`ANALYZE`) that this store does not keep.
fn keep_statements(connection: &Connection) -> Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// How the last run left a file.
struct FileCondition {
    /// Whether it did not close it.
    unclean: bool,
    /// Whether it should be checked for damage, and was not yet.
    check_due: bool,
    /// Commits that were acknowledged and are not there.
    missing_commits: u64,
}

fn writer(
    path: &Path,
    bytes_max: u64,
    patience: Duration,
    past: &Past,
) -> Result<(Connection, FileCondition)> {
    if past.tail.lost_commits > 0 {
        keep_log_aside(path);
    }
    let mut connection = connect(path, patience)?;
    let mut found = inspect(path, &connection)?;
    // Serves a file that is new; others keep theirs.
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    let migrated_from = schema::migrate(&mut connection)?;
    if (1..schema::VERSION).contains(&migrated_from)
        && let Err(error) = vacuum(&connection)
    {
        // It holds all it should, in pages of the former size.
        log::warn!("the store could not be made smaller: {error}");
    }
    found.missing_commits = hold_against(&mut connection, past.acknowledged, &past.tail)?;
    settle(&connection, bytes_max)?;
    // What is written is no copy any more.
    connection.execute(
        "UPDATE store_state SET run = run + 1, clean = 0, rows_sha256 = NULL WHERE id = 1",
        [],
    )?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok((connection, found))
}

/// One more writing connection to a store that is open, in the place of the one that there is.
pub fn writer_again(path: &Path, bytes_max: u64) -> Result<Connection> {
    let connection = connect(path, BUSY_TIMEOUT)?;
    // Reads the file, so that it is SQLite's also when the other connection goes.
    schema::version(&connection)?;
    settle(&connection, bytes_max)?;
    Ok(connection)
}

/// What only the connection that writes has.
fn connect(path: &Path, patience: Duration) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    keep_statements(&connection)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    // What is deleted, or changed, or moved to another page, is overwritten with zeros. Ever on: text
    // that a former page layout left in a corner could not be found again when its row goes. Deleting
    // 4,000 rows of 7 kB took 0.8 s instead of 0.7 s, with the same log; inserting took no longer.
    connection.pragma_update(None, "secure_delete", true)?;
    // An answer of success is on disk: the log is synced at each commit.
    connection.pragma_update(None, "synchronous", "full")?;
    Ok(connection)
}

/// What cannot be set before the file has its schema.
fn settle(connection: &Connection, bytes_max: u64) -> Result<()> {
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES_MAX)?;
    connection.pragma_update(None, "journal_size_limit", LOG_PAGES_MAX * PAGE_BYTES)?;
    limit_size(connection, bytes_max)
}

/// Writes the file anew, without what a migration left empty and in pages of [`PAGE_BYTES`]. When
/// the process dies inside, the next one that opens the file finds it as it was.
fn vacuum(connection: &Connection) -> Result<()> {
    // The page size is fixed for as long as there is a log.
    connection.pragma_update(None, "journal_mode", "delete")?;
    let vacuumed = connection.execute_batch("VACUUM");
    connection.pragma_update(None, "journal_mode", "wal")?;
    Ok(vacuumed?)
}

/// Looks at the file before anything in it is changed: whether it is a memory store of a known
/// version, and, when the last run met damage or did not close it, whether it is sound, unless it is
/// so large that this is left for later. A new file counts as closed.
fn inspect(path: &Path, connection: &Connection) -> Result<FileCondition> {
    let version = schema::version(connection)?;
    let empty: bool = value(connection, "SELECT count(*) = 0 FROM sqlite_schema", [])?;
    if empty && version == 0 {
        return Ok(FileCondition { unclean: false, check_due: false, missing_commits: 0 });
    }
    let application_id = schema::application_id(connection)?;
    if application_id != schema::APPLICATION_ID {
        return Err(Error::Foreign { path: path.into(), found: application_id });
    }
    schema::refuse_newer(version)?;
    if let Some(name) = schema::lacking(connection, version)? {
        return Err(Error::Corrupt(format!("it lacks the {name}")));
    }
    if version == 0 {
        return Err(Error::Corrupt("it has no version".into()));
    }
    let clean: bool = value(connection, "SELECT clean FROM store_state WHERE id = 1", [])?;
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    let is_large = bytes > CHECKED_FIRST_BYTES_MAX;
    let check_due = !clean && is_large && !is_marked_damaged(connection, version)?;
    if !clean && !check_due || bytes <= CHECKED_EVER_BYTES_MAX {
        check(connection)?;
        // It read every page, and few of them are needed next.
        connection.execute_batch("PRAGMA shrink_memory")?;
    }
    Ok(FileCondition { unclean: !clean, check_due, missing_commits: 0 })
}

/// Whether an earlier run met damage; version 1 had no mark for it, and checked each time.
fn is_marked_damaged(connection: &Connection, version: i64) -> Result<bool> {
    if version < 2 {
        return Ok(true);
    }
    value(connection, "SELECT damaged FROM store_state WHERE id = 1", [])
}

fn limit_size(connection: &Connection, bytes_max: u64) -> Result<()> {
    if bytes_max > 0 {
        let page_bytes: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let pages = bytes_max / page_bytes.max(1).unsigned_abs();
        let pages = whole(pages).clamp(1, 0xffff_fffe);
        // Answers the value in force, which is never below the file's present size.
        connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
    }
    Ok(())
}

/// Makes the file when there is none. SQLite gives its log and shared memory the permissions of the file
/// itself.
fn make_private(path: &Path) -> Result<()> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
        .map(drop)
        .map_err(Error::io("cannot open the store", path))
}

/// Keeps a copy of a log of which not all can be read, and of the file that it belongs to: SQLite begins
/// the log anew.
fn keep_log_aside(path: &Path) {
    let bytes = |suffix| std::fs::metadata(with_suffix(path, suffix)).map_or(0, |file| file.len());
    let needed = bytes("") + bytes("-wal");
    if free_bytes(folder_of(path)).is_some_and(|free| free < 2 * needed) {
        log::warn!("a part of the log cannot be read, and there is no room to keep it as it was");
        return;
    }
    let aside = free_aside(path);
    for suffix in ["-wal", ""] {
        match copy_private(&with_suffix(path, suffix), &with_suffix(&aside, suffix)) {
            Ok(()) => {}
            Err(error) => log::warn!("the damaged log could not be kept: {error}"),
        }
    }
    log::warn!("a part of the log cannot be read: as it was it is kept in {}-wal", aside.display());
}

/// Renames a damaged store, with its log, to a name that is free. Nothing is deleted.
fn quarantine(path: &Path, aside: &Path) -> Result<()> {
    for suffix in ["-wal", "-shm", ""] {
        let from = with_suffix(path, suffix);
        if from.exists() {
            std::fs::rename(&from, with_suffix(aside, suffix))
                .map_err(Error::io("cannot put the damaged store aside", &from))?;
        }
    }
    Ok(())
}

/// Where it is noted that a damaged store is to be saved into the one at this path.
pub(super) fn salvage_note(path: &Path) -> PathBuf {
    with_suffix(path, ".salvage")
}

/// Without the note, what can be read of it stays where it is.
fn note_salvage(path: &Path, aside: &Path) {
    let name = aside.file_name().unwrap_or_default().to_string_lossy();
    if let Err(error) = std::fs::write(salvage_note(path), name.as_bytes()) {
        log::warn!("{}: {error}", salvage_note(path).display());
    }
}

/// A free name beside a store for what is damaged of it.
pub(super) fn free_aside(path: &Path) -> PathBuf {
    (1..)
        .map(|number: u32| with_suffix(path, &format!(".damaged-{number}")))
        .find(|aside| !aside.exists())
        .unwrap_or_else(|| with_suffix(path, ".damaged"))
}

/// Makes the functions of sqlite-vec known to every connection opened after it.
pub(super) fn register_sqlite_vec() {
    type EntryPoint = unsafe extern "C" fn(
        *mut rusqlite::ffi::sqlite3,
        *mut *mut c_char,
        *const rusqlite::ffi::sqlite3_api_routines,
    ) -> c_int;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: sqlite3_vec_init is an SQLite extension entry point, which has this signature;
        // its crate declares it without arguments.
        unsafe {
            let entry_point = std::mem::transmute::<*const (), EntryPoint>(
                sqlite_vec::sqlite3_vec_init as *const (),
            );
            rusqlite::ffi::sqlite3_auto_extension(Some(entry_point));
        }
    });
}
