//! Recall: find the memories that matter.

use super::contenders;
use super::plan::{Plan, Spatial};
use super::search::{self, Similarities};
use super::{Engine, Result, Run, Vector, check, sessions};
use crate::api::{ApiError, Hit, Mode, Order, Ranking, Recall, RecallRequest, RecallResponse, Why};
use crate::index::{Bitset, Derived, Slot};
use crate::inference;
use crate::limits::ANSWER_DATA_BYTES_MAX;
use crate::ranking::{Fused, VectorHit, WordHit, fuse};
use crate::store::ReadTx;
use std::collections::BTreeMap;
use std::time::Instant;

impl Run<Recall> for Engine {
    fn run(&self, request: RecallRequest) -> Result<RecallResponse> {
        let started = Instant::now();
        let plan = self.plan(request)?;
        self.prepare(&plan)?;
        let query_vector = plan.query.as_deref().and_then(|query| self.embed_query(query));
        let mut response = self.view(|tx, derived| {
            if let Some(session_id) = &plan.rows.session_id
                && tx.session(session_id)?.is_none()
            {
                return Err(sessions::unknown_session(session_id));
            }
            self.search(tx, derived, &plan, query_vector.as_ref())
        })?;
        if let Ok(now) = self.now() {
            self.note_accesses(response.memories.iter().map(|hit| hit.memory.id), now);
        }
        response.query_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }
}

/// A row chosen for the answer.
struct Chosen {
    slot: Slot,
    score: f64,
    distance: Option<f64>,
}

/// What the query made of the rows: two lists, and one of both.
struct Lists {
    tokens: Vec<String>,
    words: Vec<WordHit>,
    vectors_empty: bool,
    words_empty: bool,
    fused: Vec<Fused>,
}

impl Engine {
    /// Searches one snapshot.
    pub(super) fn search(
        &self,
        tx: &ReadTx<'_>,
        derived: &Derived,
        plan: &Plan,
        query_vector: Option<&Vector>,
    ) -> Result<RecallResponse> {
        let mut allowed = self.allowed(derived, plan)?;
        let considered = allowed.count();
        let similarities = Similarities::new(tx, derived, query_vector, plan.exact)?;
        if let Some(min_similarity) = plan.min_similarity {
            similarities.narrow(&mut allowed, min_similarity);
        }
        let lists = match &plan.query {
            Some(query) => {
                let tokens = inference::tokens(query);
                Some(lists(tx, derived, tokens, &similarities, &allowed, plan.n, plan.ranking)?)
            }
            None => None,
        };
        let (chosen, total) = choose(derived, plan, &allowed, lists.as_ref())?;
        let mode = mode(plan, lists.as_ref());
        let explanation = if plan.explain {
            explain(plan, considered, lists.as_ref(), total, mode, self.model().as_deref())
        } else {
            String::new()
        };
        let mut memories = Vec::with_capacity(chosen.len());
        let mut data_bytes = 0;
        for chosen in chosen {
            let hit = show(tx, derived, plan, lists.as_ref(), &similarities, &chosen)?;
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
        Ok(RecallResponse {
            memories,
            total,
            mode,
            approximate: false,
            query_ms: 0.0,
            plan: explanation,
        })
    }

    /// Searches by tokens and a vector that were made from something else than a query.
    pub(super) fn related(
        &self,
        tx: &ReadTx<'_>,
        derived: &Derived,
        plan: &Plan,
        tokens: Vec<String>,
        vector: Option<&Vector>,
        allowed: &Bitset,
    ) -> Result<Vec<Hit>> {
        let similarities = Similarities::new(tx, derived, vector, false)?;
        let lists = lists(tx, derived, tokens, &similarities, allowed, plan.n, Ranking::Rrf)?;
        let (chosen, _) = choose(derived, plan, allowed, Some(&lists))?;
        chosen
            .iter()
            .map(|chosen| show(tx, derived, plan, Some(&lists), &similarities, chosen))
            .collect()
    }
}

fn lists(
    tx: &ReadTx<'_>,
    derived: &Derived,
    tokens: Vec<String>,
    similarities: &Similarities<'_>,
    allowed: &Bitset,
    n: usize,
    ranking: Ranking,
) -> Result<Lists> {
    let word_list = search::words(tx, derived, tokens, allowed)?;
    let vectors: Vec<VectorHit> = similarities.nearest(allowed, search::vector_list_len(n));
    let weight = |slot| {
        let (source, trust) = search::weights(derived, slot);
        source * trust
    };
    let fused = match ranking {
        Ranking::Best => contenders::ranked(derived, allowed, similarities, &word_list, &vectors),
        Ranking::Rrf => fuse(&word_list.hits, &vectors, weight),
    };
    Ok(Lists {
        tokens: word_list.tokens,
        words_empty: fused.iter().all(|fused| fused.word_rank.is_none()),
        vectors_empty: vectors.is_empty(),
        words: word_list.hits,
        fused,
    })
}

fn choose(
    derived: &Derived,
    plan: &Plan,
    allowed: &Bitset,
    lists: Option<&Lists>,
) -> Result<(Vec<Chosen>, u64)> {
    if let Some(spatial) = &plan.spatial {
        return nearest(derived, plan, spatial, allowed, lists);
    }
    let (mut chosen, by_time): (Vec<Chosen>, Option<Order>) = match lists {
        Some(lists) => {
            let all = lists.fused.iter();
            let chosen =
                all.map(|fused| Chosen { slot: fused.slot, score: fused.score, distance: None });
            (chosen.collect(), plan.order)
        }
        None => {
            let all = allowed.iter().map(|slot| Chosen { slot, score: 0.0, distance: None });
            (all.collect(), Some(plan.order.unwrap_or(Order::Newest)))
        }
    };
    // A row that is only beside others is in neither list.
    let beside = lists.map_or(0, |lists| lists.fused.iter().filter(|row| !row.is_listed()).count());
    let total = (chosen.len() - beside) as u64;
    if let Some(order) = by_time {
        sort_by_time(derived, &mut chosen, order);
    }
    chosen.truncate(plan.n);
    Ok((chosen, total))
}

/// The nearest of all allowed rows. A query does not narrow them, it only says how well each fits.
fn nearest(
    derived: &Derived,
    plan: &Plan,
    spatial: &Spatial,
    allowed: &Bitset,
    lists: Option<&Lists>,
) -> Result<(Vec<Chosen>, u64)> {
    let Some(index) = derived.spatial(&spatial.field) else {
        return Err(ApiError::unavailable("too many spatial fields at once; try again").into());
    };
    let count = if plan.order.is_some() { usize::MAX } else { plan.n };
    let found = index.nearest(&spatial.target, spatial.max_distance, count, allowed);
    let scores: BTreeMap<Slot, f64> = lists
        .map(|lists| lists.fused.iter().map(|fused| (fused.slot, fused.score)).collect())
        .unwrap_or_default();
    let mut chosen: Vec<Chosen> = found
        .hits
        .into_iter()
        .map(|(slot, distance)| Chosen {
            slot,
            score: scores.get(&slot).copied().unwrap_or(0.0),
            distance: Some(distance),
        })
        .collect();
    if let Some(order) = plan.order {
        sort_by_time(derived, &mut chosen, order);
    }
    chosen.truncate(plan.n);
    Ok((chosen, found.total))
}

/// Rows of the same time in order of id, the newest first when the newest come first.
fn sort_by_time(derived: &Derived, chosen: &mut [Chosen], order: Order) {
    let key = |chosen: &Chosen| {
        (derived.rows.facts(chosen.slot).map(|facts| facts.created_at), chosen.slot)
    };
    match order {
        Order::Newest => chosen.sort_by_key(|chosen| std::cmp::Reverse(key(chosen))),
        Order::Oldest => chosen.sort_by_key(key),
    }
}

fn mode(plan: &Plan, lists: Option<&Lists>) -> Mode {
    match lists {
        None if plan.spatial.is_some() => Mode::SpatialOnly,
        None => Mode::FilterOnly,
        Some(lists) if lists.vectors_empty => Mode::Bm25Only,
        Some(lists) if lists.words_empty => Mode::VecOnly,
        Some(_) => Mode::Hybrid,
    }
}

fn show(
    tx: &ReadTx<'_>,
    derived: &Derived,
    plan: &Plan,
    lists: Option<&Lists>,
    similarities: &Similarities<'_>,
    chosen: &Chosen,
) -> Result<Hit> {
    let slot = chosen.slot;
    let memory = match derived.rows.facts(slot) {
        Some(facts) => tx.memory(facts.id, plan.include_data)?,
        None => None,
    };
    // The snapshot and the indexes are of one revision, so the row is there.
    let Some(memory) = memory else {
        return Err(ApiError {
            kind: crate::api::ErrorKind::Internal,
            message: "the indexes name a memory that the store does not hold".into(),
        }
        .into());
    };
    let fused = lists.and_then(|lists| lists.fused.iter().find(|fused| fused.slot == slot));
    let word_hit = lists.and_then(|lists| lists.words.iter().find(|hit| hit.slot == slot));
    let (source_weight, trust_weight) = search::weights(derived, slot);
    let matched_words = match (lists, word_hit) {
        (Some(lists), Some(hit)) => lists
            .tokens
            .iter()
            .enumerate()
            .filter(|(bit, _)| hit.matched & (1 << bit) != 0)
            .map(|(_, token)| token.clone())
            .collect(),
        _ => Vec::new(),
    };
    Ok(Hit {
        memory,
        score: chosen.score,
        spatial_distance: chosen.distance,
        why: Why {
            word_rank: fused.and_then(|fused| fused.word_rank).unwrap_or(0),
            vector_rank: fused.and_then(|fused| fused.vector_rank).unwrap_or(0),
            word_score: word_hit.map_or(0.0, |hit| hit.score),
            similarity: similarities.of(slot).map(f64::from),
            source_weight,
            trust_weight,
            matched_words,
        },
    })
}

fn explain(
    plan: &Plan,
    considered: u64,
    lists: Option<&Lists>,
    total: u64,
    mode: Mode,
    model: Option<&str>,
) -> String {
    let mut text = format!("{plan}; {considered} rows pass");
    if let Some(lists) = lists {
        text += &format!(
            "; query tokens: {}; {} rows have one of them; {} by {}; model {}",
            lists.tokens.join(" "),
            lists.words.len(),
            mode,
            plan.ranking,
            model.unwrap_or("none"),
        );
    }
    text += &format!("; {total} match, at most {} are shown", plan.n);
    text
}
