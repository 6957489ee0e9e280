//! DeleteMemory: delete one memory for good.

use super::check;
use super::deletion::{Stale, delete};
use super::visibility::{no_memory, seen_memory};
use crate::db::{Outcome, WriteTx};
use crate::{Operations, Result};
use robot_memory_core::api::DeleteMemoryRequest;
use robot_memory_db::{DeletedMemory, Locked};

/// Words that the active rows may have for their index to be written anew after each deletion. With
/// 30,000 it took 50 ms, in which other writers wait.
const COMPACTED_WORDS_MAX: u64 = 50_000;

impl Operations {
    /// Deletes one memory, and answers what it was: its clip is still there.
    pub(crate) fn delete_memory(&self, request: DeleteMemoryRequest) -> Result<DeletedMemory> {
        let DeleteMemoryRequest { memory_id, scope, agent } = request;
        self.check_agent(&agent)?;
        let id = check::memory_id(memory_id)?;
        let visibility = self.visibility_of_one(&agent, &scope)?;
        let now = self.now()?;
        let deleted = self.write(|tx| {
            let memory = seen_memory(tx.memory(id, false)?, &visibility, id)?;
            self.check_write(&agent, &memory.scope, memory.mem_type)?;
            let mut stale = Stale::default();
            let deleted = delete(self, tx, &mut stale, id, now)?;
            self.make_again(tx, &stale, now)?;
            Ok(Outcome::Changed(deleted.ok_or_else(|| no_memory(id))?))
        })?;
        self.accesses.locked().remove(id);
        Ok(deleted)
    }

    /// Takes what was deleted out of the word index and the log, as far as that is quick and nobody
    /// reads them. It is gone from every answer already, so a fault is only told of.
    pub(crate) fn erase_deleted(&self) {
        // Longer ones are left to SQLite, which merges pieces of the index as others come.
        let is_short = self.derived().rows.live_words() <= COMPACTED_WORDS_MAX;
        let compact = |tx: &WriteTx<'_>| Ok(Outcome::Changed(tx.compact_words()?));
        if is_short && let Err(error) = self.write(compact) {
            log::warn!("the word index still holds words of what was deleted: {error}");
        }
        if let Err(error) = self.store.erase_log() {
            log::warn!("the log of the store still holds what was deleted: {error}");
        }
    }
}
