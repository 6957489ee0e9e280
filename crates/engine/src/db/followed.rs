//! What is read out of some of the rows and kept in memory: loaded when it is first asked for, and changed
//! with each commit before that is acknowledged.

use super::{Db, Result};
use robot_memory_db::{self as store, ReadTx, RwLocked};
use robot_memory_index::{Change, Put};
use std::sync::RwLock;

/// Something that is read out of rows.
pub(crate) trait FromRows: Sized {
    /// What is read out of one row.
    type Row;

    /// Reads it out of all rows of a snapshot.
    fn load(tx: &ReadTx<'_>) -> store::Result<Self>;

    /// Whether something was read out of a row.
    fn has(&self, id: i64) -> bool;

    /// Whether something may be read out of a row that was stored or changed.
    fn may_be(put: &Put) -> bool;

    /// Reads a row; `None` when nothing is read out of it.
    fn read(tx: &ReadTx<'_>, id: i64) -> store::Result<Option<Self::Row>>;

    /// Takes what was read of a row, in the place of what was read of it before.
    fn put(&mut self, id: i64, row: Option<Self::Row>);
}

/// What was read out of the rows of every revision that was acknowledged; `None` inside until it is loaded.
#[derive(Debug)]
pub(crate) struct Followed<T>(RwLock<Option<OfRevision<T>>>);

/// What was read, and the revision of the store that it is of.
#[derive(Debug)]
struct OfRevision<T> {
    read: T,
    revision: i64,
}

impl<T> Default for Followed<T> {
    fn default() -> Self {
        Self(RwLock::new(None))
    }
}

impl<T: FromRows> Followed<T> {
    /// Runs `f` on it.
    pub(crate) fn with<R>(&self, db: &Db, f: impl FnOnce(&T) -> Result<R>) -> Result<R> {
        if let Some(kept) = &*self.0.read_locked()
            && (!db.store.is_reading_only()
                // Beside another process that writes, whose commits are not followed, it may be behind.
                || db.store.read(|tx| tx.revision())? == kept.revision)
        {
            return f(&kept.read);
        }
        // Under the lock: a commit that is not in the snapshot waits, and is followed afterwards.
        let mut kept = self.0.write_locked();
        let kept = match &mut *kept {
            Some(kept) if !db.store.is_reading_only() => kept,
            slot => slot.insert(db.store.read(load)?),
        };
        f(&kept.read)
    }

    /// Whether somebody asked for it.
    pub(crate) fn is_loaded(&self) -> bool {
        self.0.read_locked().is_some()
    }

    /// Follows a commit, when it is loaded. The right to write is held.
    pub(crate) fn follow(&self, db: &Db, changes: &[Change], revision: i64) {
        let followed = match &*self.0.read_locked() {
            None => return,
            Some(kept) => {
                let ids = changes.iter().filter_map(|change| changed_row(&kept.read, change));
                let ids: Vec<i64> = ids.collect();
                // Most commits change nothing of it: they wait for nobody who reads it.
                if ids.is_empty() {
                    return;
                }
                db.store.read(|tx| {
                    let read = |id| Ok((id, T::read(tx, id)?));
                    ids.into_iter().map(read).collect::<store::Result<Vec<_>>>()
                })
            }
        };
        let mut slot = self.0.write_locked();
        let Some(kept) = &mut *slot else { return };
        match followed {
            Ok(rows) => {
                for (id, row) in rows {
                    kept.read.put(id, row);
                }
                kept.revision = revision;
            }
            Err(error) => {
                // The next that asks loads it anew, or gets the error.
                log::error!(
                    "what is kept in memory of some rows could not follow a change: {error}"
                );
                *slot = None;
            }
        }
    }

    /// Forgets it: the next that asks loads it.
    pub(crate) fn forget(&self) {
        *self.0.write_locked() = None;
    }
}

/// The row that a change is of, when something is or was read out of that.
fn changed_row<T: FromRows>(read: &T, change: &Change) -> Option<i64> {
    match change {
        Change::Put(put) => (T::may_be(put) || read.has(put.id)).then_some(put.id),
        Change::Remove { id, .. } | Change::Scope { id, .. } => read.has(*id).then_some(*id),
        Change::Belief { .. }
        | Change::Faded { .. }
        | Change::Level { .. }
        | Change::Vector { .. }
        | Change::Signature { .. }
        | Change::Picture { .. } => None,
    }
}

fn load<T: FromRows>(tx: &ReadTx<'_>) -> store::Result<OfRevision<T>> {
    Ok(OfRevision { read: T::load(tx)?, revision: tx.revision()? })
}
