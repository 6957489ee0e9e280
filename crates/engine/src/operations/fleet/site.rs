//! A recall that also asks the memory of the site, and what the memory of a site answers.

use super::super::inferred::Inferred;
use super::super::plan::Plan;
use super::super::relevant::Highest;
use super::tellers::transfer;
use crate::{Operations, Result};
use robot_memory_core::access::MemTypes;
use robot_memory_core::api::{ApiError, Hit, Order, RecallResponse, SiteState, Why};
use robot_memory_core::limits::{
    FLEET_TELLERS_SHOWN_MAX, SITE_DEADLINE_MS, SITE_TELLERS_MAX, SUMMARY_CHARS_MAX,
};
use robot_memory_core::model::{Category, Memory, Scope};
use robot_memory_core::site::{SiteAnswer, SiteMemory, SiteQuestion, SiteTeller};
use robot_memory_db::{Hearsay, HearsayState, ReadTx, RwLocked, SaidWords};
use robot_memory_index::ranking::{LOW_TRUST_WEIGHT, share_left_of};
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// On what the answer of the site comes.
pub type SiteReply = Receiver<Result<SiteAnswer, SiteFault>>;

/// Why the site did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFault {
    /// In one word.
    pub state: SiteState,
    /// For a person to read.
    pub text: String,
}

impl SiteFault {
    /// A fault.
    pub fn new(state: SiteState, text: impl Into<String>) -> Self {
        Self { state, text: text.into() }
    }

    /// There was no answer in time.
    pub fn late() -> Self {
        Self::new(SiteState::Late, format!("no answer within {SITE_DEADLINE_MS} ms"))
    }
}

/// A question to the site that is on its way, with when its answer is of use; or why it is not.
pub(crate) struct SiteAsked(Result<(SiteReply, Instant), SiteFault>);

impl Operations {
    /// Asks the memory of the site what this robot is asked.
    pub(crate) fn ask_site(&self, mut question: SiteQuestion, plan: &Plan) -> SiteAsked {
        let asked = move || {
            if plan.rows.visibility.of(&Scope::Fleet) == MemTypes::NONE {
                let text = "the caller may not read the scope fleet";
                return Err(SiteFault::new(SiteState::Skipped, text));
            }
            let link = self.fleet_link.read_locked().clone();
            let link = link.ok_or_else(|| {
                let text = "this program is in no fleet: parameter fleet_url";
                SiteFault::new(SiteState::Unreachable, text)
            })?;
            let within = Duration::from_millis(SITE_DEADLINE_MS);
            let deadline = Instant::now() + within;
            // The collection that is meant by none may be another one there.
            question.request.collection.clear();
            let all = || vec!["*".to_owned()];
            question.request.collections = plan.rows.collections.clone().unwrap_or_else(all);
            Ok((link.ask_site(question, within), deadline))
        };
        SiteAsked(asked())
    }

    /// Puts what the site has and this robot does not into an answer, if it comes in time.
    pub(crate) fn include_site(
        &self,
        asked: Option<SiteAsked>,
        plan: &Plan,
        response: &mut RecallResponse,
    ) -> Result<()> {
        let Some(SiteAsked(asked)) = asked else { return Ok(()) };
        let answer = match asked {
            Err(fault) => Err(fault),
            Ok(_) if !response.understood.is_empty() => {
                let text = "the query was read as a question about order and time";
                Err(SiteFault::new(SiteState::Skipped, text))
            }
            Ok((reply, deadline)) => {
                match reply.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                    Ok(answer) => answer,
                    Err(RecvTimeoutError::Timeout) => Err(SiteFault::late()),
                    Err(RecvTimeoutError::Disconnected) => {
                        Err(SiteFault::new(SiteState::Unreachable, "the link was stopped"))
                    }
                }
            }
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(SiteFault { state, text }) => {
                (response.site, response.site_fault) = (Some(state), text);
                return Ok(());
            }
        };
        response.site = Some(SiteState::Answered);
        response.approximate |= answer.approximate;
        let own = std::mem::take(&mut response.memories);
        let best_there = answer.memories.iter().map(|memory| memory.relevance).fold(0.0, f64::max);
        let told = self.store.read(|tx| {
            let mut told = Vec::new();
            for memory in answer.memories {
                let is_here =
                    own.iter().any(|hit| is_same_text(&hit.memory.content, &memory.content));
                if !is_here && let Some(hit) = self.hit_of_site(tx, plan, memory)? {
                    told.push(hit);
                }
            }
            Ok::<_, crate::Error>(told)
        })?;
        response.memories = merged(own, (told, best_there), plan);
        Ok(())
    }

    /// A memory of the site in an answer of this robot; `None`: it is known here, was forgotten here, or may not be seen.
    fn hit_of_site(&self, tx: &ReadTx<'_>, plan: &Plan, memory: SiteMemory) -> Result<Option<Hit>> {
        if !plan.rows.visibility.sees(&Scope::Fleet, memory.mem_type) {
            return Ok(None);
        }
        // What it tells itself it knows; others may only repeat it.
        if memory.tellers.iter().any(|it| it.origin == self.robot_id()) {
            return Ok(None);
        }
        let mut tellers = Vec::new();
        for teller in memory.tellers {
            // What this robot knows of it holds: it found that itself, or it was forgotten or revoked. What was retracted, or is
            // not taken any more, the robot may have told anew.
            let is_told_anew = |known: &Hearsay| {
                known.state == HearsayState::Retracted && known.revision < teller.revision
            };
            let known = tx.hearsay(&teller.origin, teller.memory_id)?;
            if known.as_ref().is_none_or(is_told_anew) {
                tellers.push(teller);
            }
        }
        let said = Inferred::read(&memory.content, &memory.context);
        let words = SaidWords {
            content_hash: &said.content_hash,
            context: memory.context.trim(),
            mem_type: memory.mem_type,
            category: memory.category,
            collection: &memory.collection,
        };
        if tellers.is_empty() || tx.forgotten_hearsay(&words)?.is_some() {
            return Ok(None);
        }
        let robots: BTreeSet<&str> = tellers.iter().map(|it| it.origin.as_str()).collect();
        let independent = tellers.iter().filter(|it| it.is_independent);
        let independent: BTreeSet<&str> = independent.map(|it| it.origin.as_str()).collect();
        let now = self.now()?;
        let why = Why {
            similarity: memory.similarity,
            coverage: memory.coverage,
            relevance: memory.relevance,
            source_weight: 1.0,
            trust_weight: LOW_TRUST_WEIGHT,
            told_at: tellers.iter().map(|it| it.told_at).max(),
            told_by: robots.iter().take(FLEET_TELLERS_SHOWN_MAX).map(|&it| it.into()).collect(),
            independent_count: u32::try_from(independent.len()).unwrap_or(u32::MAX),
            transfer: transfer(tellers.iter().map(parts), &self.here()),
            from_site: true,
            ..Why::default()
        };
        // A clock there may be ahead.
        let created_at = memory.created_at.min(now);
        let memory = Memory {
            human_summary: memory.content.chars().take(SUMMARY_CHARS_MAX).collect(),
            content: memory.content,
            collection: memory.collection,
            category: Some(memory.category),
            mem_type: memory.mem_type,
            tags: said.tags.clone(),
            scope_files: said.scope_files.clone(),
            scope_entities: said.scope_entities.clone(),
            context: memory.context,
            created_at,
            updated_at: created_at,
            ..Memory::hearsay()
        };
        Ok(Some(Hit::alone(memory, 0.0, why)))
    }

    /// What the memory of a site tells of its answer to the question of a robot.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn site_answer(&self, response: RecallResponse) -> Result<SiteAnswer, ApiError> {
        let approximate = response.approximate;
        let told = |tx: &ReadTx<'_>, hit: Hit| -> Result<Option<SiteMemory>> {
            let Hit { memory, why, .. } = hit;
            if memory.scope != Scope::Fleet {
                return Ok(None);
            }
            let tellers = tx.tellers(memory.id, SITE_TELLERS_MAX)?;
            let tellers = tellers.into_iter().map(|it| SiteTeller {
                is_independent: it.roots.iter().any(|root| root.origin == it.origin),
                origin: it.origin,
                memory_id: it.origin_memory_id,
                revision: it.revision,
                told_at: it.told_at,
                robot_type: it.robot_type,
                gripper: it.gripper,
                map_id: it.map_id,
            });
            let category = memory.category.unwrap_or_else(|| category_of_perceived(&memory));
            Ok(Some(SiteMemory {
                content: memory.content,
                context: memory.context,
                collection: memory.collection,
                category,
                mem_type: memory.mem_type,
                created_at: memory.created_at,
                tellers: tellers.collect(),
                similarity: why.similarity,
                coverage: why.coverage,
                relevance: why.relevance,
            }))
        };
        let memories = self.store.read(|tx| {
            let told = response.memories.into_iter().map(|hit| told(tx, hit));
            told.filter_map(Result::transpose).collect::<Result<Vec<_>>>()
        })?;
        Ok(SiteAnswer { approximate, ..SiteAnswer::of(memories) })
    }
}

/// Of what was perceived with a picture, as of what was perceived without one.
fn category_of_perceived(memory: &Memory) -> Category {
    let inferred = Inferred::read(&memory.content, &memory.context).category;
    if inferred == Category::Constraint { Category::Observation } else { inferred }
}

fn parts(teller: &SiteTeller) -> [&str; 3] {
    [&teller.robot_type, &teller.gripper, &teller.map_id]
}

fn is_same_text(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// How well a row of a list fits whose highest relevance is `best`, less where it is hearsay, as in the ranking of a robot: how likely
/// its list answers, times the share of that list's odds that is left from it on.
fn weighed(hit: &Hit, best: f64) -> f64 {
    let Why { relevance, source_weight, trust_weight, .. } = hit.why;
    best * share_left_of(relevance, best) * source_weight * trust_weight
}

/// Both in the order that was asked for; the memories of a site with the highest relevance there. Those of this robot stay in theirs, and are
/// first where nothing decides.
fn merged(own: Vec<Hit>, (told, best_there): (Vec<Hit>, f64), plan: &Plan) -> Vec<Hit> {
    let best_here = Highest::of(plan, &own);
    let is_before = |told: &Hit, own: &Hit| match plan.order {
        Some(Order::Oldest) => told.memory.created_at < own.memory.created_at,
        None if plan.query.is_some() => {
            weighed(told, best_there) > weighed(own, best_here.beside(own))
        }
        Some(Order::Newest) | None => told.memory.created_at > own.memory.created_at,
    };
    let mut hits = Vec::with_capacity(plan.n);
    let (mut own, mut told) = (own.into_iter().peekable(), told.into_iter().peekable());
    while hits.len() < plan.n {
        let next = match (own.peek(), told.peek()) {
            (Some(here), Some(there)) if is_before(there, here) => told.next(),
            (Some(_), _) => own.next(),
            (None, _) => told.next(),
        };
        match next {
            Some(hit) => hits.push(hit),
            None => break,
        }
    }
    hits
}
