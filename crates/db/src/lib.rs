//! The one SQLite file. Only this module names rusqlite, and only it knows SQL.
//!
//! Rows are the ground state. One connection writes, behind a lock; others read, each in its own
//! snapshot. [`ReadTx`] and [`WriteTx`] are two types, and only the second can change anything.
//!
//! ```
//! use robot_memory_db::Store;
//!
//! let folder = tempfile::tempdir()?;
//! let (store, opened) = Store::open(&folder.path().join("memory.db"), 0)?;
//! assert!(!opened.unclean);
//! assert_eq!(store.read(|tx| tx.newest_id())?, 0);
//! store.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod acknowledged;
mod attempts;
mod audit;
pub mod backup;
mod belief;
mod branches;
mod check;
mod checkpoint;
mod clock;
mod column;
mod completion;
mod constraints;
mod delete;
mod error;
mod events;
mod facts;
mod files;
mod fleet;
pub mod foreign;
mod hearsay;
mod idempotency;
mod in_place;
mod job_lists;
mod jobs;
mod known;
mod ledger;
mod lines;
mod listing;
mod lock;
mod locked;
mod log_tail;
mod maintenance;
mod memories;
mod objects;
mod open;
mod open_attempts;
mod outdated;
mod pairs;
mod pictures;
mod places;
mod reading;
mod rebuild;
mod rehearsal;
mod relations;
mod report;
mod revocation;
mod rulings;
mod salvage;
mod savepoint;
mod schema;
mod sessions;
mod signatures;
mod statement;
mod status;
mod summaries;
mod tables;
#[cfg(test)]
mod tests;
mod timeline;
mod totals;
mod turns;
mod unlearn;
mod vectors;
mod waiting;
mod whole;
mod words;
pub mod write_queue;
mod write_queue_state;

pub use attempts::{AttemptSource, Subject, SubjectSummary};
pub use backup::Copied;
pub use belief::Fading;
pub use completion::Completion;
pub use constraints::ConstraintFacts;
pub use delete::DeletedMemory;
pub use error::{Error, Result};
pub use events::{EventDraft, EventOrigin, EventTotals, EventWorth, KeptClip};
pub use files::{
    copy_private, folder_of, free_bytes, hex, make_private_folder, new_private_file, sha256_of,
    with_suffix,
};
pub use fleet::{FleetPosition, FleetTotals, Telling, WaitingClaim};
pub use hearsay::{Hearsay, HearsayState, HearsayTotal, SaidWords};
pub use job_lists::{JobFilter, Page, ScopeFilter};
pub use jobs::{JobCounts, JobDraft, JobTimes};
pub use known::{KnownBeside, RepairNote};
pub use ledger::LedgerNote;
pub use lines::{FIRST_LINES_SCHEMA, lines_schema};
pub use locked::{Locked, RwLocked};
pub use maintenance::MaintainedAt;
pub use memories::{
    Accesses, DecayRow, DuplicateCandidates, MemoryDraft, SessionRow, UpdatedContent,
};
pub use objects::StoredObject;
pub use open_attempts::OpenAttempt;
pub use pairs::{JudgedPair, SpokenConflict};
pub use pictures::PictureTotals;
pub use places::StoredRow;
pub use rebuild::Indexed;
pub use relations::Relative;
pub use report::ReportedMemory;
pub use revocation::{ForeignReceipt, Receipt, Revocation, TakenRevocation};
pub use rulings::{ForeignLesson, ForeignRuling};
pub use salvage::{Salvaged, Sources, salvage};
pub use sessions::SessionDraft;
pub use summaries::{MicroSummary, SummaryDraft};
pub use timeline::{SessionSpan, SessionTimes};
pub use totals::MemoryTotal;
pub use turns::{RewrittenSummary, SaidIn};
pub use unlearn::MadeIn;
pub use words::Worded;

use acknowledged::Acknowledged;
use in_place::{Identity, identity};
use lock::StoreLock;
use open::OpenFile;
use waiting::ReadInProgress;

use robot_memory_core::model::JobChange;
use rusqlite::{Connection, InterruptHandle};
use std::cell::RefCell;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Idle reading connections that are kept.
const READERS_KEPT_MAX: usize = 8;

/// How long closing waits for a program outside that holds the file.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(300);

/// An open store.
pub struct Store {
    path: PathBuf,
    bytes_max: u64,
    is_reading_only: bool,
    writer: Mutex<Option<Connection>>,
    readers: Mutex<Readers>,
    /// Whether the file could not be written when it was opened, and was not opened for it yet. Changed
    /// while the readers are locked.
    is_waiting: AtomicBool,
    /// What all reads see of a store that was opened for reading only; `None`: each what is there.
    held: Mutex<Option<reading::Snapshot>>,
    /// Device and number of the file that was opened.
    identity: Identity,
    /// Whether damage was met: then the store is not marked as sound when it closes.
    is_damaged: AtomicBool,
    /// Whether the file is still to be checked for damage.
    check_due: AtomicBool,
    /// Whether the log still holds what was deleted.
    erase_due: AtomicBool,
    /// Whether its pages may still hold rests of it: after a deletion, and when the last run did not close
    /// the store, until the file was written anew.
    rewrite_due: AtomicBool,
    /// When that was, in this run.
    rewritten_at: Mutex<Option<Instant>>,
    /// Ends the check that is running.
    checking: Mutex<Option<InterruptHandle>>,
    /// Of the log that was opened; `None` while the file is not open for writing.
    log_identity: Mutex<Option<Identity>>,
    /// Commits that were not there when it was opened for writing.
    missing_commits: AtomicU64,
    /// Whether what is noted of the last commit is not on disk yet.
    note_due: AtomicBool,
    /// What the last check found.
    finding: Mutex<Option<String>>,
    /// `None` when it was opened for reading only. The last field: it is let go after all connections.
    lock: Mutex<Option<StoreLock>>,
}

/// The connections that read.
#[derive(Default)]
struct Readers {
    idle: Vec<Connection>,
    /// Reads that are going on.
    busy: usize,
}

/// What opening found out of the ordinary.
pub struct Opened {
    /// Where a damaged store was put aside.
    pub damaged_aside: Option<PathBuf>,
    /// Whether the last run ended without closing the store.
    pub unclean: bool,
    /// Commits that were acknowledged and are not there: the log lost its end.
    pub missing_commits: u64,
    /// Why it is only read for now: [`Store::open_again`] tries to write it.
    pub waits_for: Option<Error>,
}

impl Store {
    /// Opens the store, making it when there is none.
    ///
    /// A damaged file is renamed and a new one begun. One that is there and cannot be written now, as
    /// the disk is full or read-only, or another program holds it, is opened to be read until
    /// [`Store::open_again`] can write it. Fails when another process has it open, when a later version
    /// wrote it, when it would have to be changed to be read, or when it is not a memory store; then it
    /// is left as it was.
    pub fn open(path: &Path, bytes_max: u64) -> Result<(Self, Opened)> {
        Self::open_after(None, path, bytes_max)
    }

    /// Opens a store in which damage was found after it had been opened and dropped: puts it aside.
    pub fn open_damaged(reason: &str, path: &Path, bytes_max: u64) -> Result<(Self, Opened)> {
        Self::open_after(Some(reason), path, bytes_max)
    }

    fn open_after(damage: Option<&str>, path: &Path, bytes_max: u64) -> Result<(Self, Opened)> {
        let path = open::real_path(path)?;
        let emptied = "it is empty, and there were memories in it";
        let damage = damage.or_else(|| KnownBeside::was_emptied(&path).then_some(emptied));
        match open::file(&path, bytes_max, damage) {
            Ok(file) => {
                let OpenFile { writer, lock, damaged_aside, unclean, check_due, missing_commits } =
                    file;
                let store = Self {
                    lock: Mutex::new(Some(lock)),
                    writer: Mutex::new(Some(writer)),
                    check_due: AtomicBool::new(check_due),
                    rewrite_due: AtomicBool::new(unclean),
                    missing_commits: AtomicU64::new(missing_commits),
                    ..Self::on(path, bytes_max)?
                };
                store.note_log();
                Ok((store, Opened { damaged_aside, unclean, missing_commits, waits_for: None }))
            }
            Err(fault) if damage.is_none() && fault.is_passing() => {
                Self::open_waiting(path, bytes_max, fault)
            }
            Err(error) => Err(error),
        }
    }

    /// With no connection to it yet.
    fn on(path: PathBuf, bytes_max: u64) -> Result<Self> {
        Ok(Self {
            identity: identity(&path).ok_or_else(|| Error::Removed(path.clone()))?,
            path,
            bytes_max,
            is_reading_only: false,
            writer: Mutex::new(None),
            readers: Mutex::default(),
            is_waiting: AtomicBool::new(false),
            held: Mutex::new(None),
            is_damaged: AtomicBool::new(false),
            check_due: AtomicBool::new(false),
            erase_due: AtomicBool::new(false),
            rewrite_due: AtomicBool::new(false),
            rewritten_at: Mutex::new(None),
            checking: Mutex::new(None),
            log_identity: Mutex::new(None),
            missing_commits: AtomicU64::new(0),
            note_due: AtomicBool::new(false),
            finding: Mutex::new(None),
            lock: Mutex::new(None),
        })
    }

    /// Opens a store only to read it, also one that another process has open. Makes and changes
    /// nothing, and keeps nobody from writing.
    ///
    /// Fails when there is no store, or when one of another version wrote it. A call of
    /// [`Store::read`] fails with [`Error::Changed`] when the store was closed as the call began and
    /// another process opened it meanwhile.
    pub fn open_reading(path: &Path) -> Result<Self> {
        let path = reading::real_path(path)?;
        reading::inspect(&path)?;
        Ok(Self { is_reading_only: true, ..Self::on(path, 0)? })
    }

    /// Lets every later [`Store::read`] see the store as it is now. One that was opened for reading
    /// only can be held so; another fails with [`Error::NotReadingOnly`].
    pub fn pin_snapshot(&self) -> Result<()> {
        if !self.is_reading_only() {
            return Err(Error::NotReadingOnly);
        }
        let snapshot = reading::Snapshot::take(&self.path)?;
        *self.held.locked() = Some(snapshot);
        Ok(())
    }

    /// Where its file is, whatever links led to it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes that damage was met, so that the next start looks for it.
    pub fn note_damage(&self) {
        self.is_damaged.store(true, Ordering::Relaxed);
    }

    /// Takes the right to write; waits for whoever has it.
    pub fn writer(&self) -> Writer<'_> {
        Writer { connection: self.writer.locked(), store: self }
    }

    /// Runs `f` on one snapshot of the store.
    pub fn read<T, E: From<Error>>(
        &self,
        f: impl FnOnce(&ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.is_reading_only() {
            let held = self.held.locked();
            return match &*held {
                Some(snapshot) => snapshot.read(f),
                None => {
                    drop(held);
                    reading::read(&self.path, f)
                }
            };
        }
        self.with_reader(|connection| f(&ReadTx::begin(connection, "BEGIN")?))
    }

    /// Runs `f` on a reading connection: an idle one, or one more.
    fn with_reader<T, E: From<Error>>(
        &self,
        f: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let reading = ReadInProgress::begin(self);
        let connection = match reading.idle() {
            Some(connection) => connection,
            None if reading.is_waiting => open::waiting_reader(&self.path)?,
            None => open::reader(&self.path)?,
        };
        let result = f(&connection);
        reading.end(connection);
        result
    }

    /// Whether it was opened with [`Store::open_reading`].
    pub fn is_reading_only(&self) -> bool {
        self.is_reading_only
    }

    /// Whether it is open for writing.
    fn is_writable(&self) -> bool {
        match self.writer.try_lock() {
            Ok(writer) => writer.is_some(),
            // Somebody writes, or tries to.
            Err(_) => !self.is_reading_only && !self.is_waiting(),
        }
    }

    /// Bytes of the file and its log.
    pub fn bytes(&self) -> u64 {
        size(&self.path) + self.log_bytes()
    }

    /// Bytes of the log: what was committed and is not in the file yet.
    pub fn log_bytes(&self) -> u64 {
        size(&with_suffix(&self.path, "-wal"))
    }

    /// Bytes that are free on its disk; 0 when that is not known.
    pub fn free_bytes(&self) -> u64 {
        free_bytes(folder_of(&self.path)).unwrap_or(0)
    }

    /// Brings the log into the file and marks it as closed in order. Later calls fail with
    /// [`Error::Closed`].
    pub fn close(&self) -> Result<()> {
        self.interrupt_check();
        if let Err(error) = self.check_in_place() {
            log::warn!("{error}");
        }
        self.readers.locked().idle.clear();
        let connection = self.writer.locked().take();
        if let Some(connection) = connection {
            connection.busy_timeout(CLOSE_TIMEOUT)?;
            self.rewrite(&connection);
            let is_damaged = self.is_damaged.load(Ordering::Relaxed);
            let is_clean = !is_damaged && !self.check_due.load(Ordering::Relaxed);
            connection.execute(
                "UPDATE store_state SET clean = ?1, damaged = ?2 WHERE id = 1",
                [is_clean, is_damaged],
            )?;
            // Answers whether somebody who reads the file kept it from being done; then the log
            // stays and the next start reads it.
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            connection.close().map_err(|(_, error)| Error::from(error))?;
        }
        Ok(())
    }
}

/// The right to write. While it is held no other transaction commits.
pub struct Writer<'s> {
    connection: MutexGuard<'s, Option<Connection>>,
    store: &'s Store,
}

impl Writer<'_> {
    /// Begins a transaction that can change rows.
    pub fn begin(&mut self) -> Result<WriteTx<'_>> {
        let connection = match &*self.connection {
            Some(connection) => connection,
            None if self.store.is_reading_only => return Err(Error::ReadingOnly),
            None if self.store.is_waiting() => return Err(Error::Waiting),
            None => return Err(Error::Closed),
        };
        let read = ReadTx::begin(connection, "BEGIN IMMEDIATE")?;
        Ok(WriteTx { read, store: self.store, job_changes: RefCell::default() })
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
        self.one("SELECT revision FROM store_state WHERE id = 1", [])
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
pub struct WriteTx<'c> {
    read: ReadTx<'c>,
    store: &'c Store,
    /// What became of jobs in it, in order.
    job_changes: RefCell<Vec<JobChange>>,
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &ReadTx<'c> {
        &self.read
    }
}

impl WriteTx<'_> {
    /// Makes all changes durable and answers the store's revision after it.
    ///
    /// On an error nothing was changed; when the machine stops inside, either all of it or nothing
    /// is there afterwards.
    pub fn commit(mut self) -> Result<i64> {
        self.check_open()?;
        let sql = "UPDATE store_state SET revision = revision + 1 WHERE id = 1 RETURNING revision, \
                   coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory'), 0), \
                   coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'job'), 0)";
        let acknowledged = self.connection.prepare_cached(sql)?.query_row([], |row| {
            Ok(Acknowledged { revision: row.get(0)?, memory_id: row.get(1)?, job_id: row.get(2)? })
        })?;
        self.connection.execute_batch("COMMIT")?;
        self.read.open = false;
        self.store.note_acknowledged(acknowledged);
        Ok(acknowledged.revision)
    }

    /// Takes what became of jobs so far, in order; to be told when this is committed.
    pub fn take_job_changes(&self) -> Vec<JobChange> {
        self.job_changes.take()
    }

    /// How many jobs it queues so far.
    pub fn queued_count(&self) -> usize {
        self.job_changes.borrow().iter().filter(|change| change.before.is_none()).count()
    }
}

/// Bytes of a file; 0 when it is not there.
fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}
