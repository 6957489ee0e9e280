//! DeleteMemory: delete one memory for good.

use super::micro_summary::summarize_again;
use super::sight::{no_memory, seen_memory};
use super::transaction::Outcome;
use super::{Engine, Result, Run, check};
use crate::api::{DeleteMemory, DeleteMemoryRequest, DeleteMemoryResponse};
use crate::index::Change;
use crate::inference;
use crate::model::Stamp;
use crate::store::{DeletedMemory, WriteTx};
use std::collections::BTreeSet;

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
            let mut turn_ids = BTreeSet::new();
            let deleted = delete(tx, changes, &mut turn_ids, id, now)?;
            summarize_again(tx, changes, &turn_ids, now)?;
            Ok(Outcome::Changed(deleted.ok_or_else(|| no_memory(id))?))
        })?;
        self.pending_accesses().remove(id);
        let clip_deleted = !deleted.clip.is_empty();
        self.follow_deleted(&[deleted]);
        self.erase_deleted();
        Ok(DeleteMemoryResponse { status: "deleted".into(), memory_id: id, clip_deleted })
    }
}

/// Deletes a row with all that belongs to it in the store, and the sentences in which it was said, and
/// lets the indexes follow; `None` when there is none. Of the steps that said it, which are added to
/// `turn_ids`, the short summaries are to be made again.
pub(super) fn delete(
    tx: &WriteTx<'_>,
    changes: &mut Vec<Change>,
    turn_ids: &mut BTreeSet<String>,
    id: i64,
    now: Stamp,
) -> Result<Option<DeletedMemory>> {
    turn_ids.extend(tx.turns_of_memory(id)?);
    tx.blank_sources(id)?;
    let deleted = tx.delete_memory(id, now)?;
    if let Some(content) = deleted.as_ref().and_then(|deleted| deleted.active_content.as_ref()) {
        changes.push(Change::Remove { id, tokens: inference::tokens(content) });
    }
    Ok(deleted)
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
