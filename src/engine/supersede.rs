//! One row comes to stand for another.

use super::Result;
use super::unlist::unlist;
use crate::index::Change;
use crate::model::{Stamp, SupersededRule};
use crate::store::WriteTx;

/// A row that another one is to stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Superseded<'a> {
    /// The row.
    pub id: i64,
    /// What it says.
    pub content: &'a str,
}

/// Lets the row `by` stand for another one: it is no longer found, and its children belong to `by`
/// where that is of the same level.
pub(super) fn supersede(
    tx: &WriteTx<'_>,
    changes: &mut Vec<Change>,
    row: Superseded<'_>,
    by: i64,
    rule: SupersededRule,
    now: Stamp,
) -> Result<()> {
    tx.supersede(row.id, by, rule, now)?;
    unlist(tx, changes, row.id, row.content)
}
