//! What was learned from many attempts at one task: counted, written, written again, and taken back.

use super::chat::word_for;
use super::inferred::InferredDescription;
use super::summary::{rewrite_summary, summary_draft};
use crate::db::{Vector, WriteTx};
use crate::{Operations, Result};
use robot_memory_chat::summary_by_chat;
use robot_memory_core::limits::{
    CONTENT_CHARS_MAX, EXPERIENCE_ATTEMPTS_MIN, EXPERIENCE_SOURCES_MAX,
};
use robot_memory_core::model::{
    Kind, LedgerChange, MemType, Scope, Source, Stamp, Status, SummaryKind, Trust,
};
use robot_memory_db::{AttemptSource, LedgerNote, MemoryDraft, ReadTx, Subject, SummaryDraft};
use robot_memory_text::experience::{self, Attempt, Figures, Report, subject_of};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Attempts that are counted anew while somebody waits for a deletion; a summary of more of them is deleted
/// as well, and written again by the next maintenance.
pub(super) const COUNTED_AT_ONCE_MAX: u64 = 2_000;

/// What attempts at one task on one object show.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counted {
    figures: Figures,
    /// The newest of them, in order of id.
    source_ids: Vec<i64>,
    /// That of most of them.
    trust: Trust,
    /// Where all of them were made, `sim` or `real`.
    sim_or_real: Option<String>,
}

/// A summary in words.
pub(crate) struct Wording {
    pub text: String,
    pub vector: Option<Vector>,
    /// `rules`, `chat`, or `rules (chat failed)`.
    pub by: &'static str,
}

/// What became of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Learned {
    /// It is new.
    Written(i64),
    /// It says something else now.
    Renewed(i64),
    /// Too few attempts are left.
    Removed(i64),
    /// It says what it said, there is nothing to say, or somebody withdrew it.
    Unchanged,
}

/// Figures as they are kept.
#[derive(Serialize, Deserialize)]
struct StoredFigures {
    #[serde(flatten)]
    figures: Figures,
    trust: Trust,
    sim_or_real: Option<String>,
}

/// What a stream saw happen: no attempt.
fn is_streamed(source: &AttemptSource) -> bool {
    source.kind == Kind::Perception
        && source.context.contains("\"event\"")
        && !source.context.contains("\"task\"")
}

/// The attempt that a memory tells of.
pub(super) fn attempt_of(source: &AttemptSource) -> Option<Attempt> {
    if is_streamed(source) {
        return None;
    }
    Attempt::read(&Report {
        content: &source.content,
        context: &source.context,
        data: &source.data,
        trust: source.trust,
    })
}

/// Reads the attempt that a memory of a scope tells of, in the place of what it told before. Only task logs
/// count that nobody withdrew.
pub(crate) fn read_attempt(tx: &WriteTx<'_>, scope: &Scope, id: i64) -> Result<()> {
    let counts = |source: &AttemptSource| {
        source.scope == *scope
            && source.mem_type == MemType::TaskLog
            && source.kind != Kind::Summary
            && source.status != Status::Invalidated
    };
    let source = tx.attempt_source(id)?.filter(counts);
    let read = source.and_then(|source| Some((attempt_of(&source)?, source.collection)));
    let stored =
        read.filter(|(attempt, _)| !attempt.task.is_empty()).map(|(attempt, collection)| {
            let subject =
                Subject { scope: scope.to_string(), collection, subject: subject_of(&attempt) };
            (subject, json!(attempt).to_string())
        });
    tx.put_attempt(scope, id, stored.as_ref().map(|(subject, stored)| (subject, stored.as_str())))?;
    Ok(())
}

/// Whether a summary tells this already.
pub(crate) fn is_current(tx: &ReadTx<'_>, of: &Subject, counted: &Counted) -> Result<bool> {
    let known = tx.summaries_about(SummaryKind::Experience, of)?;
    Ok(known.first().is_some_and(|it| it.figures == counted.kept()))
}

/// Counts the attempts at a subject; `None` when they are too few.
pub(crate) fn count(tx: &ReadTx<'_>, of: &Subject) -> Result<Option<Counted>> {
    let (mut ids, mut attempts): (Vec<i64>, Vec<Attempt>) = (Vec::new(), Vec::new());
    tx.each_attempt_about(of, |id, json| {
        if let Ok(attempt) = serde_json::from_str(json) {
            ids.push(id);
            attempts.push(attempt);
        }
    })?;
    let figures = Figures::of(&attempts);
    if figures.known_count() < EXPERIENCE_ATTEMPTS_MIN {
        return Ok(None);
    }
    let trust = shared_trust(attempts.iter().map(|attempt| attempt.trust));
    let env = |attempt: &Attempt| {
        let found = attempt.values.iter().find(|it| it.path == "env.sim_or_real")?;
        serde_json::from_str::<String>(&found.value).ok()
    };
    let first_env = attempts.first().and_then(env);
    let sim_or_real =
        first_env.filter(|first| attempts.iter().all(|it| env(it).as_ref() == Some(first)));
    let source_ids = ids.split_off(ids.len().saturating_sub(EXPERIENCE_SOURCES_MAX));
    Ok(Some(Counted { figures, source_ids, trust, sim_or_real }))
}

/// The trust that most of what is summed up has, the lower one of equals; not more than consolidation has.
pub(super) fn shared_trust(all: impl Iterator<Item = Trust>) -> Trust {
    let mut counts: BTreeMap<Trust, usize> = BTreeMap::new();
    for trust in all {
        *counts.entry(trust).or_default() += 1;
    }
    let most = counts.iter().max_by(|(a, m), (b, n)| m.cmp(n).then_with(|| b.cmp(a)));
    most.map_or(Trust::Low, |(trust, _)| *trust).min(Source::Consolidation.trust())
}

impl Counted {
    fn kept(&self) -> String {
        let Self { figures, trust, sim_or_real, .. } = self.clone();
        json!(StoredFigures { figures, trust, sim_or_real }).to_string()
    }

    fn context(&self, of: &Subject) -> String {
        let Figures { task, object, .. } = &self.figures;
        let mut context = json!({
            "summary": {"kind": SummaryKind::Experience, "subject": of.subject},
            "task": {"name": task},
        });
        if !object.is_empty() {
            context["task"]["object"] = json!(object);
        }
        if let Some(sim_or_real) = &self.sim_or_real {
            context["env"] = json!({"sim_or_real": sim_or_real});
        }
        context.to_string()
    }
}

impl Operations {
    /// Says figures in words: in those of the chat endpoint when there is one and its words are in ours.
    pub(crate) fn word(&self, counted: &Counted) -> Wording {
        let by_rules = experience::sentence(&counted.figures);
        let (mut text, mut by) = (by_rules, "rules");
        if let Some(chat) = self.chat() {
            match summary_by_chat(&*chat, &[&text], CONTENT_CHARS_MAX) {
                Ok(summary) if self.may_store(&summary.text) => {
                    text = summary.text;
                    by = "chat";
                }
                Ok(_) => by = "rules (chat failed)",
                Err(error) => {
                    log::warn!("experience is summarized by rules: {}", word_for(&error));
                    by = "rules (chat failed)";
                }
            }
        }
        let vector = self.embed(&text);
        Wording { text, vector, by }
    }

    /// Lets the summary of a subject say what was counted, in these words or in our own; `None`: there is
    /// too little to say.
    pub(crate) fn put_experience(
        &self,
        tx: &WriteTx<'_>,
        of: &Subject,
        counted: Option<(&Counted, Option<Wording>)>,
        now: Stamp,
    ) -> Result<Learned> {
        let mut known = tx.summaries_about(SummaryKind::Experience, of)?.into_iter();
        let first = known.next();
        // A branch that was merged brought its own along.
        for other in known {
            tx.remove(other.memory_id, now)?;
        }
        tx.clear_stale_subject(of)?;
        let Some((counted, wording)) = counted else {
            let Some(first) = first.filter(|it| it.status != Status::Invalidated) else {
                return Ok(Learned::Unchanged);
            };
            tx.remove(first.memory_id, now)?;
            return Ok(Learned::Removed(first.memory_id));
        };
        let figures = counted.kept();
        let text = || experience::sentence(&counted.figures);
        let Some(first) = first else {
            let (text, vector) = match wording {
                Some(wording) => (wording.text, wording.vector),
                None => (text(), None),
            };
            // What is never stored may be ruled otherwise by now than when the sources were stored.
            if !self.may_store(&text) {
                return Ok(Learned::Unchanged);
            }
            return self.insert_experience(tx, of, counted, (text, vector), now);
        };
        let id = first.memory_id;
        if first.status == Status::Invalidated {
            return Ok(Learned::Unchanged);
        }
        if first.figures == figures {
            if first.source_ids != counted.source_ids {
                tx.put_figures(id, &figures, &counted.source_ids)?;
            }
            return Ok(Learned::Unchanged);
        }
        let Some(memory) = tx.memory(id, false)? else { return Ok(Learned::Unchanged) };
        tx.put_figures(id, &figures, &counted.source_ids)?;
        let text = wording.map_or_else(text, |wording| wording.text);
        if !self.may_store(&text) {
            tx.remove(id, now)?;
            return Ok(Learned::Removed(id));
        }
        let context = counted.context(of);
        let inferred = InferredDescription::read(&text, &context);
        rewrite_summary(tx, memory, context, inferred, now)?;
        let before = serde_json::from_str::<StoredFigures>(&first.figures);
        let before = before.map(|it| it.figures.score()).unwrap_or_default();
        tx.note_change(&LedgerNote {
            memory_id: id,
            change: LedgerChange::Renewed,
            cause: "learn",
            agent: "",
            values: (&before, &counted.figures.score()),
            at: now,
        })?;
        Ok(Learned::Renewed(id))
    }

    fn insert_experience(
        &self,
        tx: &WriteTx<'_>,
        of: &Subject,
        counted: &Counted,
        (text, vector): (String, Option<Vector>),
        now: Stamp,
    ) -> Result<Learned> {
        let Ok(scope) = Scope::parse(&of.scope) else { return Ok(Learned::Unchanged) };
        let (kind, context) = (SummaryKind::Experience, counted.context(of));
        let mem_type = self.summary_mem_type(&scope);
        let inferred = InferredDescription::read(&text, &context);
        let (draft, tokens) =
            summary_draft(kind, (&of.collection, &scope), mem_type, inferred, context, now);
        let draft = MemoryDraft { trust: counted.trust, ..draft };
        let figures = counted.kept();
        let (source_ids, subject) = (&*counted.source_ids, &*of.subject);
        let summary =
            SummaryDraft { source_ids, subject, figures: &figures, ..SummaryDraft::of(kind) };
        let memory_id = self.insert_summary(tx, (draft, tokens), vector.as_ref(), &summary)?;
        Ok(Learned::Written(memory_id))
    }

    /// The class of a summary of task logs: knowledge, unless the policy shows that to others than them.
    pub(super) fn summary_mem_type(&self, scope: &Scope) -> MemType {
        let policy = &self.access.policy;
        match policy.reads_alike(scope, MemType::TaskLog, MemType::Knowledge) {
            true => MemType::Knowledge,
            false => MemType::TaskLog,
        }
    }

    /// Lets summaries say what is left, after attempts at their subjects were deleted: their names may be in
    /// them.
    pub(super) fn learn_again(
        &self,
        tx: &WriteTx<'_>,
        subjects: &BTreeSet<Subject>,
        now: Stamp,
    ) -> Result<()> {
        for of in subjects {
            if tx.summaries_about(SummaryKind::Experience, of)?.is_empty() {
                continue;
            }
            if tx.attempt_count(of, COUNTED_AT_ONCE_MAX + 1)? > COUNTED_AT_ONCE_MAX {
                self.put_experience(tx, of, None, now)?;
                tx.mark_stale_subject(of)?;
                continue;
            }
            let counted = count(tx, of)?;
            self.put_experience(tx, of, counted.as_ref().map(|it| (it, None)), now)?;
        }
        Ok(())
    }
}
