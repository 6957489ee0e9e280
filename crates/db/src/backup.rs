//! Copies of the store: made of one snapshot while others write, and put in the place of what it holds.

use super::check::{check_all, check_structure};
use super::files::{Part, copy_open, copy_private, new_private_file, sync_folder_of, with_suffix};
use super::fleet::{former_claims, tell_again};
use super::lock::StoreLock;
use super::open::register_sqlite_vec;
use super::tables::{SEQUENCES, ground_tables, numbers, raise_sequence, row_count, value};
use super::whole::digest_of_whole;
use super::{Error, Locked, Result, Store, Writer, open, reading, schema};
use crate::statement::whole;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Row};
use std::fs::File;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Pages that are copied between two questions whether to go on: 2 MiB.
const PAGES_PER_STEP: i32 = 256;
/// How often a step is tried again that another program is in the way of, and after which pause.
const BUSY_MAX: u32 = 100;
const BUSY_PAUSE: Duration = Duration::from_millis(20);
/// The schema version from which on a store says which one it is, and a copy what its rows are.
const FIRST_IDENTITY_SCHEMA: i64 = 10;
/// By how much the revision rises above the last one that is known, when the store cannot be asked.
const REVISIONS_UNKNOWN: i64 = 1_000;

/// What a copy holds, as it was read from the copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Of which store; empty when its version knew none.
    pub store_id: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// Memories of any status.
    pub memory_count: u64,
    /// The store's revision.
    pub revision: i64,
    /// The version of its schema.
    pub schema_version: i64,
}

/// How many rows tell a whole copy from one that is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RowCounts {
    memories: u64,
    sessions: u64,
    turns: u64,
    vectors: u64,
}

impl Store {
    /// Copies one consistent snapshot of the store to a new file while others write, and reads all of
    /// the copy again before it gets its name, a free one that `name` answers. Now and then `progress` is
    /// told how many pages are copied, and of how many; when it breaks, nothing is left and the answer is
    /// `None`. Several may copy into one folder at once.
    ///
    /// While it runs, the store's log cannot be emptied.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when the store turns out to be damaged, which is noted;
    /// [`Error::BadCopy`] when only the copy is.
    pub fn copy_to(
        &self,
        name: &dyn Fn() -> PathBuf,
        progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Option<(PathBuf, Copied)>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let part = format!(".part-{}-{number}", std::process::id());
        let part = Part(with_suffix(&name(), &part));
        let copied = if self.is_reading_only() {
            let snapshot = reading::Snapshot::take(&self.path)?;
            let copied = copy(snapshot.connection(), &part.0, progress);
            snapshot.check()?;
            copied
        } else {
            let source = open::reader(&self.path)?;
            source.execute_batch("BEGIN")?;
            // A transaction sees the state in which it first reads.
            schema::version(&source)?;
            copy(&source, &part.0, progress)
        };
        if matches!(copied, Err(Error::Corrupt(_))) {
            self.note_damage();
        }
        let Some(copied) = copied? else { return Ok(None) };
        let file = File::open(&part.0).map_err(Error::io("cannot open", &part.0))?;
        file.sync_all().map_err(Error::io("cannot write", &part.0))?;
        let path = loop {
            let path = name();
            match rename_to_free(&part.0, &path) {
                Ok(()) => break path,
                // Another has just got it.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::io("cannot rename to", &path)(error)),
            }
        };
        sync_folder_of(&path)?;
        Ok(Some((path, copied)))
    }

    /// Copies the file and its log as they are, damaged, to a name that is free. The right to write must
    /// be held.
    pub fn copy_aside(&self, _writer: &Writer<'_>) -> Result<PathBuf> {
        let aside = open::free_aside(&self.path);
        let log = with_suffix(&self.path, "-wal");
        if log.exists() {
            copy_private(&log, &with_suffix(&aside, "-wal"))?;
        }
        let held = self.lock.locked();
        match held.as_ref().and_then(StoreLock::file) {
            Some(file) => copy_open(file, &aside)?,
            None if self.path.exists() => copy_private(&self.path, &aside)?,
            None => {}
        }
        sync_folder_of(&aside)?;
        Ok(aside)
    }

    /// Where the damaged file is that is to be saved into this store, when that was not done yet.
    pub fn salvage_due(&self) -> Option<PathBuf> {
        let name = std::fs::read_to_string(open::salvage_note(&self.path)).ok()?;
        let aside = self.path.with_file_name(Path::new(&name).file_name()?);
        aside.exists().then_some(aside)
    }

    /// Notes that this was done.
    pub fn salvage_done(&self) {
        // It is looked at only in a store that holds nothing.
        let _ = std::fs::remove_file(open::salvage_note(&self.path));
    }

    /// Notes that the damage is repaired.
    pub fn forget_damage(&self) {
        self.is_damaged.store(false, Ordering::Relaxed);
        *self.finding.locked() = None;
        self.check_due.store(false, Ordering::Relaxed);
    }

    /// Whether damage was met that is not repaired yet.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }
}

/// Which store it is, and how far it has come, as is known without asking it.
#[derive(Debug, Clone, Default)]
pub struct StoreProgress {
    /// Which store it is; empty: that of which the file is.
    pub store_id: String,
    pub revision: i64,
    pub run: i64,
    /// The write queue, and up to which number it was replayed.
    pub replayed: Option<(String, u64)>,
}

impl Writer<'_> {
    /// Lets the file of another store, which nobody has open, follow this one: it gets the next revision
    /// and run, and no id that was ever given out here is given out again. Backups of other lines of
    /// history are marked as such when `is_another_past`. What was replayed of the write queue stays
    /// replayed, and the time of the last write stays known. Answers its revision. `identity` is
    /// what is known of this store when it cannot be asked.
    pub fn adopt(
        &self,
        path: &Path,
        identity: &StoreProgress,
        is_another_past: bool,
    ) -> Result<i64> {
        let own = self.open_connection()?;
        let asked =
            own.query_row("SELECT revision, run FROM store_state WHERE id = 1", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            });
        let (revision, run): (i64, i64) =
            asked.unwrap_or((identity.revision.saturating_add(REVISIONS_UNKNOWN), identity.run));
        let last_now: Option<i64> =
            value(own, "SELECT last_now FROM store_state WHERE id = 1", []).unwrap_or_default();
        let mut replayed = numbers(own, "SELECT queue_id, replayed_until FROM write_queue_state");
        if let Some((queue_id, until)) = &identity.replayed {
            replayed.push((queue_id.clone(), whole(*until)));
        }
        let sequences = numbers(own, SEQUENCES);
        let told = former_claims(own);
        let page_bytes = own.pragma_query_value(None, "page_size", |row| row.get::<_, i64>(0));
        let page_bytes = page_bytes.unwrap_or(open::PAGE_BYTES);

        let mut other = alone(path)?;
        other.pragma_update(None, "journal_mode", "delete")?;
        let its_revision: i64 = value(&other, "SELECT revision FROM store_state WHERE id = 1", [])?;
        let revision = revision.max(its_revision).saturating_add(1);
        let tx = other.transaction()?;
        tx.execute(
            "UPDATE store_state SET revision = ?1, run = max(run, ?2) + 1, clean = 0, damaged = 0, \
             last_now = coalesce(max(last_now, ?3), last_now, ?3), rows_sha256 = NULL, \
             store_id = iif(?4 = '', store_id, ?4) WHERE id = 1",
            (revision, run, last_now, &identity.store_id),
        )?;
        for (queue_id, until) in replayed {
            tx.execute(
                "INSERT INTO write_queue_state (queue_id, replayed_until) VALUES (?1, ?2) \
                 ON CONFLICT (queue_id) DO UPDATE SET replayed_until = max(replayed_until, ?2)",
                (queue_id, until),
            )?;
        }
        for (table, seq) in sequences {
            raise_sequence(&tx, &table, seq)?;
        }
        tell_again(&tx, &told)?;
        if is_another_past {
            tx.execute("INSERT OR REPLACE INTO memory_outdated VALUES (0, ?1)", [revision - 1])?;
        }
        tx.commit()?;
        let its_page_bytes: i64 = other.pragma_query_value(None, "page_size", |row| row.get(0))?;
        if its_page_bytes != page_bytes {
            other.pragma_update(None, "page_size", page_bytes)?;
            other.execute_batch("VACUUM")?;
        }
        Ok(revision)
    }

    /// Puts the pages of a file in the place of what the open store holds, in one transaction: others
    /// read what was there before, or all of the file. Whatever happens inside, the store is one or the
    /// other. With `is_damaged` the pages that are there are not looked at.
    ///
    /// # Errors
    /// [`Error::Full`] when it does not fit; then nothing was changed.
    pub fn replace_with(&mut self, path: &Path, is_damaged: bool) -> Result<()> {
        let source = alone(path)?;
        let target = self.connection.as_mut().ok_or(Error::Closed)?;
        target.flush_prepared_statement_cache();
        target.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, is_damaged)?;
        let replaced = run_backup(&source, target, &mut |_, _| ControlFlow::Continue(()));
        target.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, false)?;
        replaced.map(drop)?;
        // What they know of the former pages is of no use any more.
        self.store.readers.locked().idle.clear();
        Ok(())
    }

    fn open_connection(&self) -> Result<&Connection> {
        self.connection.as_ref().ok_or(Error::Closed)
    }
}

/// Reads all of a file that is to be a whole memory store of this version or an earlier one: its pages,
/// its schema, and its rows, which are to be what was written, and those with which the copy was made.
///
/// # Errors
/// [`Error::BadCopy`] with what is wrong, or [`Error::NewerSchema`].
pub fn verify(path: &Path) -> Result<Copied> {
    let bad = |reason: String| Error::BadCopy { path: path.to_owned(), reason };
    let read = || -> Result<Copied> {
        let connection = unchanging(path)?;
        if schema::application_id(&connection)? != schema::APPLICATION_ID {
            return Err(bad("it is no memory store".into()));
        }
        let schema_version = schema::version(&connection)?;
        schema::refuse_newer(schema_version)?;
        check_structure(&connection)?;
        if let Some(name) = schema::lacking(&connection, schema_version)? {
            return Err(bad(format!("it lacks the {name}")));
        }
        let digest = digest_of_whole(&connection)?;
        if !is_digest(&connection, schema_version, &digest)? {
            return Err(bad("its rows are not those with which it was made (SHA-256)".into()));
        }
        let Origin { store_id, revision } = origin(&connection, schema_version)?;
        let memory_count = count(&connection, "memory")?;
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        Ok(Copied { store_id, bytes, memory_count, revision, schema_version })
    };
    read().map_err(|error| match error {
        Error::Corrupt(reason) => bad(reason),
        error => error,
    })
}

/// Of which store a file is, and of which of its revisions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// Empty when its version knew none.
    pub store_id: String,
    pub revision: i64,
}

/// That of a store's file that nobody writes; what is told of it is not verified.
pub fn origin_of(path: &Path) -> Result<Origin> {
    let connection = unchanging(path)?;
    origin(&connection, schema::version(&connection)?)
}

fn origin(connection: &Connection, schema_version: i64) -> Result<Origin> {
    let store_id = if schema_version < FIRST_IDENTITY_SCHEMA { "''" } else { "store_id" };
    let sql = format!("SELECT {store_id}, revision FROM store_state WHERE id = 1");
    let origin = |row: &Row<'_>| Ok(Origin { store_id: row.get(0)?, revision: row.get(1)? });
    Ok(connection.query_row(&sql, [], origin)?)
}

/// Whether a copy says that this is the digest of its rows, or says nothing of it.
fn is_digest(connection: &Connection, schema_version: i64, digest: &[u8; 32]) -> Result<bool> {
    if schema_version < FIRST_IDENTITY_SCHEMA {
        return Ok(true);
    }
    let said: Option<Vec<u8>> =
        value(connection, "SELECT rows_sha256 FROM store_state WHERE id = 1", [])?;
    Ok(said.is_none_or(|said| said == digest))
}

/// Renames a file, unless there is one of that name.
fn rename_to_free(from: &Path, to: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // A file system that cannot do both at once.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if to.exists() {
                Err(ErrorKind::AlreadyExists.into())
            } else {
                std::fs::rename(from, to)
            }
        }
        renamed => Ok(renamed?),
    }
}

/// A connection to a file that no other process has.
pub(super) fn alone(path: &Path) -> Result<Connection> {
    register_sqlite_vec();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path, flags)?)
}

/// A connection to a file that nobody changes meanwhile.
fn unchanging(path: &Path) -> Result<Connection> {
    reading::connect(path, "immutable=1")
}

fn copy(
    source: &Connection,
    part: &Path,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Option<Copied>> {
    let rows = row_counts(source)?;
    drop(new_private_file(part)?);
    {
        let mut target = alone(part)?;
        // All of it is synced before the copy gets its name.
        target.pragma_update(None, "journal_mode", "off")?;
        target.pragma_update(None, "synchronous", "off")?;
        if run_backup(source, &mut target, progress)?.is_break() {
            return Ok(None);
        }
    }
    {
        let target = alone(part)?;
        // One file, which can be read where nothing can be written beside it.
        target.pragma_update(None, "journal_mode", "delete")?;
        target.execute("UPDATE store_state SET clean = 1, damaged = 0 WHERE id = 1", [])?;
        // What is no longer what was written is found by the store's own check, below.
        if let Ok(digest) = digest_of_whole(&target) {
            let sql = "UPDATE store_state SET rows_sha256 = ?1 WHERE id = 1";
            target.execute(sql, [&digest[..]])?;
        }
    }
    let verified = verify(part).and_then(|copied| {
        if row_counts(&unchanging(part)?)? == rows {
            return Ok(copied);
        }
        let reason = "it has fewer or more rows than the store".to_owned();
        Err(Error::BadCopy { path: part.to_owned(), reason })
    });
    match verified {
        Ok(copied) => Ok(Some(copied)),
        Err(error) => {
            // Which of the two is damaged?
            check_all(source)?;
            Err(error)
        }
    }
}

/// Copies all pages of one database over those of another. Now and then `progress` is told how many are
/// done, and of how many; when it breaks, so does this.
pub(super) fn run_backup(
    source: &Connection,
    target: &mut Connection,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let backup = Backup::new(source, target)?;
    let mut busy_count = 0;
    loop {
        match backup.step(PAGES_PER_STEP)? {
            StepResult::Done => return Ok(ControlFlow::Continue(())),
            StepResult::More => busy_count = 0,
            _ if busy_count < BUSY_MAX => {
                busy_count += 1;
                std::thread::sleep(BUSY_PAUSE);
            }
            _ => {
                let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
                return Err(rusqlite::Error::SqliteFailure(busy, None).into());
            }
        }
        let left = backup.progress();
        let pages = |count: i32| u64::try_from(count).unwrap_or(0);
        let total = pages(left.pagecount);
        if progress(total.saturating_sub(pages(left.remaining)), total).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
}

fn row_counts(connection: &Connection) -> Result<RowCounts> {
    Ok(RowCounts {
        memories: count(connection, "memory")?,
        sessions: count(connection, "session")?,
        turns: count(connection, "turn")?,
        vectors: count(connection, "memory_vector")?,
    })
}

/// The rows of a table; 0 when its version had none of this name.
fn count(connection: &Connection, table: &str) -> Result<u64> {
    if !ground_tables(connection)?.iter().any(|known| known.name == table) {
        return Ok(0);
    }
    row_count(connection, table)
}
