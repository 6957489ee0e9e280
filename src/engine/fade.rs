//! Belief fades with the days, and what is no longer worth keeping is archived.

use super::Result;
use super::unlist::unlist;
use crate::index::Change;
use crate::model::{Category, LedgerChange, Memory, Stamp, Status};
use crate::ranking::{ForgettingCurve, decayed};
use crate::store::{DecayRow, LedgerNote, WriteTx};

/// What is left of the belief in a row, after days that were not counted before; `None`: it stays as it
/// is.
pub(super) fn faded(row: &DecayRow, now: Stamp) -> Option<f64> {
    if row.category.is_some_and(Category::is_protected) {
        return None;
    }
    let last_touched = row.last_accessed.unwrap_or(row.created_at);
    let counted_until = row.decayed_until.unwrap_or(last_touched).max(last_touched);
    decayed(row.confidence, row.decay_rate, now.days_since(counted_until))
}

/// Writes what is left of the belief in a row.
pub(super) fn put_faded(
    tx: &WriteTx<'_>,
    changes: &mut Vec<Change>,
    row: &DecayRow,
    confidence: f64,
    cause: &str,
    now: Stamp,
) -> Result<()> {
    tx.set_confidence(row.id, confidence, now)?;
    changes.push(Change::Confidence { id: row.id, confidence });
    let (before, after) = (in_ledger(row.confidence), in_ledger(confidence));
    if before != after {
        tx.note_change(
            row.id,
            &LedgerNote {
                change: LedgerChange::Faded,
                cause,
                agent: "",
                value_before: &before,
                value_after: &after,
                at: now,
            },
        )?;
    }
    Ok(())
}

/// How much of a row's importance is left; `None`: it never fades.
pub(super) fn retention(row: &DecayRow, now: Stamp) -> Option<f64> {
    let curve = ForgettingCurve::of(row.mem_type, row.category, row.importance, row.access_count)?;
    Some(curve.retention(now.days_since(born_at(row.created_at, row.restored_at))))
}

/// From when the age of a memory counts.
pub(super) fn born_at(created_at: Stamp, restored_at: Option<Stamp>) -> Stamp {
    restored_at.map_or(created_at, |restored_at| restored_at.max(created_at))
}

/// The forgetting curve of a memory; `None`: it never fades.
pub(super) fn curve(memory: &Memory) -> Option<ForgettingCurve> {
    ForgettingCurve::of(memory.mem_type, memory.category, memory.importance, memory.access_count)
}

/// Archives an active row: it stays in the store and leaves every search. What it stands
/// for and what belongs to it stay as they are.
pub(super) fn archive(
    tx: &WriteTx<'_>,
    changes: &mut Vec<Change>,
    id: i64,
    content: &str,
    cause: &str,
    agent: &str,
    now: Stamp,
) -> Result<()> {
    tx.archive(id, now)?;
    tx.note_change(
        id,
        &LedgerNote {
            change: LedgerChange::Archived,
            cause,
            agent,
            value_before: Status::Active.as_str(),
            value_after: Status::Archived.as_str(),
            at: now,
        },
    )?;
    unlist(tx, changes, id, content)
}

/// A share as a ledger has it.
fn in_ledger(share: f64) -> String {
    format!("{share:.4}")
}
