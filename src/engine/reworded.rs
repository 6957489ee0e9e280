//! A summary comes to say something else, in the store and in the indexes.

use super::Result;
use super::inferred::InferredDescription;
use crate::index::{Change, Put, is_real, parse_context};
use crate::inference;
use crate::model::{Memory, Stamp, Status};
use crate::store::{RewrittenSummary, WriteTx};

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
        changes.push(put(memory, context, inferred.tokens, before, None));
    }
    Ok(())
}

/// A summary as the indexes take it.
pub(super) fn put(
    memory: Memory,
    context: String,
    tokens: Vec<String>,
    tokens_before: Vec<String>,
    vector: Option<Vec<f32>>,
) -> Change {
    Change::Put(Box::new(Put {
        id: memory.id,
        collection: memory.collection,
        scope: memory.scope.to_string(),
        session_id: memory.session_id,
        level: memory.level,
        kind: memory.kind,
        mem_type: memory.mem_type,
        category: memory.category,
        trust: memory.trust,
        is_real: is_real(&parse_context(&context)),
        confidence: memory.confidence,
        created_at: memory.created_at,
        quantity_key: 0,
        context,
        tokens,
        tokens_before,
        vector,
    }))
}
