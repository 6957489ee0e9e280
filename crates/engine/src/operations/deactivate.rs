//! A row that stays in the store and leaves every search.

use crate::Result;
use robot_memory_db::WriteTx;
use robot_memory_index::Change;
use robot_memory_text::inference;

/// Takes what an active row is found by out of the store, and lets the indexes follow; its status is
/// the caller's to change.
pub(super) fn deactivate(
    tx: &WriteTx<'_>,
    changes: &mut Vec<Change>,
    id: i64,
    content: &str,
) -> Result<()> {
    tx.delete_words(id)?;
    tx.delete_vector(id)?;
    tx.delete_signature(id)?;
    changes.push(Change::Remove { id, tokens: inference::tokens(content) });
    Ok(())
}
