//! Bringing the log into the file while others write.

use super::{Result, Store};
use rusqlite::Connection;

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

fn run(connection: &Connection, pragma: &str) -> Result<Checkpoint> {
    let mut statement = connection.prepare_cached(pragma)?;
    Ok(statement
        .query_row([], |row| Ok(Checkpoint { log_pages: row.get(1)?, moved_pages: row.get(2)? }))?)
}
