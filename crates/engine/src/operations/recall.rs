//! Recall: find the memories that matter.

use super::around::Anchored;
use super::asked_events::AskedEvents;
use super::fleet::Tellers;
use super::groups::counts;
use super::lists::{List, ListOptions, Listed, Query};
use super::localization::{Localization, map_relation};
use super::newer_first::newer_first;
use super::plan::{Plan, Spatial};
use super::search::{self, Matched, Similarities, Stages};
use super::signatures::Example;
use super::usage::used;
use super::visibility::{VisibleRows, hide_unseen};
use super::{check, echoes, near, relevant, sessions};
use crate::{Error, Operations, Result, Run};
use robot_memory_core::api::{
    ApiError, ErrorKind, Hit, Mode, Order, Ranking, Recall, RecallRequest, RecallResponse, Why,
};
use robot_memory_core::limits::ANSWER_DATA_BYTES_MAX;
use robot_memory_core::{signature, site::SiteQuestion};
use robot_memory_db::ReadTx;
use robot_memory_index::{Bitset, Derived, Names, RowSelection, Slot};
use robot_memory_text::inference::{self, Objects};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

/// What a word that says a time counts where there are events, beside other words.
const TIME_WORD_WEIGHT: f64 = 0.1;

impl Run<Recall> for Operations {
    fn run(&self, request: RecallRequest) -> Result<RecallResponse> {
        let started = Instant::now();
        let mut stages = Stages::begin();
        let (agent, to_site) = (request.agent.clone(), SiteQuestion::wanted(&request));
        let plan = self.plan(request)?;
        let site = to_site.map(|question| self.ask_site(question, &plan));
        let asked = match plan.query.as_deref() {
            Some(query) => self.asked_events(query)?,
            None => None,
        };
        self.prepare(&plan, asked.as_ref())?;
        stages.end("plan");
        // What is counted, or told in order, is what says it.
        let by_names = plan.order.is_none() && plan.count_by.is_none();
        let query = plan.query.as_deref().map(|query| self.read_query(query, asked, by_names));
        stages.end("embedding");
        let mut response = self.view_prepared(
            |tx| {
                self.prepare_reading(
                    tx,
                    &plan,
                    query.as_ref().and_then(|query| query.asked.as_ref()),
                )
            },
            |tx, derived| {
                if let Some(session_id) = &plan.rows.session_id {
                    self.check_filter(tx, derived, session_id, &agent, &plan)?;
                }
                let Some(understood) = self.understood(derived, &plan)? else {
                    return self.search(tx, derived, &plan, query.as_ref(), stages);
                };
                let mut response = self.search(tx, derived, &understood.plan, None, stages)?;
                understood.tell(&mut response);
                Ok(response)
            },
        )?;
        if let Ok(now) = self.now() {
            self.note_accesses(used(&plan, &response), now);
        }
        self.include_site(site, &plan, &mut response)?;
        response.query_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }
}

/// A row chosen for the answer.
struct Chosen {
    slot: Slot,
    listed: Option<Listed>,
    distance: Option<f64>,
    /// From the example.
    signature_distance: Option<f64>,
}

impl Chosen {
    fn bare(slot: Slot) -> Self {
        Self { slot, listed: None, distance: None, signature_distance: None }
    }
}

/// Which rows are shown, and which matched.
#[derive(Default)]
struct Choice {
    chosen: Vec<Chosen>,
    total: u64,
    /// The rows that matched, when they are to be counted.
    matching: Option<Bitset>,
    other_map_count: u64,
    unresolved_frames: Vec<String>,
}

impl Operations {
    /// Reads a query's words and makes its vector.
    fn read_query(&self, text: &str, asked: Option<AskedEvents>, by_names: bool) -> Query {
        let mut terms = inference::query_terms(text, &self.synonyms);
        if let Some(asked) = &asked {
            // What says a time is not in the sentence of an event.
            let bare = inference::query_terms(&asked.asked().bare, &self.synonyms);
            for term in &mut terms {
                if bare.iter().all(|other| other.words != term.words) {
                    term.weight *= TIME_WORD_WEIGHT;
                }
            }
        }
        if by_names {
            inference::or_named(&mut terms);
        }
        let asks_how_often = inference::asks_how_often(text);
        let asks_how_much = inference::asks_how_much(text);
        let (objects, sure_object) = if asks_how_often || asks_how_much {
            (Objects::asked_about_in(text), Objects::default())
        } else {
            (Objects::default(), Objects::surely_asked_in(text))
        };
        Query {
            terms,
            vector: self.embed_query(text),
            picture: self.picture_query(text),
            asked,
            asks_how_often,
            asks_how_much,
            asks_how_many: inference::asks_how_many(text),
            asks_when: inference::asks_when(text),
            asks_what_was_asked: inference::asks_what_was_asked(text),
            objects,
            sure_object,
            named: Arc::clone(&self.named_objects),
        }
    }

    /// Refuses to look for the rows of a session that there is not, or that the caller knows nothing
    /// of: it may not see it, nor any row of it.
    fn check_filter(
        &self,
        tx: &ReadTx<'_>,
        derived: &Derived,
        session_id: &str,
        agent: &str,
        plan: &Plan,
    ) -> Result<()> {
        let known = match tx.session(session_id)? {
            None => false,
            Some(session) if self.may_see_session(&session, agent) => true,
            Some(_) => {
                let session = derived.rows.names().get(session_id).unwrap_or(Names::UNUSED);
                let rows = RowSelection { session: Some(session), ..RowSelection::default() };
                !VisibleRows::of(&plan.rows.visibility, &derived.rows)
                    .allowed(derived, &rows)
                    .is_empty()
            }
        };
        if known { Ok(()) } else { Err(sessions::unknown_session(session_id)) }
    }

    /// Searches one snapshot.
    fn search(
        &self,
        tx: &ReadTx<'_>,
        derived: &Derived,
        plan: &Plan,
        query: Option<&Query>,
        mut stages: Stages,
    ) -> Result<RecallResponse> {
        // A ranked search looks at what was named and at what everybody sees apart.
        let is_ranked = query.is_some() && plan.spatial.is_none() && plan.order.is_none();
        let mut allowed: Vec<Bitset> = match plan.rows.visibility.halves().filter(|_| is_ranked) {
            Some(halves) => halves
                .iter()
                .map(|half| self.allowed(derived, plan, half))
                .collect::<Result<_>>()?,
            None => vec![self.allowed(derived, plan, &plan.rows.visibility)?],
        };
        let anchored = match &plan.around {
            Some(around) => Some(self.anchored(derived, plan, around)?),
            None => None,
        };
        if let Some(anchored) = &anchored {
            let rows = anchored.rows();
            allowed.iter_mut().for_each(|allowed| allowed.intersect_with(&rows));
        }
        let considered: u64 = allowed.iter().map(Bitset::count).sum();
        stages.end("filter");
        // The model may have been exchanged since the query was read.
        let vector = query.and_then(|query| query.vector.as_ref());
        let vector = vector.filter(|vector| self.is_in_use(vector));
        let mut similarities = Similarities::new(tx, derived, vector, plan.exact)?;
        similarities.pictures = self.picture_similarities(tx, derived, query);
        if let Some(min_similarity) = plan.min_similarity {
            for allowed in &mut allowed {
                similarities.narrow(allowed, min_similarity)?;
            }
            stages.end("similarity");
        }
        let mut list = match query {
            Some(query) => {
                // A place decides which rows match and in which order, whatever the query says.
                let by_list = plan.spatial.is_none();
                let options = ListOptions {
                    n: plan.n,
                    ranking: plan.ranking,
                    // How relevant a row is, is known of ranked ones.
                    by_time: plan.order.filter(|_| by_list && plan.min_relevance.is_none()),
                    nth_of_each: plan.nth_of_each,
                    wants_all: plan.count_by.is_some() && by_list,
                };
                let similarities = &mut similarities;
                let list =
                    List::make(tx, derived, query, similarities, &allowed, options, &mut stages)?;
                Some(list)
            }
            None => None,
        };
        if let (Some(list), Some(min_relevance)) = (&mut list, plan.min_relevance) {
            relevant::keep(list, min_relevance);
            // A place decides the order of those that are left.
            allowed = list.matching.iter().cloned().collect();
        }
        if let (Some(list), Some(query)) = (&mut list, query)
            && is_ranked
            && plan.diversity
        {
            echoes::leave_out(tx, derived, query, &mut list.listed, plan.n)?;
        }
        let better_collections = match (query, &list) {
            (Some(query), Some(list)) if is_ranked => {
                let similarities = &mut similarities;
                self.better_collections(tx, derived, plan, query, similarities, list)?
            }
            _ => Vec::new(),
        };
        stages.end("elsewhere");
        // Apart only when there is a list, which alone is looked at then.
        let allowed = allowed.pop().unwrap_or_default();
        let localization = self.localization();
        let (list_seen, anchor) = (list.as_ref(), anchored.as_ref());
        let choice = choose(derived, plan, allowed, list_seen, anchor, localization.as_deref())?;
        stages.end("order");
        let counts = match (plan.count_by, &choice.matching) {
            (Some(counting), Some(matching)) => counts(derived, matching, counting)?,
            _ => Vec::new(),
        };
        let mode = mode(plan, list.as_ref());
        let seen = VisibleRows::of(&plan.rows.visibility, &derived.rows);
        let mut memories = Vec::with_capacity(choice.chosen.len());
        let mut data_bytes = 0;
        let words = match (query, &list) {
            (Some(query), Some(list)) => {
                Matched { terms: &query.terms, positions: &list.positions }
            }
            _ => Matched::default(),
        };
        for chosen in choice.chosen {
            let similarity = match chosen.listed.and_then(|listed| listed.similarity) {
                Some(similarity) => Some(similarity),
                None => similarities.of(chosen.slot)?,
            };
            let mut hit = show(self, tx, derived, plan, &seen, words, similarity, &chosen)?;
            hit.why.picture_similarity = similarities.pictures.of(chosen.slot)?.map(f64::from);
            data_bytes += hit.memory.data.len() + hit.memory.metadata.len();
            if data_bytes > ANSWER_DATA_BYTES_MAX {
                return Err(check::invalid(format!(
                    "include_data: the data of the first {} of these memories is more than \
                     {ANSWER_DATA_BYTES_MAX} bytes; ask for fewer (n)",
                    memories.len() + 1
                )));
            }
            memories.push(hit);
        }
        if list.is_some() && plan.order.is_none() && plan.spatial.is_none() {
            newer_first(&mut memories);
        }
        stages.end("reading");
        let explanation = if plan.explain {
            let pictures = list.as_ref().map_or(0, |list| list.picture_count);
            self.explain(plan, derived, considered, query, mode, choice.total, pictures, &stages)
        } else {
            String::new()
        };
        Ok(RecallResponse {
            memories,
            total: choice.total,
            mode,
            approximate: list.is_some_and(|list| list.approximate),
            counts,
            anchor_memory_id: anchored.map_or(0, |anchored| anchored.memory_id),
            understood: String::new(),
            better_collections,
            other_map_count: choice.other_map_count,
            unresolved_frames: choice.unresolved_frames,
            site: None,
            site_fault: String::new(),
            query_ms: 0.0,
            plan: explanation,
        })
    }

    /// Searches by what was made from something else than a query.
    pub(super) fn related(
        &self,
        tx: &ReadTx<'_>,
        derived: &Derived,
        plan: &Plan,
        query: &Query,
        allowed: &[Bitset],
    ) -> Result<Vec<Hit>> {
        let vector = query.vector.as_ref().filter(|vector| self.is_in_use(vector));
        let mut similarities = Similarities::new(tx, derived, vector, false)?;
        let options = ListOptions::best(plan.n, Ranking::Rrf);
        let similarities = &mut similarities;
        let stages = &mut Stages::begin();
        let list = List::make(tx, derived, query, similarities, allowed, options, stages)?;
        let words = Matched { terms: &query.terms, positions: &list.positions };
        let seen = VisibleRows::of(&plan.rows.visibility, &derived.rows);
        let mut hits = Vec::with_capacity(plan.n);
        for listed in list.listed.into_iter().take(plan.n) {
            let chosen = Chosen { listed: Some(listed), ..Chosen::bare(listed.slot) };
            let similarity = similarities.of(listed.slot)?;
            hits.push(show(self, tx, derived, plan, &seen, words, similarity, &chosen)?);
        }
        Ok(hits)
    }

    #[expect(clippy::too_many_arguments, reason = "each is one thing that is told")]
    fn explain(
        &self,
        plan: &Plan,
        derived: &Derived,
        considered: u64,
        query: Option<&Query>,
        mode: Mode,
        total: u64,
        pictures: usize,
        stages: &Stages,
    ) -> String {
        let mut text = format!("{plan}; {considered} rows pass");
        if let Some(asked) = query.and_then(|query| query.asked.as_ref()) {
            let _ = write!(text, "; events: {}", asked.asked());
        }
        if let Some(query) = query {
            let words: Vec<&str> = query.terms.iter().map(|term| term.words.as_str()).collect();
            let model = self.model();
            let place = |in_memory| if in_memory { "in memory" } else { "on disk" };
            let _ = write!(
                text,
                "; words: {} ({}); vectors: {} ({}); {mode} by {}",
                words.join(" "),
                place(derived.words.is_some()),
                model.as_deref().unwrap_or("none"),
                place(derived.vectors.is_some() && !plan.exact),
                plan.ranking,
            );
        }
        if let Some(query) = query.and_then(|query| query.picture.as_ref()) {
            let _ = write!(text, "; pictures: {pictures} ({})", query.model);
        }
        let _ = write!(text, "; {total} match, at most {} are shown; ms:", plan.n);
        for (part, taken) in &stages.taken {
            let _ = write!(text, " {part} {:.3}", taken.as_secs_f64() * 1e3);
        }
        text
    }
}

fn choose(
    derived: &Derived,
    plan: &Plan,
    allowed: Bitset,
    list: Option<&List>,
    anchored: Option<&Anchored>,
    localization: Option<&dyn Localization>,
) -> Result<Choice> {
    if let Some(spatial) = &plan.spatial {
        return nearest(derived, plan, spatial, allowed, list, localization);
    }
    if let Some(example) = &plan.example {
        return felt_alike(derived, plan, example, allowed);
    }
    match list {
        None => {
            let (shown, total) = match (anchored, &plan.nth_of_each) {
                (_, Some(nth_of_each)) => one_of_each(nth_of_each.of(derived, &allowed)?, plan.n),
                (Some(anchored), None) if plan.order.is_none() => {
                    (anchored.nearest(derived, plan.n), allowed.count())
                }
                _ => {
                    let order = plan.order.unwrap_or(Order::Newest);
                    (search::by_time(derived, &allowed, order, plan.n), allowed.count())
                }
            };
            Ok(Choice {
                chosen: shown.into_iter().map(Chosen::bare).collect(),
                total,
                matching: Some(allowed),
                ..Choice::default()
            })
        }
        Some(list) => {
            let by_slot: HashMap<Slot, Listed> =
                list.listed.iter().map(|listed| (listed.slot, *listed)).collect();
            let (shown, total) = match (plan.order, &plan.nth_of_each, &list.matching) {
                (_, Some(nth_of_each), Some(matching)) => {
                    one_of_each(nth_of_each.of(derived, matching)?, plan.n)
                }
                (Some(order), None, Some(matching)) => {
                    (search::by_time(derived, matching, order, plan.n), list.total)
                }
                _ => {
                    let slots = list.listed.iter().map(|listed| listed.slot);
                    (slots.take(plan.n).collect(), list.total)
                }
            };
            let chosen = shown
                .into_iter()
                .map(|slot| Chosen { listed: by_slot.get(&slot).copied(), ..Chosen::bare(slot) });
            Ok(Choice {
                chosen: chosen.collect(),
                total,
                matching: list.matching.clone(),
                ..Choice::default()
            })
        }
    }
}

/// Of one row of each group the first `n`, and how many there are.
fn one_of_each(mut slots: Vec<Slot>, n: usize) -> (Vec<Slot>, u64) {
    let total = slots.len() as u64;
    slots.truncate(n);
    (slots, total)
}

/// The allowed rows that felt most like an example, but not the one that it is of.
fn felt_alike(
    derived: &Derived,
    plan: &Plan,
    example: &Example,
    mut allowed: Bitset,
) -> Result<Choice> {
    let Some(column) = derived.signatures(example.kind.as_str()) else {
        return Err(Error::unavailable("the signatures are being loaded; try again"));
    };
    if let Some(slot) = example.memory_id.and_then(|id| derived.rows.slot(id)) {
        allowed.remove(slot);
    }
    let found = column.nearest(&example.steps, &allowed, plan.n);
    let chosen = found.hits.into_iter().map(|(slot, steps)| Chosen {
        signature_distance: Some(signature::distance_of_steps(steps)),
        ..Chosen::bare(slot)
    });
    Ok(Choice {
        chosen: chosen.collect(),
        total: found.total,
        matching: plan.count_by.is_some().then(|| column.present(&allowed)),
        ..Choice::default()
    })
}

/// The nearest of all allowed rows. A query does not narrow them, it only says how well each fits.
fn nearest(
    derived: &Derived,
    plan: &Plan,
    spatial: &Spatial,
    allowed: Bitset,
    list: Option<&List>,
    localization: Option<&dyn Localization>,
) -> Result<Choice> {
    let wants_all = plan.order.is_some() || plan.count_by.is_some();
    let count = if wants_all { usize::MAX } else { plan.n };
    let found = near::rows(derived, plan, spatial, allowed, count, localization)?;
    let matching: Option<Bitset> =
        wants_all.then(|| found.hits.iter().map(|(slot, _)| *slot).collect());
    let shown: Vec<(Slot, f64)> = match (plan.order, &matching) {
        (Some(order), Some(matching)) => {
            let distances: HashMap<Slot, f64> = found.hits.iter().copied().collect();
            let slots = search::by_time(derived, matching, order, plan.n);
            slots.into_iter().filter_map(|slot| Some((slot, *distances.get(&slot)?))).collect()
        }
        _ => found.hits.into_iter().take(plan.n).collect(),
    };
    let by_slot: HashMap<Slot, Listed> = list
        .map(|list| list.listed.iter().map(|listed| (listed.slot, *listed)).collect())
        .unwrap_or_default();
    let chosen = shown.into_iter().map(|(slot, distance)| Chosen {
        listed: by_slot.get(&slot).copied(),
        distance: Some(distance),
        ..Chosen::bare(slot)
    });
    Ok(Choice {
        chosen: chosen.collect(),
        total: found.total,
        matching,
        other_map_count: found.other_map_count,
        unresolved_frames: found.unresolved_frames,
    })
}

fn mode(plan: &Plan, list: Option<&List>) -> Mode {
    match list {
        None if plan.spatial.is_some() => Mode::SpatialOnly,
        None if plan.example.is_some() => Mode::Signature,
        None => Mode::FilterOnly,
        Some(list) if list.vectors_empty => Mode::Bm25Only,
        Some(list) if list.words_empty => Mode::VecOnly,
        Some(_) => Mode::Hybrid,
    }
}

#[expect(clippy::too_many_arguments, reason = "each is one thing that is told")]
fn show(
    engine: &Operations,
    tx: &ReadTx<'_>,
    derived: &Derived,
    plan: &Plan,
    seen: &VisibleRows,
    words: Matched<'_>,
    similarity: Option<f32>,
    chosen: &Chosen,
) -> Result<Hit> {
    let slot = chosen.slot;
    let memory = match derived.rows.facts(slot) {
        Some(facts) => tx.memory(facts.id, plan.include_data)?,
        None => None,
    };
    // The snapshot and the indexes are of one revision, so the row is there.
    let Some(mut memory) = memory else {
        return Err(ApiError {
            kind: ErrorKind::Internal,
            message: "the indexes name a memory that the store does not hold".into(),
        }
        .into());
    };
    hide_unseen(tx, &mut memory, &plan.rows.visibility)?;
    let content_of = |slot: Option<Slot>| -> Result<String> {
        let Some(facts) = slot.and_then(|slot| derived.rows.facts(slot)) else {
            return Ok(String::new());
        };
        Ok(tx.content(facts.id)?.unwrap_or_default())
    };
    let mut conflicts_with = tx.conflicts_of(memory.id)?;
    conflicts_with.retain(|id| {
        let slot = derived.rows.slot(*id);
        slot.and_then(|slot| derived.rows.facts(slot)).is_some_and(|facts| seen.sees(&facts))
    });
    let (before, after) = seen.neighbors(&derived.rows, slot);
    let listed = chosen.listed;
    let found = listed.and_then(|listed| listed.words);
    let (source_weight, trust_weight) = search::weights(derived, slot);
    let Tellers { robots: told_by, told_at, independent_count, transfer } =
        engine.told_by(tx, memory.id, &memory.scope)?;
    let rulings = engine.rulings_on(tx, &memory, &plan.rows.visibility)?;
    let parts = listed.and_then(|listed| listed.parts).unwrap_or_default();
    Ok(Hit {
        map_relation: map_relation(&memory.context, plan.map_id.as_deref()),
        memory,
        score: listed.map_or(0.0, |listed| listed.score),
        similar_count: listed.map_or(0, |listed| listed.similar_count),
        spatial_distance: chosen.distance,
        context_before: content_of(before)?,
        context_after: content_of(after)?,
        conflicts_with,
        why: Why {
            word_rank: listed.and_then(|listed| listed.word_rank).unwrap_or(0),
            vector_rank: listed.and_then(|listed| listed.vector_rank).unwrap_or(0),
            picture_rank: listed.and_then(|listed| listed.picture_rank).unwrap_or(0),
            word_score: found.map_or(0.0, |found| found.score),
            similarity: similarity.map(f64::from),
            coverage: found.map_or(0.0, |found| found.coverage),
            evidence: parts.sum(),
            relevance: listed.map_or(0.0, |listed| listed.relevance),
            word_gain: parts.words,
            code_gain: parts.codes,
            neighbor_gain: parts.neighbors,
            source_weight,
            trust_weight,
            told_by,
            told_at,
            independent_count,
            transfer,
            confirmed_by: rulings.confirmed_by,
            contradicted_by: rulings.contradicted_by,
            matched_words: words.of(found.map_or(0, |found| found.matched)),
            signature_distance: chosen.signature_distance,
            ..Why::default()
        },
    })
}
