//! One row comes to stand for another.

use super::deactivate::deactivate;
use crate::Result;
use robot_memory_core::model::{LedgerChange, Stamp, Status, SupersededRule};
use robot_memory_db::{LedgerNote, WriteTx};
use robot_memory_index::Change;

/// A row that another one is to stand for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Superseded<'a> {
    /// The row.
    pub id: i64,
    /// What it says.
    pub content: &'a str,
}

/// Lets the row `by` stand for another one: it is no longer found, and its children belong to `by`
/// where that is of the same level.
pub(crate) fn supersede(
    tx: &WriteTx<'_>,
    changes: &mut Vec<Change>,
    row: Superseded<'_>,
    by: i64,
    rule: SupersededRule,
    now: Stamp,
) -> Result<()> {
    tx.supersede(row.id, by, rule, now)?;
    // Else the word of whoever said the other one did it.
    let by_itself = matches!(
        rule,
        SupersededRule::Consolidation | SupersededRule::Compaction | SupersededRule::BranchMerge
    );
    let agent = if by_itself { String::new() } else { tx.agent_of_row(by)? };
    let note = LedgerNote {
        change: LedgerChange::Superseded,
        cause: rule.as_str(),
        agent: &agent,
        value_before: Status::Active.as_str(),
        value_after: Status::Superseded.as_str(),
        at: now,
    };
    tx.note_change(row.id, &note)?;
    // Both are of one scope and class, so that whoever sees the one may know of the other.
    if rule == SupersededRule::Consolidation {
        let merged =
            LedgerNote { change: LedgerChange::Merged, value_before: "", value_after: "", ..note };
        tx.note_change(by, &merged)?;
    }
    deactivate(tx, changes, row.id, row.content)
}
