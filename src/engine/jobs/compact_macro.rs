//! Makes one long summary of many short ones.

use super::compaction::{Choice, choose_among};
use super::{Fault, JobRun, Step};
use crate::engine::condense::Alike;
use crate::engine::learn::DECAY_RATE;
use crate::engine::supersede::{Superseded, supersede};
use crate::engine::{Engine, Result, Vector};
use crate::index::{Change, is_real, parse_context};
use crate::inference;
use crate::model::{
    JobProgress, JobScope, Kind, Level, MemType, Scope, Source, Stamp, SummaryKind,
    SupersededRule, Trust,
};
use crate::store::{Draft, MicroSummary, SummaryDraft, WriteTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// What the job was asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    /// Whether it is done below the thresholds, too: once.
    force: bool,
}

/// What was made so far; from there the job goes on.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Made {
    macros: Vec<Macro>,
}

/// A long summary that was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Macro {
    memory_id: i64,
    reason: String,
    source_ids: Vec<i64>,
    first_turn_no: Option<u32>,
    last_turn_no: Option<u32>,
    /// `rules`, or the endpoint.
    written_by: String,
}

/// A long summary in words.
struct Written {
    text: String,
    by: String,
    vector: Option<Vector>,
}

impl Made {
    /// What the job answers: ids, numbers and reasons, no words.
    fn report(&self) -> Value {
        let compacted: usize = self.macros.iter().map(|it| it.source_ids.len()).sum();
        json!({ "compacted": compacted, "macros": self.macros })
    }
}

/// A step of the job, as it was committed.
struct Committed {
    made: Made,
    is_done: bool,
    progress: JobProgress,
    told: Value,
}

impl JobRun<'_> {
    /// Compacts while a threshold is reached; below it once, when that is forced. Each long summary is
    /// one step: it is written, and its sources give way to it, or nothing of it.
    pub(super) fn compact_macro(&self) -> std::result::Result<(), Fault> {
        let JobScope::Of(scope) = &self.claim.job.scope else {
            return Err(Fault::Fatal("summaries are compacted in one scope, not in all".into()));
        };
        let payload: Payload = self.payload()?;
        let mut made: Made = self.begun_with()?;
        loop {
            let engine = self.engine;
            let settings = &engine.config.jobs.compaction;
            let force = payload.force && made.macros.is_empty();
            let micros = engine.store.read(|tx| tx.micro_summaries(scope))?;
            let (chosen, _) = choose_among(micros, settings, force);
            let written = chosen.as_ref().map(|(_, micros)| engine.write_macro(micros));
            // To write may have taken long.
            self.pause()?;
            let committed = self.commit(
                |tx, changes| {
                    let mut made = made.clone();
                    let (now_chosen, _) =
                        choose_among(tx.micro_summaries(scope)?, settings, force);
                    // What changed meanwhile is chosen and written again.
                    let is_same = now_chosen == chosen;
                    if is_same && let (Some((choice, micros)), Some(written)) = (chosen, written) {
                        let it = engine.put_macro(tx, changes, scope, &choice, &micros, written)?;
                        made.macros.push(it);
                        let now = engine.config.jobs.clock.now_millis();
                        tx.note_compaction(&self.claim.job.scope, now)?;
                    }
                    let (more, _) = choose_among(tx.micro_summaries(scope)?, settings, false);
                    let is_done = is_same && more.is_none();
                    let told = if is_done { made.report() } else { json!(made) };
                    let done = made.macros.len() as u64;
                    let progress = JobProgress { step: "compact".into(), done, total: 0 };
                    Ok(Committed { made, is_done, progress, told })
                },
                |it| if it.is_done { Step::Done(&it.told) } else { Step::More(&it.progress, &it.told) },
            )?;
            if committed.is_done {
                return Ok(());
            }
            made = committed.made;
            self.pause()?;
        }
    }
}

impl Engine {
    /// Writes the long summary of some short ones.
    fn write_macro(&self, micros: &[MicroSummary]) -> Written {
        let texts: Vec<&str> = micros.iter().map(|micro| micro.content.as_str()).collect();
        // What is never stored may be ruled otherwise by now than when the sources were stored.
        let text = self
            .condense(&texts, Alike::Meaning)
            .unwrap_or_else(|| format!("{} summaries of steps", micros.len()));
        let vector = self.embed(&text);
        Written { text, by: "rules".into(), vector }
    }

    /// Stores a long summary where its sources were, and lets it stand for them.
    fn put_macro(
        &self,
        tx: &WriteTx<'_>,
        changes: &mut Vec<Change>,
        scope: &Scope,
        choice: &Choice,
        micros: &[MicroSummary],
        written: Written,
    ) -> Result<Macro> {
        let Choice { reason, source_ids, first_turn_no, last_turn_no } = choice;
        let Written { text, by, vector } = written;
        let shared = Shared::of(micros);
        let mut context = json!({ "summary": {
            "kind": SummaryKind::Macro,
            "source_ids": source_ids,
            "first_turn_no": first_turn_no,
            "last_turn_no": last_turn_no,
        }});
        if let Some(sim_or_real) = shared.sim_or_real {
            context["env"] = json!({ "sim_or_real": sim_or_real });
        }
        let tokens = inference::tokens(&text);
        let token_count = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
        let draft = Draft {
            collection: shared.collection,
            level: shared.level,
            scope: scope.clone(),
            kind: Kind::Summary,
            category: None,
            mem_type: self.macro_mem_type(scope, micros),
            content_hash: Sha256::digest(&text).into(),
            word_count: token_count,
            is_real: is_real(&context),
            // Summaries are never compared.
            quantity_key: 0,
            context: context.to_string(),
            perception: None,
            session_id: shared.session_id,
            turn_id: String::new(),
            agent: shared.agent,
            source: Source::Consolidation,
            trust: shared.trust,
            confidence: shared.confidence,
            decay_rate: DECAY_RATE,
            importance: shared.importance,
            parent_id: None,
            tags: vec![SummaryKind::Macro.as_str().to_owned()],
            scope_files: inference::scope_files(&text),
            scope_entities: inference::scope_entities(&text),
            created_at: shared.newest,
            content: text,
        };
        let (memory_id, _) = self.insert(tx, changes, draft, tokens, vector.as_ref())?;
        tx.insert_summary(&SummaryDraft {
            memory_id,
            kind: SummaryKind::Macro,
            scope,
            token_count,
            first_turn_no: *first_turn_no,
            last_turn_no: *last_turn_no,
            source_ids,
        })?;
        // Before the first message on /clock there is no other time than that of the sources.
        let now = self.clock.now().unwrap_or(shared.newest);
        for micro in micros {
            let row = Superseded { id: micro.id, content: &micro.content };
            supersede(tx, changes, row, memory_id, SupersededRule::Compaction, now)?;
        }
        Ok(Macro {
            memory_id,
            reason: reason.to_string(),
            source_ids: source_ids.clone(),
            first_turn_no: *first_turn_no,
            last_turn_no: *last_turn_no,
            written_by: by,
        })
    }

    /// The class of a long summary: knowledge, unless the policy shows that to others than its sources.
    fn macro_mem_type(&self, scope: &Scope, micros: &[MicroSummary]) -> MemType {
        let policy = &self.access.policy;
        let differs = |micro: &&MicroSummary| {
            !policy.reads_alike(scope, micro.mem_type, MemType::Knowledge)
        };
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
            sim_or_real: first_env.filter(|first| {
                micros.iter().all(|micro| env(micro).as_ref() == Some(first))
            }),
            newest: micros.iter().map(|it| it.created_at).max().unwrap_or(Stamp(0)),
        }
    }
}
