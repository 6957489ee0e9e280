//! DeleteMemory: delete one memory for good.

use super::db::Outcome;
use super::deletion::{Stale, delete};
use super::sight::{no_memory, seen_memory};
use super::{Engine, Result, Run, check};
use robot_memory_core::api::{DeleteMemory, DeleteMemoryRequest, DeleteMemoryResponse};
use robot_memory_db::WriteTx;
use robot_memory_index::Change;

/// Words that the active rows may have for their index to be written anew after each deletion. With
/// 30,000 it took 50 ms, in which other writers wait.
const COMPACTED_WORDS_MAX: u64 = 50_000;

impl Run<DeleteMemory> for Engine {
    fn run(&self, request: DeleteMemoryRequest) -> Result<DeleteMemoryResponse> {
        let DeleteMemoryRequest { memory_id, scope, agent } = request;
        self.check_agent(&agent)?;
        let id = check::memory_id(memory_id)?;
        let sight = self.sight_of_one(&agent, &scope)?;
        let now = self.now()?;
        let deleted = self.write(|tx, changes| {
            let memory = seen_memory(tx.memory(id, false)?, &sight, id)?;
            self.check_write(&agent, &memory.scope, memory.mem_type)?;
            let mut stale = Stale::default();
            let deleted = delete(self, tx, changes, &mut stale, id, now)?;
            self.make_again(tx, changes, &stale, now)?;
            Ok(Outcome::Changed(deleted.ok_or_else(|| no_memory(id))?))
        })?;
        self.pending_accesses().remove(id);
        let clip_deleted = !deleted.clip.is_empty();
        self.follow_deleted(&[deleted]);
        self.erase_deleted();
        Ok(DeleteMemoryResponse {
            status: "deleted".into(),
            memory_id: id,
            clip_deleted,
            backups_until: self.backups_until(),
        })
    }
}

impl Engine {
    /// Takes what was deleted out of the word index and the log, as far as that is quick and nobody
    /// reads them. It is gone from every answer already, so a fault is only told of.
    pub(super) fn erase_deleted(&self) {
        // Longer ones are left to SQLite, which merges pieces of the index as others come.
        let is_short = self.derived().rows.live_words() <= COMPACTED_WORDS_MAX;
        let compact = |tx: &WriteTx<'_>, _: &mut Vec<Change>| {
            tx.compact_words()?;
            Ok(Outcome::Changed(()))
        };
        if is_short && let Err(error) = self.write(compact) {
            log::warn!("the word index still holds words of what was deleted: {error}");
        }
        if let Err(error) = self.store.erase_log() {
            log::warn!("the log of the store still holds what was deleted: {error}");
        }
    }
}
