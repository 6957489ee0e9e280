//! Deleting a row for good, with all that was made of its words.

use super::micro_summary::summarize_again;
use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::model::Stamp;
use robot_memory_db::{DeletedMemory, Subject};
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
        self.week_ids.extend(engine.weeks_about(tx, id)?);
        Ok(())
    }
}

/// Deletes a row with all that belongs to it in the store, and the sentences in which it was said, and
/// lets the indexes follow; `None` when there is none. What was made of its words, which is added to
/// `stale`, is to be [made again](Operations::make_again).
pub(super) fn delete(
    engine: &Operations,
    tx: &WriteTx<'_>,
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
    Ok(tx.remove(id, now)?)
}

impl Operations {
    /// Makes summaries again of what is left.
    pub(crate) fn make_again(&self, tx: &WriteTx<'_>, stale: &Stale, now: Stamp) -> Result<()> {
        for id in &stale.week_ids {
            tx.remove(*id, now)?;
        }
        self.learn_again(tx, &stale.subjects, now)?;
        summarize_again(tx, &stale.turn_ids, &BTreeSet::new(), now)?;
        self.write_macros_again(tx, &stale.macro_ids, now)
    }
}
