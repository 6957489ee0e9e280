//! One row comes to stand for another.

use crate::Result;
use crate::db::WriteTx;
use robot_memory_core::model::{LedgerChange, Stamp, Status, SupersededRule};
use robot_memory_db::LedgerNote;

/// Lets the row `by` stand for another one: it is no longer found, and its children
/// belong to `by` where that is of the same level.
pub(crate) fn supersede(
    tx: &WriteTx<'_>,
    id: i64,
    by: i64,
    rule: SupersededRule,
    now: Stamp,
) -> Result<()> {
    tx.supersede(id, by, rule, now)?;
    // Else the word of whoever said the other one did it.
    let by_itself = matches!(
        rule,
        SupersededRule::Consolidation | SupersededRule::Compaction | SupersededRule::BranchMerge
    );
    let agent = if by_itself { String::new() } else { tx.agent_of_row(by)? };
    let note = LedgerNote {
        memory_id: id,
        change: LedgerChange::Superseded,
        cause: rule.as_str(),
        agent: &agent,
        values: (Status::Active.as_str(), Status::Superseded.as_str()),
        at: now,
    };
    tx.note_change(&note)?;
    // Both are of one scope and class, so that whoever sees the one may know of the other.
    if rule == SupersededRule::Consolidation {
        let change = LedgerChange::Merged;
        tx.note_change(&LedgerNote { memory_id: by, change, values: ("", ""), ..note })?;
    }
    Ok(tx.deactivate(id)?)
}
