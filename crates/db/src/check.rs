//! Looking for damage.

use super::tables::{ground_tables, value};
use super::whole::{digest_of_whole, look_at_rows};
use super::{Error, Locked, Result, Store, open};
use rusqlite::Connection;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl Store {
    /// Looks for damage, once, when the last run did not close the store and it was too large to
    /// look before it was used. Takes seconds, in which others read and write. What is found to be
    /// damaged is put aside at the next start.
    pub fn check_when_due(&self) -> Result<()> {
        if !self.check_due.load(Ordering::Relaxed) || !self.is_writable() {
            return Ok(());
        }
        let outcome = self.checked(check);
        // Interrupted, it stays due: the next start has it to do.
        let is_done = matches!(outcome, Ok(()) | Err(Error::Corrupt(_)));
        if is_done {
            self.check_due.store(false, Ordering::Relaxed);
        }
        outcome
    }

    /// Looks at the pages of the whole file, at the indexes of one table, and at rows for so long, from one
    /// table and number on; answers where the next look is to go on. Others read and write meanwhile. What is
    /// found to be damaged is noted.
    ///
    /// # Errors
    /// [`Error::Corrupt`] says what was found.
    pub fn look_over(&self, from: (String, i64), time: Duration) -> Result<(String, i64)> {
        self.checked(|connection| {
            check(connection)?;
            let begun = Instant::now();
            let tables = ground_tables(connection)?;
            let first = tables.iter().position(|table| table.name >= from.0).unwrap_or(0);
            if let Some(table) = tables.get(first) {
                let sql = format!("PRAGMA integrity_check('{}')", table.name);
                finds_nothing(connection, &sql)?;
            }
            let pause = || match begun.elapsed() < time {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            };
            for table in &tables[first.min(tables.len())..] {
                let number = if table.name == from.0 { from.1 } else { i64::MIN };
                if let Some(next) = look_at_rows(connection, table, number, pause)? {
                    return Ok((table.name.clone(), next));
                }
            }
            Ok((String::new(), i64::MIN))
        })
    }

    /// Whether a row is not what was written: looks at all of them. That is noted as damage.
    pub fn has_bad_row(&self) -> Result<bool> {
        let looked = self.checked(|connection| {
            for table in ground_tables(connection)? {
                look_at_rows(connection, &table, i64::MIN, || ControlFlow::Continue(()))?;
            }
            Ok(())
        });
        match looked {
            Ok(()) => Ok(false),
            Err(Error::Corrupt(reason)) => {
                log::error!("the store was looked at: {reason}");
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }

    /// Runs a check that closing the store ends, on a connection of its own, which knows nothing of former
    /// states; what it finds is noted, here and in the file.
    fn checked<T>(&self, check: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let connection = open::reader(&self.path)?;
        *self.checking.locked() = Some(connection.get_interrupt_handle());
        let outcome = check(&connection);
        *self.checking.locked() = None;
        if let Err(Error::Corrupt(finding)) = &outcome {
            self.note_damage();
            *self.finding.locked() = Some(finding.clone());
            // No change of rows: the revision, with which the indexes agree, stays.
            if let Some(connection) = &*self.writer().connection {
                connection.execute("UPDATE store_state SET damaged = 1 WHERE id = 1", [])?;
            }
        }
        outcome
    }

    /// What the last check found to be damaged; no text of a memory.
    pub fn finding(&self) -> Option<String> {
        self.finding.locked().clone()
    }

    /// Ends a check that is running.
    pub(super) fn interrupt_check(&self) {
        if let Some(check) = &*self.checking.locked() {
            check.interrupt();
        }
    }
}

/// Looks at all pages of a file.
pub fn check(connection: &Connection) -> Result<()> {
    finds_nothing(connection, "PRAGMA quick_check(1)")
}

fn finds_nothing(connection: &Connection, check: &str) -> Result<()> {
    let finding: String = value(connection, check, [])?;
    if finding == "ok" { Ok(()) } else { Err(Error::Corrupt(finding)) }
}

/// Looks at all pages of a file, whether its indexes say what the tables do, and whether all rows are there
/// that others refer to.
pub fn check_structure(connection: &Connection) -> Result<()> {
    finds_nothing(connection, "PRAGMA integrity_check(1)")?;
    if connection.prepare("PRAGMA foreign_key_check")?.exists([])? {
        return Err(Error::Corrupt("a row refers to one that is not there".into()));
    }
    Ok(())
}

/// Looks at all of a file: its structure, and whether its rows are what was written.
pub fn check_all(connection: &Connection) -> Result<()> {
    check_structure(connection)?;
    digest_of_whole(connection).map(drop)
}
