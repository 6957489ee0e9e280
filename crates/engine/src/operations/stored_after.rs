//! What was stored after a memory, for who follows what is stored and comes back to where it was.

use super::NewMemory;
use super::visibility::hide_unseen;
use crate::{Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::{EVENTS_PAGE_MAX, EVENTS_SCANNED_MAX};
use robot_memory_db::{self as store, ReadTx, StoredRow};

/// A part of what was stored, in order of id.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredAfter {
    /// Of which store it is: in another one the same ids are of other memories.
    pub store_id: String,
    /// Those that the caller may read and that are active; of a row that cannot be read only its id.
    pub memories: Vec<Result<NewMemory, i64>>,
    /// Up to this id everything was looked at.
    pub until: i64,
    /// The greatest id that was ever given, which is never given again.
    pub newest_id: i64,
}

impl Operations {
    /// The greatest id of a memory that was stored; one that costs nothing to ask.
    pub fn newest_memory_id(&self) -> i64 {
        self.listeners.newest_id()
    }

    /// What was stored after the memory of this id, and is there still: at most [`EVENTS_PAGE_MAX`] memories, among at most
    /// [`EVENTS_SCANNED_MAX`] rows. `None`: nothing of it, only how far it has come.
    ///
    /// # Errors
    /// When the caller must be named, and when the store cannot be read.
    pub fn stored_after(&self, agent: &str, after: Option<i64>) -> Result<StoredAfter, ApiError> {
        self.check_agent(agent)?;
        let seen = self.full_visibility(agent);
        let read: Result<StoredAfter> = self.store.read(|tx| {
            let newest_id = tx.last_given_id()?;
            let after = after.unwrap_or(newest_id);
            let mut part = StoredAfter {
                store_id: tx.store_id()?,
                memories: Vec::new(),
                until: newest_id.max(after),
                newest_id,
            };
            let rows = tx.rows_after(after, EVENTS_SCANNED_MAX)?;
            let is_all = rows.len() < EVENTS_SCANNED_MAX as usize;
            let last = rows.last().map(|row| row.id);
            for row in rows {
                if part.memories.len() >= EVENTS_PAGE_MAX {
                    return Ok(part);
                }
                part.until = row.id;
                part.memories.extend(memory(tx, &row, &seen)?);
            }
            if is_all {
                part.until = newest_id.max(after);
            } else if let Some(last) = last {
                part.until = last;
            }
            Ok(part)
        });
        Ok(read?)
    }
}

/// The memory of a row, when it is to be told; its id when it cannot be read.
fn memory(
    tx: &ReadTx<'_>,
    row: &StoredRow,
    seen: &Visibility,
) -> Result<Option<Result<NewMemory, i64>>> {
    if !row.is_active || !seen.sees(&row.scope, row.mem_type) {
        return Ok(None);
    }
    let mut memory = match tx.memory(row.id, false) {
        Ok(Some(memory)) => memory,
        Ok(None) => return Ok(None),
        Err(store::Error::Row { .. }) => return Ok(Some(Err(row.id))),
        Err(error) => return Err(error.into()),
    };
    hide_unseen(tx, &mut memory, seen)?;
    Ok(Some(Ok(NewMemory { memory, origin: tx.event_origin(row.id)? })))
}
