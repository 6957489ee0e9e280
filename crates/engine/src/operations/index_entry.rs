//! A stored row as the indexes take it.

use robot_memory_core::model::{Belief, Kind, Memory};
use robot_memory_index::{Change, Put, is_real, parse_context};
use robot_memory_text::inference;

/// A row as the indexes take it: with the belief in it, the tokens that it has now, those that the indexes know of it, and its
/// vector when it has one. Only facts have a quantity key.
pub(crate) fn index_entry(
    memory: Memory,
    belief: Belief,
    quantity_key: i64,
    tokens: Vec<String>,
    tokens_before: Vec<String>,
    vector: Option<Vec<f32>>,
) -> Change {
    let quantity_key = if memory.kind == Kind::Fact { quantity_key } else { 0 };
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
        is_real: is_real(&parse_context(&memory.context)),
        belief,
        created_at: memory.created_at,
        quantity_key: quantity_key.cast_unsigned(),
        context: memory.context,
        word_count: inference::word_count(&tokens),
        tokens,
        tokens_before,
        vector,
    }))
}
