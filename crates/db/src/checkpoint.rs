//! Bringing the log into the file while others write.

use super::open::BUSY_TIMEOUT;
use super::{Locked, Result, Store};
use rusqlite::Connection;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long the emptying of the log waits for readers, and keeps writers waiting.
const ERASE_TIMEOUT: Duration = Duration::from_millis(20);

/// Bytes of a file that is written anew after a deletion: some tenths of a second, in which others that
/// write wait.
const REWRITTEN_BYTES_MAX: i64 = 32 << 20;

/// How long after it was written anew the file waits before it is again, whatever is deleted meanwhile.
const REWRITE_EVERY: Duration = Duration::from_secs(10);

/// Pages in the log from which on it pays: 4 MiB, so that a busy page is written once for many
/// commits.
const LOG_PAGES_MIN: i64 = 512;

/// What a checkpoint did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// Pages in the log.
    pub log_pages: i64,
    /// How many of them are in the file. When all are and nobody reads the log, the next writer
    /// begins it anew.
    pub moved_pages: i64,
}

impl Store {
    /// Brings the log into the file when there is enough of it, without waiting for anybody and
    /// without keeping anybody from reading or writing. Called often enough, from a thread that
    /// nobody waits for, it saves writers the checkpoints of their own.
    pub fn checkpoint_passive(&self) -> Result<Checkpoint> {
        if !self.is_writable() {
            return Ok(Checkpoint { log_pages: 0, moved_pages: 0 });
        }
        self.with_reader(|connection| {
            let before = run(connection, "PRAGMA wal_checkpoint(NOOP)")?;
            if before.log_pages - before.moved_pages < LOG_PAGES_MIN {
                return Ok(before);
            }
            run(connection, "PRAGMA wal_checkpoint(PASSIVE)")
        })
    }
}

impl Store {
    /// Writes a file of up to `REWRITTEN_BYTES_MAX` anew, and brings the log into it and empties that, so
    /// that no former state of a page is left. Waits a moment for who reads. When they read on, or the file
    /// was written anew just now, [`Store::erase_log_if_due`] does the rest.
    pub fn erase_log(&self) -> Result<()> {
        if !self.is_writable() {
            return Ok(());
        }
        self.rewrite_due.store(true, Ordering::Relaxed);
        self.erase()
    }

    fn erase(&self) -> Result<()> {
        self.erase_due.store(true, Ordering::Relaxed);
        // Nobody else writes meanwhile, so that only readers can be in the way.
        let writer = self.writer();
        let Some(connection) = &*writer.connection else { return Ok(()) };
        if self.may_rewrite() {
            self.rewrite(connection);
        }
        connection.busy_timeout(ERASE_TIMEOUT)?;
        let is_busy: Result<bool> = connection
            .prepare_cached("PRAGMA wal_checkpoint(TRUNCATE)")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(Into::into);
        connection.busy_timeout(BUSY_TIMEOUT)?;
        self.erase_due.store(is_busy?, Ordering::Relaxed);
        Ok(())
    }

    /// Does what is left to do of it.
    pub fn erase_log_if_due(&self) -> Result<()> {
        let is_due = self.erase_due.load(Ordering::Relaxed) || self.may_rewrite();
        if is_due && self.is_writable() { self.erase() } else { Ok(()) }
    }

    /// Whether the file is to be written anew, and was not just now.
    fn may_rewrite(&self) -> bool {
        let last = *self.rewritten_at.locked();
        self.rewrite_due.load(Ordering::Relaxed)
            && last.is_none_or(|last| last.elapsed() >= REWRITE_EVERY)
    }

    /// Writes the file anew, when it is to be and is small.
    pub(super) fn rewrite(&self, connection: &Connection) {
        if self.rewrite_due.swap(false, Ordering::Relaxed) {
            rewrite_if_small(connection);
            let mut last = self.rewritten_at.locked();
            *last = Some(Instant::now());
        }
    }
}

/// SQLite overwrites what it deletes, but not what lies between the cells of a page that it has laid out
/// anew; a file that is written anew has no such rests. Where that fails the rests stay.
fn rewrite_if_small(connection: &Connection) {
    let bytes = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let is_small = connection
        .query_row(bytes, [], |row| row.get::<_, i64>(0))
        .is_ok_and(|bytes| bytes <= REWRITTEN_BYTES_MAX);
    if is_small && let Err(error) = connection.execute_batch("VACUUM") {
        log::debug!("the file was not rewritten: {error}");
    }
}

fn run(connection: &Connection, pragma: &str) -> Result<Checkpoint> {
    let mut statement = connection.prepare_cached(pragma)?;
    Ok(statement
        .query_row([], |row| Ok(Checkpoint { log_pages: row.get(1)?, moved_pages: row.get(2)? }))?)
}
