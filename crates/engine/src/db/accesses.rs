//! Access counts of rows that were used: noted while answering, written later.

use super::{Db, Outcome, Result};
use crate::db::WriteTx;
use robot_memory_core::limits::PENDING_ACCESSES_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_db::{Accesses, Locked};
use robot_memory_index::Change;
use std::collections::BTreeMap;

/// What waits to be written, by row.
#[derive(Debug, Default)]
pub struct PendingAccesses {
    by_id: BTreeMap<i64, Accesses>,
    dropped: u64,
}

impl PendingAccesses {
    /// Notes that a row was recalled. Beyond the limit it is dropped and counted.
    pub fn note(&mut self, id: i64, accesses: Accesses) {
        let room = self.by_id.len() < PENDING_ACCESSES_MAX;
        match self.by_id.get_mut(&id) {
            Some(known) => {
                known.count = known.count.saturating_add(accesses.count);
                known.last = known.last.max(accesses.last);
            }
            None if room => {
                self.by_id.insert(id, accesses);
            }
            None => self.dropped = self.dropped.saturating_add(u64::from(accesses.count)),
        }
    }

    /// How many were dropped since the start.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Takes all that waits.
    pub fn take(&mut self) -> BTreeMap<i64, Accesses> {
        std::mem::take(&mut self.by_id)
    }

    /// All that waits; it waits on.
    pub fn waiting(&self) -> BTreeMap<i64, Accesses> {
        self.by_id.clone()
    }

    /// Whether something waits to be written of this row.
    pub fn waits(&self, id: i64) -> bool {
        self.by_id.contains_key(&id)
    }

    /// Drops what waits to be written of a row that is gone.
    pub fn remove(&mut self, id: i64) {
        self.by_id.remove(&id);
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }
}

impl Db {
    /// Notes that rows were used now.
    pub(crate) fn note_accesses(&self, ids: impl IntoIterator<Item = i64>, now: Stamp) {
        // A clock that is years ahead must not keep a row from fading for years.
        let last = self.believed(now);
        let mut pending = self.accesses.locked();
        for id in ids {
            pending.note(id, Accesses { count: 1, last });
        }
    }

    /// Runs a write that first writes the access counts that wait. When it fails they wait on.
    pub(crate) fn with_accesses<T>(
        &self,
        write: impl FnOnce(&dyn Fn(&WriteTx<'_>) -> Result<()>) -> Result<T>,
    ) -> Result<T> {
        let taken = self.accesses.locked().take();
        let result = write(&|tx| {
            for (id, accesses) in &taken {
                if let Some(belief) = tx.add_accesses(*id, *accesses)? {
                    tx.index(Change::Belief { id: *id, belief });
                }
            }
            Ok(())
        });
        if result.is_err() {
            let mut pending = self.accesses.locked();
            for (id, accesses) in taken {
                pending.note(id, accesses);
            }
        }
        result
    }

    /// Writes the access counts that wait.
    pub(crate) fn write_accesses(&self) -> Result<()> {
        if self.accesses.locked().is_empty() {
            return Ok(());
        }
        self.with_accesses(|write_accesses| {
            self.write(|tx| {
                write_accesses(tx)?;
                Ok(Outcome::Changed(()))
            })
        })
    }
}
