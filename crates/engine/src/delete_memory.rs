//! DeleteMemory: delete one memory for good.

use super::db::Outcome;
use super::experiences::remove;
use super::micro_summary::summarize_again;
use super::sight::{no_memory, seen_memory};
use super::{Engine, Result, Run, check};
use robot_memory_core::api::{DeleteMemory, DeleteMemoryRequest, DeleteMemoryResponse};
use robot_memory_core::model::Stamp;
use robot_memory_db::{DeletedMemory, Subject, WriteTx};
use robot_memory_index::Change;
use robot_memory_text::inference;
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

/// Summaries in which words of deleted rows may be.
#[derive(Debug, Default)]
pub(super) struct Stale {
    /// Steps, of their short summaries.
    turn_ids: BTreeSet<String>,
    /// Long summaries.
    macro_ids: BTreeSet<i64>,
    /// Subjects, of what was learned of attempts.
    subjects: BTreeSet<Subject>,
    /// Summaries of weeks.
    week_ids: BTreeSet<i64>,
}

impl Stale {
    /// Notes what was learned of a row that is to be deleted.
    pub(super) fn note_learned(
        &mut self,
        engine: &Engine,
        tx: &WriteTx<'_>,
        id: i64,
    ) -> Result<()> {
        self.subjects.extend(tx.subject_of_attempt(id)?);
        self.week_ids.extend(engine.weeks_told_of(tx, id)?);
        Ok(())
    }
}

/// Deletes a row with all that belongs to it in the store, and the sentences in which it was said, and
/// lets the indexes follow; `None` when there is none. What was made of its words, which is added to
/// `stale`, is to be [made again](Engine::make_again).
pub(super) fn delete(
    engine: &Engine,
    tx: &WriteTx<'_>,
    changes: &mut Vec<Change>,
    stale: &mut Stale,
    id: i64,
    now: Stamp,
) -> Result<Option<DeletedMemory>> {
    stale.note_learned(engine, tx, id)?;
    stale.macro_ids.extend(tx.macros_of(id)?);
    for turn_id in tx.turns_of_memory(id)? {
        for micro in tx.turn_summaries(&turn_id)? {
            stale.macro_ids.extend(tx.macros_of(micro)?);
        }
        stale.turn_ids.insert(turn_id);
    }
    tx.blank_sources(id)?;
    let deleted = tx.delete_memory(id, now)?;
    if let Some(content) = deleted.as_ref().and_then(|deleted| deleted.active_content.as_ref()) {
        changes.push(Change::Remove { id, tokens: inference::tokens(content) });
    }
    Ok(deleted)
}

impl Engine {
    /// Makes summaries again of what is left.
    pub(super) fn make_again(
        &self,
        tx: &WriteTx<'_>,
        changes: &mut Vec<Change>,
        stale: &Stale,
        now: Stamp,
    ) -> Result<()> {
        for id in &stale.week_ids {
            remove(tx, changes, *id, now)?;
        }
        self.learn_again(tx, changes, &stale.subjects, now)?;
        summarize_again(tx, changes, &stale.turn_ids, now)?;
        self.write_macros_again(tx, changes, &stale.macro_ids, now)
    }

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
