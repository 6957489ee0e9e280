//! Deleting a row for good, with all that was made of its words.

use super::experiences::remove;
use super::micro_summary::summarize_again;
use crate::{Operations, Result};
use robot_memory_core::model::Stamp;
use robot_memory_db::{DeletedMemory, Subject, WriteTx};
use robot_memory_index::Change;
use robot_memory_text::inference;
use std::collections::BTreeSet;

/// Summaries in which words of deleted rows may be.
#[derive(Debug, Default)]
pub(crate) struct Stale {
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
    pub(crate) fn note_learned(
        &mut self,
        engine: &Operations,
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
/// `stale`, is to be [made again](Operations::make_again).
pub(super) fn delete(
    engine: &Operations,
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

impl Operations {
    /// Makes summaries again of what is left.
    pub(crate) fn make_again(
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
}
