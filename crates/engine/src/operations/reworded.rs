//! A summary comes to say something else, in the store and in the indexes.

use super::inferred::InferredDescription;
use super::put::put;
use crate::Result;
use robot_memory_core::model::{Memory, Stamp, Status};
use robot_memory_db::{RewrittenSummary, WriteTx};
use robot_memory_index::Change;
use robot_memory_text::inference;

/// Lets a summary, which has this context from now on, say what was read. Upkeep makes its vector.
pub(super) fn say_again(
    tx: &WriteTx<'_>,
    changes: &mut Vec<Change>,
    memory: Memory,
    context: String,
    inferred: InferredDescription,
    now: Stamp,
) -> Result<()> {
    let said = RewrittenSummary {
        content: &inferred.content,
        content_hash: inferred.content_hash,
        token_count: u32::try_from(inferred.tokens.len()).unwrap_or(u32::MAX),
        scope_files: &inferred.scope_files,
        scope_entities: &inferred.scope_entities,
    };
    tx.rewrite_summary(memory.id, &said, now)?;
    if memory.status == Status::Active {
        tx.delete_words(memory.id)?;
        tx.insert_words(memory.id, &inferred.tokens)?;
        tx.delete_vector(memory.id)?;
        let before = inference::tokens(&memory.content);
        let memory = Memory { context, ..memory };
        let belief = tx.belief(memory.id)?;
        changes.push(put(memory, belief, 0, inferred.tokens, before, None));
    }
    Ok(())
}
