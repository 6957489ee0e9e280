//! Belief fades with the days, and what is no longer worth keeping is archived.

use super::Result;
use super::unlist::unlist;
use crate::index::Change;
use crate::model::{Belief, Category, LedgerChange, Memory, Stamp, Status};
use crate::ranking::ForgettingCurve;
use crate::store::{DecayRow, LedgerNote, WriteTx};

/// What is left of the belief in a row, after days that were not counted before; `None`: it stays as it
/// is.
pub(super) fn faded(row: &DecayRow, now: Stamp) -> Option<Belief> {
    if row.category.is_some_and(Category::is_protected) {
        return None;
    }
    row.belief.faded(now)
}

/// Writes what is left of the belief in a row.
pub(super) fn put_faded(
    tx: &WriteTx<'_>,
    changes: &mut Vec<Change>,
    row: &DecayRow,
    faded: Belief,
    cause: &str,
) -> Result<()> {
    let belief = tx.set_confidence(row.id, faded.confidence, faded.fades_from)?;
    changes.push(Change::Belief { id: row.id, belief });
    Ok(tx.note_faded(row.id, row.belief.confidence, faded.confidence, cause, faded.fades_from)?)
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
