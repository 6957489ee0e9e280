//! The rows of summaries: stored, and said in other words.

use super::index_entry::index_entry;
use super::inferred::InferredDescription;
use super::learn::DECAY_RATE;
use crate::db::{Vector, WriteTx, row_tokens, with_names};
use crate::{Operations, Result};
use robot_memory_core::model::{
    Kind, Level, MemType, Memory, Scope, Source, Stamp, Status, SummaryKind,
};
use robot_memory_db::{MemoryDraft, RewrittenSummary, SummaryDraft};
use robot_memory_index::{is_real, parse_context};

/// What a summary is worth keeping: as much as any memory of which nobody says more.
const IMPORTANCE: f64 = 0.5;

/// A summary that consolidation writes in a collection and scope, and its tokens.
pub(super) fn summary_draft(
    kind: SummaryKind,
    (collection, scope): (&str, &Scope),
    mem_type: MemType,
    inferred: InferredDescription,
    context: String,
    now: Stamp,
) -> (MemoryDraft, Vec<String>) {
    let draft = MemoryDraft {
        collection: collection.to_owned(),
        level: Level::Knowledge,
        scope: scope.clone(),
        kind: Kind::Summary,
        category: None,
        mem_type,
        word_count: inferred.word_count(),
        content: inferred.content,
        content_hash: inferred.content_hash,
        is_real: is_real(&parse_context(&context)),
        // Summaries are never compared.
        quantity_key: 0,
        context,
        perception: None,
        session_id: String::new(),
        turn_id: String::new(),
        agent: String::new(),
        source: Source::Consolidation,
        trust: Source::Consolidation.trust(),
        confidence: inferred.confidence,
        decay_rate: DECAY_RATE,
        importance: IMPORTANCE,
        parent_id: None,
        tags: vec![kind.as_str().to_owned()],
        scope_files: inferred.scope_files,
        scope_entities: inferred.scope_entities,
        created_at: now,
    };
    (draft, inferred.tokens)
}

impl Operations {
    /// Stores a summary, and what only summaries have; answers its id.
    pub(super) fn insert_summary(
        &self,
        tx: &WriteTx<'_>,
        (draft, tokens): (MemoryDraft, Vec<String>),
        vector: Option<&Vector>,
        summary: &SummaryDraft<'_>,
    ) -> Result<i64> {
        let (scope, word_count) = (draft.scope.clone(), draft.word_count);
        let (id, _) = self.insert(tx, draft, tokens, vector)?;
        tx.insert_summary(id, &scope, word_count, summary)?;
        Ok(id)
    }
}

/// Lets a summary, which has this context from now on, say what was read. Upkeep makes its vector.
pub(super) fn rewrite_summary(
    tx: &WriteTx<'_>,
    memory: Memory,
    context: String,
    inferred: InferredDescription,
    now: Stamp,
) -> Result<()> {
    let said = RewrittenSummary {
        content: &inferred.content,
        content_hash: inferred.content_hash,
        token_count: inferred.word_count(),
        scope_files: &inferred.scope_files,
        scope_entities: &inferred.scope_entities,
    };
    tx.rewrite_summary(memory.id, &said, now)?;
    tx.put_context(memory.id, &context)?;
    if memory.status == Status::Active {
        let Memory { content, session_id, tags, .. } = &memory;
        let before = row_tokens(tx, content, &memory.context, session_id, tags)?;
        let tokens = with_names(tx, inferred.tokens, &context, session_id, tags)?;
        tx.delete_words(memory.id)?;
        tx.insert_words(memory.id, &tokens)?;
        tx.delete_vector(memory.id)?;
        let memory = Memory { context, ..memory };
        let belief = tx.belief(memory.id)?;
        tx.index(index_entry(memory, belief, 0, tokens, before, None));
    }
    Ok(())
}
