//! Looking for damage.

use super::{Error, Result, Store};
use rusqlite::{Connection, InterruptHandle};
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

impl Store {
    /// Looks for damage, once, when the last run did not close the store and it was too large to
    /// look before it was used. Takes seconds, in which others read and write. What is found to be
    /// damaged is put aside at the next start.
    pub fn check_when_due(&self) -> Result<()> {
        if !self.check_due.load(Ordering::Relaxed) || !self.is_writable() {
            return Ok(());
        }
        let outcome = self.with_reader(|connection| {
            *self.checking() = Some(connection.get_interrupt_handle());
            let outcome = check(connection);
            *self.checking() = None;
            outcome
        });
        // Interrupted, it stays due: the next start has it to do.
        let is_done = matches!(outcome, Ok(()) | Err(Error::Corrupt(_)));
        if is_done {
            self.check_due.store(false, Ordering::Relaxed);
        }
        if matches!(outcome, Err(Error::Corrupt(_))) {
            self.note_damage();
            // No change of rows: the revision, with which the indexes agree, stays.
            if let Some(connection) = &*self.writer().connection {
                connection.execute("UPDATE store_state SET damaged = 1 WHERE id = 1", [])?;
            }
        }
        outcome
    }

    /// Ends a check that is running.
    pub(super) fn interrupt_check(&self) {
        if let Some(check) = &*self.checking() {
            check.interrupt();
        }
    }

    fn checking(&self) -> MutexGuard<'_, Option<InterruptHandle>> {
        self.checking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks at all pages of a file.
pub fn check(connection: &Connection) -> Result<()> {
    let finding: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if finding == "ok" { Ok(()) } else { Err(Error::Corrupt(finding)) }
}
