//! A transaction whose changes the indexes follow.

use super::row_tokens;
use crate::Error;
use robot_memory_core::model::Stamp;
use robot_memory_db::{self as store, DeletedMemory, Worded};
use robot_memory_index::Change;
use std::cell::{Ref, RefCell};
use std::ops::Deref;

/// Changes rows, and notes of each change what the indexes follow when it is committed.
pub(crate) struct WriteTx<'c> {
    rows: store::WriteTx<'c>,
    changes: RefCell<Vec<Change>>,
}

impl<'c> WriteTx<'c> {
    pub fn new(rows: store::WriteTx<'c>) -> Self {
        Self { rows, changes: RefCell::default() }
    }

    /// Notes what the indexes follow.
    pub fn index(&self, change: Change) {
        self.changes.borrow_mut().push(change);
    }

    /// What was noted so far.
    pub fn changes(&self) -> Ref<'_, Vec<Change>> {
        self.changes.borrow()
    }

    /// The rows, and what the indexes follow.
    pub fn into_parts(self) -> (store::WriteTx<'c>, Vec<Change>) {
        (self.rows, self.changes.into_inner())
    }

    /// Runs `f`; when it fails, what it changed and noted is taken back.
    pub fn savepoint<T>(&self, f: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let count = self.changes().len();
        let outcome = self.rows.savepoint(|_| f());
        if outcome.is_err() {
            self.changes.borrow_mut().truncate(count);
        }
        outcome
    }

    /// Deletes a memory with its words; `None` when it is not there.
    pub fn remove(&self, id: i64, now: Stamp) -> store::Result<Option<DeletedMemory>> {
        let words = self.worded(id)?;
        let deleted = self.delete_memory(id, now)?;
        if let Some(row) = words.filter(|_| deleted.as_ref().is_some_and(|it| it.is_active)) {
            self.index_removal(&row)?;
        }
        Ok(deleted)
    }

    /// Takes a memory out of all indexes.
    pub fn deactivate(&self, id: i64) -> store::Result<()> {
        self.delete_words(id)?;
        self.delete_vector(id)?;
        self.delete_signature(id)?;
        self.delete_picture(id)?;
        self.worded(id)?.map_or(Ok(()), |row| self.index_removal(&row))
    }

    fn index_removal(&self, row: &Worded) -> store::Result<()> {
        let tokens = row_tokens(self, &row.content, &row.context, &row.session_id, &row.tags)?;
        self.index(Change::Remove { id: row.id, tokens });
        Ok(())
    }
}

impl<'c> Deref for WriteTx<'c> {
    type Target = store::WriteTx<'c>;

    fn deref(&self) -> &Self::Target {
        &self.rows
    }
}
