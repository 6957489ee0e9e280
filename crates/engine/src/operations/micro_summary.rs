//! The short summary of a finished step: made when the step is taken in, and made again of what is left
//! when a memory is deleted that was said in it.

use super::check::StoredContext;
use super::inferred::InferredDescription;
use super::summary::{rewrite_summary, summary_draft};
use crate::db::{Vector, WriteTx};
use crate::{Operations, Result};
use robot_memory_core::api::{FieldText, LearnRequest};
use robot_memory_core::limits::MICRO_SUMMARY_CHARS_MAX;
use robot_memory_core::model::{Level, MemType, Source, Stamp, SummaryKind, Turn};
use robot_memory_db::{MemoryDraft, SaidIn, SummaryDraft};
use robot_memory_text::inference::{self, TurnFact};
use std::collections::BTreeSet;

/// A short summary that is embedded and not stored yet.
pub(crate) struct CheckedSummary {
    inferred: InferredDescription,
    context: StoredContext,
    vector: Option<Vector>,
}

impl Operations {
    /// The short summary of a step of which these facts were taken; `None` when it says nothing.
    ///
    /// # Errors
    /// `refused` when it holds what is never stored.
    pub(crate) fn check_summary(
        &self,
        turn: &Turn,
        facts: &[TurnFact],
    ) -> Result<Option<CheckedSummary>> {
        let Some(text) = summary_of(&turn.text, facts) else { return Ok(None) };
        let about =
            serde_json::json!({"kind": SummaryKind::Micro.as_str(), "turn_no": turn.turn_no});
        let context = serde_json::json!({"summary": about}).to_string();
        self.secrets().check_given("text", FieldText::Text(&text))?;
        let stored = self.context(&context)?;
        let inferred = InferredDescription::read(&text, &context);
        let vector = self.embed(&inferred.content);
        Ok(Some(CheckedSummary { inferred, context: stored, vector }))
    }

    /// Stores a short summary in the branch of its step and answers its id.
    pub(crate) fn store_summary(
        &self,
        tx: &WriteTx<'_>,
        turn: &Turn,
        summary: CheckedSummary,
    ) -> Result<i64> {
        let CheckedSummary { inferred, context, vector } = summary;
        let context = self.in_session(tx, &turn.session_id, context)?;
        let (kind, scope) = (SummaryKind::Micro, turn.scope());
        let place = (turn.collection.as_str(), &scope);
        let (draft, tokens) =
            summary_draft(kind, place, MemType::TaskLog, inferred, context.text, turn.committed_at);
        let draft = MemoryDraft {
            session_id: turn.session_id.clone(),
            turn_id: turn.turn_id.clone(),
            agent: turn.agent.clone(),
            source: Source::AgentOutput,
            trust: Source::AgentOutput.trust(),
            ..draft
        };
        let turn_no = Some(turn.turn_no);
        let summary = SummaryDraft {
            first_turn_no: turn_no,
            last_turn_no: turn_no,
            ..SummaryDraft::of(kind)
        };
        let id = self.insert_summary(tx, (draft, tokens), vector.as_ref(), &summary)?;
        tx.insert_turn_memory(&turn.turn_id, id, SaidIn::Whole)?;
        Ok(id)
    }
}

/// What a step in which this was said is learned as.
pub(crate) fn learned_of(turn: &Turn, fact: &TurnFact) -> LearnRequest {
    let context = match fact.context.is_empty() {
        true => String::new(),
        false => serde_json::Value::Object(fact.context.clone()).to_string(),
    };
    LearnRequest {
        insight: fact.text.clone(),
        context,
        collection: turn.collection.clone(),
        session_id: turn.session_id.clone(),
        turn_id: turn.turn_id.clone(),
        level: Level::Knowledge.as_str().to_owned(),
        scope: turn.scope().to_string(),
        agent: turn.agent.clone(),
        source: Source::AgentOutput.as_str().to_owned(),
        ..LearnRequest::default()
    }
}

/// Makes the short summaries of steps again, out of which sentences were deleted: of their words there
/// may be some in them. One of which nothing is left is deleted. Some are left as they are.
pub(super) fn summarize_again(
    tx: &WriteTx<'_>,
    turn_ids: &BTreeSet<String>,
    left: &BTreeSet<i64>,
    now: Stamp,
) -> Result<()> {
    for turn_id in turn_ids {
        tx.blank_forgotten_turn(turn_id)?;
        let Some((turn, _)) = tx.turn(turn_id)? else { continue };
        let data = serde_json::from_str(&turn.data).ok();
        let facts = inference::turn_facts(&turn.text, data.as_ref());
        let text = summary_of(&turn.text, &facts);
        for id in tx.turn_summaries(turn_id)?.into_iter().filter(|id| !left.contains(id)) {
            match &text {
                Some(text) => rewrite(tx, id, text, now)?,
                None => remove(tx, id, now)?,
            }
        }
    }
    Ok(())
}

fn rewrite(tx: &WriteTx<'_>, id: i64, text: &str, now: Stamp) -> Result<()> {
    let Some(memory) = tx.memory(id, false)? else { return Ok(()) };
    if memory.content == text && tx.audit(id)?.is_empty() {
        return Ok(());
    }
    let inferred = InferredDescription::read(text, &memory.context);
    let context = memory.context.clone();
    rewrite_summary(tx, memory, context, inferred, now)
}

fn remove(tx: &WriteTx<'_>, id: i64, now: Stamp) -> Result<()> {
    tx.blank_sources(id)?;
    tx.remove(id, now)?;
    Ok(())
}

/// The words of a step in short; `None` when it has none.
fn summary_of(text: &str, facts: &[TurnFact]) -> Option<String> {
    let summary = inference::turn_summary(text, facts, MICRO_SUMMARY_CHARS_MAX);
    let summary = if summary.trim().is_empty() {
        // Of chatter, its beginning.
        let words: Vec<&str> = text.split_whitespace().collect();
        inference::cut(&words.join(" "), MICRO_SUMMARY_CHARS_MAX).0.to_owned()
    } else {
        summary.trim().to_owned()
    };
    (!summary.is_empty()).then_some(summary)
}
