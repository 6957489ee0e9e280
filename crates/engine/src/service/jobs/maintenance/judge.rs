//! Pairs that are much alike are judged: the same, apart, or in conflict.

use super::merge::{Collections, is_maintained};
use super::{Done, ScopeWork};
use crate::db::WriteTx;
use crate::operations::consolidate::Sameness;
use crate::operations::judgment::{Judgment, ParsedStatement};
use crate::service::jobs::{Fault, JobRun};
use crate::service::similar_pairs::{Nearby, Nearness};
use crate::{Engine, Error, Result};
use robot_memory_chat::{Chat, ChatJudgment, judged_by_chat};
use robot_memory_core::limits::{JUDGED_BY_CHAT_MAX, JUDGED_PER_MEMORY_MAX};
use robot_memory_core::model::{JudgedBy, PairVerdict, Scope};
use robot_memory_db::{JudgedPair, SessionRow};
use robot_memory_index::ranking::connected;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rows that are judged with others in one step. With a chat endpoint a step takes as long as it answers.
const ROWS_PER_STEP: usize = 16;

/// The report's word for who judged.
const BY_RULES: &str = "rules";
const BY_CHAT: &str = "chat";
const CHAT_FAILED: &str = "rules (chat failed)";

/// Two rows that were judged, as they were.
struct Judged {
    rows: (SessionRow, SessionRow),
    judgment: Judgment,
    by: JudgedBy,
}

/// Who judges, and how far a chat endpoint is still asked.
struct Judge {
    chat: Option<Arc<dyn Chat>>,
    asked: usize,
    has_failed: bool,
}

impl JobRun<'_> {
    /// Judges pairs of the scope that are much alike, and ends the comparison that the merging began.
    pub(super) fn judge_step(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        if work.part().is_quiet() && !work.may_compare() {
            return Ok(());
        }
        let engine = self.engine;
        let (scope, now) = (work.scope.clone(), work.now);
        let settings = &engine.config.maintenance;
        let similarity_max = settings.merge_similarity_min as f32;
        let nearness =
            Nearness { jaccard_min: None, similarity_min: settings.judge_similarity_min as f32 };
        let ids = engine.still_to_compare(&scope)?;
        let total = ids.len() as u64;
        let mut judge = Judge { chat: engine.chat(), asked: 0, has_failed: false };
        let mut collections = Collections::default();
        let mut done = 0;
        for ids in ids.chunks(ROWS_PER_STEP) {
            let mut seen = BTreeSet::new();
            let mut judged = Vec::new();
            let mut left_out = 0;
            for (sought, mut near) in
                engine.similar_pairs(ids, nearness, |row| is_maintained(row, &scope))?
            {
                near.retain(|other| other.similarity.is_some_and(|it| it < similarity_max));
                if near.is_empty() || !collections.has(engine, &scope, &sought.row.collection)? {
                    continue;
                }
                near.sort_by(nearest_first);
                left_out += near.len().saturating_sub(JUDGED_PER_MEMORY_MAX) as u64;
                for other in near.iter().take(JUDGED_PER_MEMORY_MAX) {
                    let id = sought.row.id;
                    if seen.insert((id.min(other.id), id.max(other.id))) {
                        judged.extend(engine.judged((id, other.id), &scope, &mut judge)?);
                    }
                }
            }
            done += ids.len() as u64;
            if judged.is_empty() && left_out == 0 {
                self.pause()?;
                continue;
            }
            self.commit_part(work, total, |tx, part| {
                let mut same = BTreeSet::new();
                for pair in &judged {
                    let (a, b) = (&pair.rows.0, &pair.rows.1);
                    if !is_as_it_was(tx, a)? || !is_as_it_was(tx, b)? {
                        continue;
                    }
                    part.count("judged", 1);
                    let ids = (a.id.min(b.id), a.id.max(b.id));
                    let (verdict, reason) = match pair.judgment {
                        Judgment::Same => {
                            part.count("same", 1);
                            same.insert(ids);
                            continue;
                        }
                        Judgment::Apart(reason) => {
                            part.count("apart", 1);
                            (PairVerdict::Apart, reason)
                        }
                        Judgment::Conflict(reason) => {
                            part.find("conflict", &[ids.0, ids.1], reason);
                            (PairVerdict::Conflict, reason)
                        }
                    };
                    let judged_by = pair.by;
                    tx.put_pair(&JudgedPair { ids, verdict, reason, judged_by, judged_at: now })?;
                }
                let sameness = Sameness {
                    similarity_min: Some(similarity_max),
                    judged: Some(&same),
                    is_strict: true,
                };
                let pairs: Vec<(i64, i64)> = same.iter().copied().collect();
                for ids in connected(&pairs) {
                    engine.merge_batch(tx, part, &scope, &ids, sameness, now)?;
                }
                if left_out > 0 {
                    part.count("left_out", left_out);
                }
                if part.counted("judged") > 0 {
                    part.step().judged_by = judge.reason().to_owned();
                }
                Ok(Done { cursor: Value::Null, done })
            })?;
        }
        work.end_comparing();
        Ok(())
    }
}

impl Judge {
    /// What is made of two statements that are much alike. What is known to tell them apart is not asked
    /// about: no endpoint makes one of two numbers.
    fn judge(&mut self, a: &ParsedStatement, b: &ParsedStatement) -> (Judgment, JudgedBy) {
        let by_rules = (a.judge(b), JudgedBy::Rules);
        let is_open = a.distinction(b).is_none() && !matches!(by_rules.0, Judgment::Conflict(_));
        let Some(chat) = &self.chat else { return by_rules };
        if !is_open || self.has_failed || self.asked >= JUDGED_BY_CHAT_MAX {
            return by_rules;
        }
        self.asked += 1;
        match judged_by_chat(&**chat, [&a.content, &b.content]) {
            Ok(Some(ChatJudgment::Same)) => (Judgment::Same, JudgedBy::Chat),
            Ok(Some(ChatJudgment::Apart)) => {
                (Judgment::Apart("different by the chat endpoint"), JudgedBy::Chat)
            }
            Ok(Some(ChatJudgment::Contradict)) => {
                (Judgment::Conflict("contradictory by the chat endpoint"), JudgedBy::Chat)
            }
            Ok(None) => by_rules,
            Err(error) => {
                log::warn!("pairs of memories are judged by rules: {error}");
                self.has_failed = true;
                by_rules
            }
        }
    }

    /// What the report says of who judged.
    fn reason(&self) -> &'static str {
        match (&self.chat, self.has_failed) {
            (None, _) => BY_RULES,
            (Some(_), true) => CHAT_FAILED,
            (Some(_), false) => BY_CHAT,
        }
    }
}

impl Engine {
    /// Two rows, judged, unless they were before or are no longer there.
    fn judged(&self, ids: (i64, i64), scope: &Scope, judge: &mut Judge) -> Result<Option<Judged>> {
        let rows = self.store.read(|tx| {
            if tx.pair_verdict(ids.0, ids.1)?.is_some() {
                return Ok::<_, Error>(None);
            }
            Ok(tx.active_row(ids.0)?.zip(tx.active_row(ids.1)?))
        })?;
        let Some((a, b)) = rows else { return Ok(None) };
        if !is_maintained(&a, scope) || !is_maintained(&b, scope) {
            return Ok(None);
        }
        let (one, other) = (
            ParsedStatement::of(&a.content, &a.context),
            ParsedStatement::of(&b.content, &b.context),
        );
        let (judgment, by) = judge.judge(&one, &other);
        Ok(Some(Judged { rows: (a, b), judgment, by }))
    }
}

/// The nearest first, of equals the lowest id.
fn nearest_first(a: &Nearby, b: &Nearby) -> std::cmp::Ordering {
    let similarity = |it: &Nearby| it.similarity.unwrap_or(0.0);
    similarity(b).total_cmp(&similarity(a)).then(a.id.cmp(&b.id))
}

/// Whether a row still says what was judged.
fn is_as_it_was(tx: &WriteTx<'_>, row: &SessionRow) -> Result<bool> {
    Ok(tx.active_row(row.id)?.is_some_and(|now| {
        now.content == row.content && now.context == row.context && now.scope == row.scope
    }))
}
