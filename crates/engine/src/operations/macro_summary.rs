//! The long summary of several steps: made of short ones, for which it stands from then on, and made
//! again of those that are left when one of them is deleted.

use super::chat::word_for;
use super::condense::Alike;
use super::index_entry::index_entry;
use super::inferred::InferredDescription;
use super::jobs::Choice;
use super::summary::{rewrite_summary, summary_draft};
use super::supersede::supersede;
use crate::db::{Vector, WriteTx, row_tokens};
use crate::{Operations, Result};
use robot_memory_chat::summary_by_chat;
use robot_memory_core::api::FieldText;
use robot_memory_core::limits::CONTENT_CHARS_MAX;
use robot_memory_core::model::{
    Level, MemType, Memory, Scope, Stamp, Status, SummaryKind, SupersededRule, Trust,
};
use robot_memory_db::{MemoryDraft, MicroSummary, SummaryDraft};
use robot_memory_index::parse_context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Who wrote what no endpoint did.
const RULES: &str = "rules";

/// A long summary that was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Macro {
    pub memory_id: i64,
    /// Spelling of a [`CompactReason`](robot_memory_core::api::CompactReason).
    pub reason: String,
    pub source_ids: Vec<i64>,
    pub first_turn_no: Option<u32>,
    pub last_turn_no: Option<u32>,
    /// `rules`, or `chat:` and the endpoint.
    pub written_by: String,
    /// Why the endpoint did not write it; `None` when it did, or when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fell_back: Option<String>,
    /// Sentences of the endpoint that said what the sources do not.
    pub dropped_count: u64,
}

/// A long summary in words.
pub(crate) struct Written {
    text: String,
    by: String,
    fell_back: Option<&'static str>,
    dropped_count: u64,
    vector: Option<Vector>,
}

impl Operations {
    /// Writes the long summary of some short ones: by the chat endpoint when there is one, else, and when
    /// that fails, out of their sentences.
    pub(crate) fn write_macro(&self, micros: &[MicroSummary]) -> Written {
        let texts: Vec<&str> = micros.iter().map(|micro| micro.content.as_str()).collect();
        let (mut text, mut by, mut fell_back, mut dropped_count) =
            (None, RULES.to_owned(), None, 0);
        if let Some(chat) = self.chat() {
            match summary_by_chat(&*chat, &texts, CONTENT_CHARS_MAX) {
                Ok(summary) => {
                    dropped_count = summary.dropped_count;
                    match self.secrets().check_given("content", FieldText::Text(&summary.text)) {
                        Ok(()) => {
                            text = Some(summary.text);
                            by = format!("chat:{}", chat.id());
                        }
                        Err(_) => fell_back = Some("never_store"),
                    }
                }
                Err(error) => {
                    log::warn!("summaries are compacted by rules: {error}");
                    fell_back = Some(word_for(&error));
                }
            }
        }
        // What is never stored may be ruled otherwise by now than when the sources were stored.
        let text = text
            .or_else(|| self.condense(&texts, Alike::Meaning))
            .unwrap_or_else(|| format!("{} summaries of turns", micros.len()));
        let vector = self.embed(&text);
        Written { text, by, fell_back, dropped_count, vector }
    }

    /// Stores a long summary where its sources were, and lets it stand for them.
    pub(crate) fn put_macro(
        &self,
        tx: &WriteTx<'_>,
        scope: &Scope,
        choice: &Choice,
        micros: &[MicroSummary],
        written: Written,
    ) -> Result<Macro> {
        let Choice { reason, source_ids, first_turn_no, last_turn_no } = choice;
        let Written { text, by, fell_back, dropped_count, vector } = written;
        let shared = Shared::of(micros);
        let mut context = json!({ "summary": coverage(source_ids, *first_turn_no, *last_turn_no) });
        if let Some(sim_or_real) = shared.sim_or_real {
            context["env"] = json!({ "sim_or_real": sim_or_real });
        }
        let context = context.to_string();
        let inferred = InferredDescription::read(&text, &context);
        let place = (shared.collection.as_str(), scope);
        let mem_type = self.macro_mem_type(scope, micros);
        let (draft, tokens) =
            summary_draft(SummaryKind::Macro, place, mem_type, inferred, context, shared.newest);
        let draft = MemoryDraft {
            level: shared.level,
            session_id: shared.session_id,
            agent: shared.agent,
            trust: shared.trust,
            confidence: shared.confidence,
            importance: shared.importance,
            ..draft
        };
        let summary = SummaryDraft {
            first_turn_no: *first_turn_no,
            last_turn_no: *last_turn_no,
            source_ids,
            ..SummaryDraft::of(SummaryKind::Macro)
        };
        let memory_id = self.insert_summary(tx, (draft, tokens), vector.as_ref(), &summary)?;
        // Before the first message on /clock there is no other time than that of the sources.
        let now = self.clock.now().unwrap_or(shared.newest);
        for micro in micros {
            supersede(tx, micro.id, memory_id, SupersededRule::Compaction, now)?;
        }
        Ok(Macro {
            memory_id,
            reason: reason.to_string(),
            source_ids: source_ids.clone(),
            first_turn_no: *first_turn_no,
            last_turn_no: *last_turn_no,
            written_by: by,
            fell_back: fell_back.map(str::to_owned),
            dropped_count,
        })
    }

    /// The class of a long summary: knowledge, unless the policy shows that to others than its sources.
    fn macro_mem_type(&self, scope: &Scope, micros: &[MicroSummary]) -> MemType {
        let policy = &self.access.policy;
        let differs =
            |micro: &&MicroSummary| !policy.reads_alike(scope, micro.mem_type, MemType::Knowledge);
        micros.iter().find(differs).map_or(MemType::Knowledge, |micro| micro.mem_type)
    }
}

/// What a long summary has of its sources: of words what they share, of numbers the careful one.
struct Shared {
    collection: String,
    level: Level,
    session_id: String,
    agent: String,
    trust: Trust,
    confidence: f64,
    importance: f64,
    sim_or_real: Option<String>,
    newest: Stamp,
}

impl Shared {
    fn of(micros: &[MicroSummary]) -> Self {
        let shared = |text: fn(&MicroSummary) -> &str| {
            let first = micros.first().map_or("", text);
            let is_shared = micros.iter().all(|micro| text(micro) == first);
            if is_shared { first.to_owned() } else { String::new() }
        };
        let env = |micro: &MicroSummary| {
            let context = parse_context(&micro.context);
            context.pointer("/env/sim_or_real").and_then(Value::as_str).map(str::to_owned)
        };
        let first_env = micros.first().and_then(env);
        Self {
            collection: shared(|micro| &micro.collection),
            level: micros.first().map_or(Level::Knowledge, |micro| micro.level),
            session_id: shared(|micro| &micro.session_id),
            agent: shared(|micro| &micro.agent),
            trust: micros.iter().map(|it| it.trust).min().unwrap_or(Trust::Low),
            confidence: micros.iter().map(|it| it.confidence).fold(1.0, f64::min),
            importance: micros.iter().map(|it| it.importance).fold(0.0, f64::max),
            sim_or_real: first_env
                .filter(|first| micros.iter().all(|micro| env(micro).as_ref() == Some(first))),
            newest: micros.iter().map(|it| it.created_at).max().unwrap_or(Stamp(0)),
        }
    }
}

impl Operations {
    /// Lets a long summary say which steps its sources cover.
    pub(crate) fn cover_again(&self, tx: &WriteTx<'_>, id: i64) -> Result<()> {
        let Some(memory) = tx.memory(id, false)? else { return Ok(()) };
        let source_ids = tx.summary_sources(id)?;
        let context = cover(tx, &memory, &source_ids)?;
        if memory.status == Status::Active {
            let vector = self.vector_in_use(tx, id)?.map(|vector| vector.components);
            // What its context says of the steps is no name.
            let Memory { content, session_id, tags, .. } = &memory;
            let tokens = row_tokens(tx, content, &context, session_id, tags)?;
            let memory = Memory { context, ..memory };
            let belief = tx.belief(id)?;
            tx.index(index_entry(memory, belief, 0, tokens.clone(), tokens, vector));
        }
        Ok(())
    }

    /// Writes long summaries again of those of their sources that are still there and not forgotten, for words that were
    /// deleted may be in them. One without any source is deleted.
    pub(super) fn write_macros_again(
        &self,
        tx: &WriteTx<'_>,
        ids: &BTreeSet<i64>,
        now: Stamp,
    ) -> Result<()> {
        for id in ids {
            let Some(memory) = tx.memory(*id, false)? else { continue };
            let (mut source_ids, mut texts) = (Vec::new(), Vec::new());
            for source in tx.summary_sources(*id)? {
                if let Some(content) = tx.unforgotten(source)? {
                    source_ids.push(source);
                    texts.push(content);
                }
            }
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            // Somebody waits for it, so that it is by words; upkeep makes the vector.
            match self.condense(&texts, Alike::Words) {
                Some(text) => rewrite(tx, memory, &source_ids, &text, now)?,
                None => drop(tx.remove(*id, now)?),
            }
        }
        Ok(())
    }
}

fn rewrite(
    tx: &WriteTx<'_>,
    memory: Memory,
    source_ids: &[i64],
    text: &str,
    now: Stamp,
) -> Result<()> {
    let context = cover(tx, &memory, source_ids)?;
    let inferred = InferredDescription::read(text, &context);
    rewrite_summary(tx, memory, context, inferred, now)
}

/// Writes which short summaries a long one was made of, and which steps they cover; answers its context.
fn cover(tx: &WriteTx<'_>, memory: &Memory, source_ids: &[i64]) -> Result<String> {
    let (first_turn_no, last_turn_no) = tx.covered_turns(source_ids)?;
    tx.put_coverage(memory.id, source_ids, first_turn_no, last_turn_no)?;
    let mut context = parse_context(&memory.context);
    if !context.is_object() {
        context = json!({});
    }
    context["summary"] = coverage(source_ids, first_turn_no, last_turn_no);
    let context = context.to_string();
    tx.put_context(memory.id, &context)?;
    Ok(context)
}

/// What the context of a long summary says of it.
fn coverage(source_ids: &[i64], first_turn_no: Option<u32>, last_turn_no: Option<u32>) -> Value {
    json!({
        "kind": SummaryKind::Macro,
        "source_ids": source_ids,
        "first_turn_no": first_turn_no,
        "last_turn_no": last_turn_no,
    })
}
