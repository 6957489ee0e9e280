//! Belief fades with the days, and what is no longer worth keeping is archived.

use crate::Result;
use crate::db::WriteTx;
use robot_memory_core::model::{Belief, Category, LedgerChange, Memory, Stamp, Status};
use robot_memory_db::{DecayRow, LedgerNote};
use robot_memory_index::ranking::ForgettingCurve;

/// The belief in a row with its days counted up to now; `None`: it is protected.
pub(crate) fn counted(row: &DecayRow, now: Stamp) -> Option<Belief> {
    let is_protected = row.category.is_some_and(Category::is_protected);
    (!is_protected).then(|| row.belief.counted(now))
}

/// How much of a row's importance is left; `None`: it never fades.
pub(crate) fn retention(row: &DecayRow, now: Stamp) -> Option<f64> {
    let curve = ForgettingCurve::of(row.mem_type, row.category, row.importance, row.access_count)?;
    Some(curve.retention(now.days_since(born_at(row.created_at, row.restored_at, row.known_at))))
}

/// From when the age of a memory counts: when it was made, restored, or came to be known here.
pub(crate) fn born_at(
    created_at: Stamp,
    restored_at: Option<Stamp>,
    known_at: Option<Stamp>,
) -> Stamp {
    [restored_at, known_at].into_iter().flatten().fold(created_at, Stamp::max)
}

/// The forgetting curve of a memory; `None`: it never fades.
pub(super) fn curve(memory: &Memory) -> Option<ForgettingCurve> {
    ForgettingCurve::of(memory.mem_type, memory.category, memory.importance, memory.access_count)
}

/// Archives an active row: it stays in the store and leaves every search. What it stands
/// for and what belongs to it stay as they are.
pub(crate) fn archive(
    tx: &WriteTx<'_>,
    id: i64,
    cause: &str,
    agent: &str,
    now: Stamp,
) -> Result<()> {
    tx.archive(id, now)?;
    tx.note_change(&LedgerNote {
        memory_id: id,
        change: LedgerChange::Archived,
        cause,
        agent,
        values: (Status::Active.as_str(), Status::Archived.as_str()),
        at: now,
    })?;
    Ok(tx.deactivate(id)?)
}
