//! EndSession: merge what says the same, let confidence fade, recall what is related.

use super::consolidate::{Sameness, consolidate, is_mergeable};
use super::lists::Query;
use super::plan::{Plan, RowFilter};
use super::sessions::{counts, given_session_id};
use super::{check, promote_working, search};
use crate::db::load::f32s;
use crate::db::{Outcome, Vector};
use crate::{Error, Operations, Result, Run};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{EndSession, EndSessionRequest, EndSessionResponse, Hit, Ranking};
use robot_memory_core::limits::{QUERY_TOKENS_MAX, RELATED_MEMORIES_MAX};
use robot_memory_core::model::{Filter, Scope, SearchScope, Session, SessionStatus};
use robot_memory_db::{ReadTx, SessionRow};
use robot_memory_index::ranking::{Group, MERGED_FROM_MIN};
use robot_memory_index::{Bitset, Derived, Names, RowSelection};
use robot_memory_text::inference::{self, QueryTerm, TermAlternative};
use std::collections::{BTreeMap, BTreeSet};

/// Related memories are at least so sure, as in Recall.
const RELATED_CONFIDENCE_MIN: f64 = 0.3;
/// Cosine with the mean of a session's vectors from which a memory is related to it. Of the memories of
/// tests/quality 75 of 100 reach it with the rest of their own session, 27 with another session of the
/// same place, and 8 with one of another place.
const RELATED_SIMILARITY_MIN: f64 = 0.3;
/// The same of a memory without a vector: share of the session's words that others have, too.
const RELATED_COVERAGE_MIN: f64 = 0.15;
/// So many times as many as are answered are looked at: those that are not related are left out.
const RELATED_LOOKED_AT: usize = 4;

impl Run<EndSession> for Operations {
    fn run(&self, request: EndSessionRequest) -> Result<EndSessionResponse> {
        let EndSessionRequest { session_id, outcome_score, agent } = request;
        self.check_agent(&agent)?;
        given_session_id(&session_id)?;
        let outcome_score = match outcome_score {
            Some(score) => Some(check::within("outcome_score", score, 0.0, 1.0)?),
            None => None,
        };
        let now = self.now()?;
        let clock = self.clock_state_at(now);
        if !clock.is_steady() {
            log::warn!("belief does not fade at the end of a session: {clock}");
        }
        let visibility = self.full_visibility(&agent);
        // What fades is known from the indexes.
        self.load_if_behind()?;
        let (session, mut response) = self.with_accesses(|write_accesses| {
            self.write(|tx| {
                let session = open_session(self.seen_session(tx, &session_id, &agent)?)?;
                write_accesses(tx)?;
                let decayed_count = if clock.is_steady() {
                    self.fade_collection(tx, &session.collection, &visibility, now)?
                } else {
                    0
                };
                let mut rows = tx.session_rows(&session_id)?;
                let mut merged = Vec::new();
                for (scope, rows) in by_scope(&rows) {
                    let groups = if rows.len() < MERGED_FROM_MIN {
                        Vec::new()
                    } else {
                        consolidate(tx, self.model().as_deref(), &rows, Sameness::default(), now)?
                    };
                    let seen = visibility.of(scope);
                    let is_seen =
                        |place: usize| rows.get(place).is_some_and(|row| seen.has(row.mem_type));
                    // All of a group are of one scope and class.
                    merged.extend(groups.into_iter().filter(|group| is_seen(group.kept)));
                }
                let working = promote_working::settle(
                    tx,
                    &session_id,
                    outcome_score,
                    &visibility,
                    &agent,
                    now,
                )?;
                self.settle_promoted(tx, &working.promoted, now)?;
                tx.end_session(&session_id, outcome_score, now)?;
                // Told is only what the caller may see.
                rows.retain(|row| visibility.sees(&row.scope, row.mem_type));
                let (by_type, by_category) = counts(&rows);
                let superseded_count: u64 =
                    merged.iter().map(|group| group.superseded.len() as u64).sum();
                let response = EndSessionResponse {
                    status: "ended".into(),
                    session_id: session_id.clone(),
                    memory_count: rows.len() as u64,
                    by_type,
                    by_category,
                    decayed_count,
                    merged_groups: merged.len() as u64,
                    superseded_count,
                    compression_ratio: ratio(superseded_count, rows.len() as u64),
                    avg_similarity: mean_similarity(&merged),
                    promoted_count: working.promoted_count,
                    archived_count: working.archived_count,
                    related_memories: Vec::new(),
                };
                Ok(Outcome::Changed((session, response)))
            })
        })?;
        // The session has ended, whatever becomes of this.
        match self.related_to(&session, &agent, &visibility) {
            Ok(related) => response.related_memories = related,
            Err(error) => log::warn!("related memories of a session could not be found: {error}"),
        }
        Ok(response)
    }
}

impl Operations {
    /// The most similar memories of the same collection that are not of the session: near the mean of its
    /// vectors, and sharing its rarest words.
    fn related_to(&self, session: &Session, agent: &str, whole: &Visibility) -> Result<Vec<Hit>> {
        let scope = self.search_scope("")?;
        let Ok(visibility) = self.visibility(agent, &scope) else { return Ok(Vec::new()) };
        // A long session takes a while to read: the indexes are not held meanwhile.
        let (tokens, vector) = self.store.read(|tx| {
            let mut rows = tx.session_rows(&session.session_id)?;
            rows.retain(|row| whole.sees(&row.scope, row.mem_type));
            let vector = match self.model() {
                Some(model) => mean(tx, &rows, model)?,
                None => None,
            };
            Ok::<_, Error>((tokens_of(session, &rows), vector))
        })?;
        let vector = vector.or_else(|| self.embed(&session.context));
        self.view(|tx, derived| {
            let plan = related_plan(session, scope, visibility);
            let names = derived.rows.names();
            let others = |visibility: &Visibility| {
                let mut allowed = search::allowed(derived, &plan.rows, visibility);
                let own = names.get(&session.session_id).unwrap_or(Names::UNUSED);
                let own = RowSelection { session: Some(own), ..RowSelection::default() };
                allowed.subtract(&derived.rows.allowed(&own));
                allowed
            };
            let allowed: Vec<Bitset> = match plan.rows.visibility.halves() {
                Some(halves) => halves.iter().map(others).collect(),
                None => vec![others(&plan.rows.visibility)],
            };
            let terms = rarest(tx, derived, &tokens)?.into_iter().map(term).collect();
            let query = Query { terms, vector, ..Query::default() };
            let mut related = self.related(tx, derived, &plan, &query, &allowed)?;
            related.retain(is_related);
            related.truncate(RELATED_MEMORIES_MAX as usize);
            let best = related.iter().map(|hit| hit.score).fold(f64::MIN_POSITIVE, f64::max);
            for hit in &mut related {
                hit.score /= best;
            }
            Ok(related)
        })
    }
}

/// Whether a memory is about what a session was about, and not only the most similar of all.
fn is_related(hit: &Hit) -> bool {
    match hit.why.similarity {
        Some(similarity) => similarity >= RELATED_SIMILARITY_MIN,
        None => hit.why.coverage >= RELATED_COVERAGE_MIN,
    }
}

fn open_session(session: Session) -> Result<Session> {
    if session.status != SessionStatus::Open {
        let id = &session.session_id;
        return Err(Error::invalid_state(format!("session_id: {id} has ended before")));
    }
    Ok(session)
}

/// The rows of each scope: what says the same in two scopes is not the same.
fn by_scope(rows: &[SessionRow]) -> BTreeMap<&Scope, Vec<&SessionRow>> {
    let mut by_scope: BTreeMap<&Scope, Vec<&SessionRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| is_mergeable(row)) {
        by_scope.entry(&row.scope).or_default().push(row);
    }
    by_scope
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn mean_similarity(merged: &[Group]) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u32);
    for similarity in merged.iter().flat_map(|group| &group.pair_similarities) {
        sum += similarity;
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// The direction in which the vectors of rows lie together: their mean, scaled to unit length. `None`
/// when none of them has a vector of the model, or when the vectors cancel out.
fn mean(tx: &ReadTx<'_>, rows: &[SessionRow], model: String) -> Result<Option<Vector>> {
    let mut sum: Vec<f64> = Vec::new();
    for row in rows {
        tx.vector_of(row.id, &model, |bytes| {
            sum.resize(sum.len().max(bytes.len() / size_of::<f32>()), 0.0);
            for (sum, component) in sum.iter_mut().zip(f32s(bytes)) {
                *sum += f64::from(component);
            }
        })?;
    }
    let norm = sum.iter().map(|component| component * component).sum::<f64>().sqrt();
    // Unit vectors that cancel out leave only what rounding left of them.
    Ok((norm > 1e-6).then(|| Vector {
        components: sum.iter().map(|component| (component / norm) as f32).collect(),
        model,
    }))
}

/// The tokens of the session's memories (of its context when it has none), and how many of its own
/// rows have each.
fn tokens_of(session: &Session, rows: &[SessionRow]) -> BTreeMap<String, u64> {
    if rows.is_empty() {
        return inference::tokens(&session.context).into_iter().map(|token| (token, 0)).collect();
    }
    let mut tokens: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows {
        let of_row: BTreeSet<String> = inference::tokens(&row.content).into_iter().collect();
        for token in of_row {
            *tokens.entry(token).or_default() += 1;
        }
    }
    tokens
}

/// Those of a session's tokens that other rows have, the rarest there first.
fn rarest<'t>(
    tx: &ReadTx<'_>,
    derived: &Derived,
    tokens: &'t BTreeMap<String, u64>,
) -> Result<Vec<&'t str>> {
    let mut by_count = Vec::with_capacity(tokens.len());
    for (token, own) in tokens {
        let count = match &derived.words {
            Some(words) => words.df(token),
            None => tx.postings(token)?.len() as u64,
        };
        if count > *own {
            by_count.push((count - own, token.as_str()));
        }
    }
    by_count.sort_unstable();
    Ok(by_count.into_iter().map(|(_, token)| token).take(QUERY_TOKENS_MAX).collect())
}

fn term(token: &str) -> QueryTerm {
    QueryTerm {
        words: token.to_owned(),
        weight: 1.0,
        alternatives: vec![TermAlternative {
            tokens: vec![token.to_owned()],
            weight: 1.0,
            is_name: false,
        }],
    }
}

fn related_plan(session: &Session, scope: SearchScope, visibility: Visibility) -> Plan {
    Plan {
        query: None,
        n: RELATED_MEMORIES_MAX as usize * RELATED_LOOKED_AT,
        rows: RowFilter {
            collections: Some(vec![session.collection.clone()]),
            scope,
            visibility,
            levels: Vec::new(),
            kinds: Vec::new(),
            session_id: None,
            min_confidence: RELATED_CONFIDENCE_MIN,
            since: None,
            until: None,
        },
        filter: Filter { conditions: Vec::new() },
        spatial: None,
        map_id: None,
        example: None,
        around: None,
        nth_of_each: None,
        min_similarity: None,
        min_relevance: None,
        diversity: false,
        count_by: None,
        order: None,
        ranking: Ranking::Rrf,
        exact: false,
        include_data: false,
        explain: false,
        order_question: None,
        only: None,
    }
}
