//! Parts of a transaction that fail alone.

use super::{Error, Result, WriteTx};
use rusqlite::Connection;

impl WriteTx<'_> {
    /// Runs `f` so that, when it fails, what it changed is undone and the transaction goes on. May
    /// be nested.
    ///
    /// Fails with [`Error::RolledBack`] when an earlier fault, such as a full disk, made SQLite roll
    /// back the whole transaction; then [`WriteTx::commit`] fails as well.
    pub fn savepoint<T, E: From<Error>>(
        &self,
        f: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.check_open()?;
        let changes_len = self.job_changes.borrow().len();
        let outcome = self.part(f);
        if outcome.is_err() {
            self.job_changes.borrow_mut().truncate(changes_len);
        }
        outcome
    }

    fn part<T, E: From<Error>>(&self, f: impl FnOnce(&Self) -> Result<T, E>) -> Result<T, E> {
        let savepoint = Savepoint::begin(self.connection)?;
        let value = f(self)?;
        self.check_open()?;
        savepoint.release()?;
        Ok(value)
    }

    /// Fails when SQLite has rolled back by itself: what is written now would be a transaction of
    /// its own.
    pub(super) fn check_open(&self) -> Result<()> {
        if self.connection.is_autocommit() { Err(Error::RolledBack) } else { Ok(()) }
    }
}

/// Undoes what came after it unless it is released.
struct Savepoint<'c> {
    connection: &'c Connection,
    is_open: bool,
}

impl<'c> Savepoint<'c> {
    fn begin(connection: &'c Connection) -> Result<Self> {
        connection.prepare_cached("SAVEPOINT part")?.execute([])?;
        Ok(Self { connection, is_open: true })
    }

    fn release(mut self) -> Result<()> {
        self.connection.prepare_cached("RELEASE part")?.execute([])?;
        self.is_open = false;
        Ok(())
    }
}

impl Drop for Savepoint<'_> {
    fn drop(&mut self) {
        if self.is_open
            && !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK TO part; RELEASE part")
        {
            log::error!("a part of a transaction could not be rolled back: {error}");
        }
    }
}
