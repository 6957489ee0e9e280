//! Belief fades with the days.

use super::Result;
use crate::index::Change;
use crate::model::{Category, Stamp};
use crate::ranking::decayed;
use crate::store::{DecayRow, WriteTx};

/// Lets the confidence of a row fade by the days that were not counted before; answers whether it did.
pub(super) fn fade(
    tx: &WriteTx<'_>,
    changes: &mut Vec<Change>,
    row: &DecayRow,
    now: Stamp,
) -> Result<bool> {
    if row.category.is_some_and(Category::is_protected) {
        return Ok(false);
    }
    let last_touched = row.last_accessed.unwrap_or(row.created_at);
    let counted_until = row.decayed_until.unwrap_or(last_touched).max(last_touched);
    let days = now.days_since(counted_until);
    let Some(confidence) = decayed(row.confidence, row.decay_rate, days) else {
        return Ok(false);
    };
    tx.set_confidence(row.id, confidence, now)?;
    changes.push(Change::Confidence { id: row.id, confidence });
    Ok(true)
}
