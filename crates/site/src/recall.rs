//! Recall: the request of a robot, answered from all that robots of the site told.

use crate::conditions;
use crate::error::Result;
use crate::hits::{self, Ranked};
use crate::intake::StatementKey;
use crate::plan::Plan;
use crate::reader::{Query, Scopes};
use crate::vectors::{QueryVector, VectorList};
use crate::words::{WordList, Words};
use crate::{Error, SiteStore};
use postgres::{Row, Transaction};
use robot_memory_core::api::{
    ApiError, CountBy, KeyCount, Mode, Order, RecallRequest, RecallResponse,
};
use robot_memory_core::limits::{COUNTS_MAX, SITE_EXACT_ROWS_MAX, SITE_LIST_ROWS};
use robot_memory_core::model::Stamp;
use std::collections::{HashMap, HashSet};
use std::time::Instant;
use uuid::Uuid;

/// The constant of reciprocal rank fusion.
const RRF_K: f64 = 60.0;

/// A statement in a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listed {
    /// Equal statements of other scopes have the same.
    pub key: Uuid,
    pub place: StatementKey,
    pub score: f64,
}

/// The few statements that the equalities of the filter leave.
pub(crate) struct Candidates {
    times: Vec<i64>,
    ids: Vec<i64>,
}

impl SiteStore {
    /// Finds the memories that matter, as on a robot; `vector` is that of the query, by the model whose vectors the robots
    /// tell. Equal statements of several robots are one hit, whose `why.told_by` names those that the caller may read.
    ///
    /// Not answered, and refused by name: `session_id`, `levels`, `spatial_sort`, anchors, groups, examples, `min_similarity`,
    /// `min_relevance`, `include_data`; `order` and `count_by` beside a query. An empty `collection` means all, an empty `scope`
    /// all that is readable. Both spellings of `ranking` are reciprocal rank fusion.
    ///
    /// # Errors
    /// `invalid_argument` names the field; `unavailable` when the database is, or it took too long.
    pub fn recall(
        &self,
        request: &RecallRequest,
        vector: Option<(&str, &[f32])>,
        readable: &Scopes,
    ) -> std::result::Result<RecallResponse, ApiError> {
        Ok(self.answer(request, vector, readable, true)?)
    }

    /// Without `has_total` the rows of a filter are not counted, which reads all of them.
    pub(crate) fn answer(
        &self,
        request: &RecallRequest,
        vector: Option<(&str, &[f32])>,
        readable: &Scopes,
        has_total: bool,
    ) -> Result<RecallResponse> {
        let started = Instant::now();
        let plan = Plan::of(request, vector.is_some())?;
        let vector = QueryVector::of(vector)?;
        let mut response = self.read_as(readable, |tx| {
            let candidates = candidates(tx, &plan)?;
            let candidates = candidates.as_ref();
            match plan.query.is_none() && vector.is_none() {
                true => self.filtered(tx, &plan, candidates, has_total),
                false => self.ranked(tx, &plan, vector.as_ref(), candidates),
            }
        })?;
        response.query_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// Without a query: in order of time.
    fn filtered(
        &self,
        tx: &mut Transaction<'_>,
        plan: &Plan,
        candidates: Option<&Candidates>,
        has_total: bool,
    ) -> Result<RecallResponse> {
        let site_no = self.site_no();
        let push_rows = |query: &mut Query| {
            query.push(" FROM robot_memory.statement s");
            plan.push_where(query, site_no);
            if let Some(candidates) = candidates {
                candidates.push(query);
            }
        };
        let direction = if plan.order == Order::Newest { "DESC" } else { "ASC" };
        let rows = distinct(|limit| {
            let mut query = Query::default();
            query.push("SELECT s.created_at, s.id, s.words_key");
            push_rows(&mut query);
            query.push(&format!(
                " ORDER BY s.created_at {direction}, s.id {direction} LIMIT {limit}"
            ));
            query.run(tx)
        })?;
        let total = if has_total { total(tx, push_rows)? } else { rows.len() as u64 };
        let counts = match plan.count_by {
            Some((by, offset_secs)) => counts(tx, by, offset_secs, push_rows)?,
            None => Vec::new(),
        };
        let ranked = rows.iter().take(plan.n).map(|row| Ranked::bare((row.get(0), row.get(1))));
        let ranked: Vec<Ranked> = ranked.collect();
        let memories = hits::read(tx, site_no, &ranked, None)?;
        let plan_text = self.explained(plan, candidates, Mode::FilterOnly, total);
        Ok(RecallResponse {
            counts,
            ..response(memories, total, Mode::FilterOnly, false, plan_text)
        })
    }

    /// By the two lists.
    fn ranked(
        &self,
        tx: &mut Transaction<'_>,
        plan: &Plan,
        vector: Option<&QueryVector<'_>>,
        candidates: Option<&Candidates>,
    ) -> Result<RecallResponse> {
        let site_no = self.site_no();
        let words = match &plan.query {
            Some(query) => Some(Words::read(tx, site_no, query)?),
            None => None,
        };
        let by_words = match &words {
            Some(words) => words.list(tx, site_no, plan, candidates)?,
            None => WordList::default(),
        };
        let by_vectors = match vector {
            Some(vector) => vector.list(tx, site_no, plan, candidates, &by_words.words)?,
            None => VectorList::default(),
        };
        let mode = match (by_words.rows.is_empty(), by_vectors.rows.is_empty()) {
            (false, false) => Mode::Hybrid,
            (true, false) => Mode::VecOnly,
            _ => Mode::Bm25Only,
        };
        let total = by_words.total + by_vectors.beside_words;
        let approximate = by_words.is_cut || by_vectors.approximate;
        let mut ranked = fused(&by_words.rows, &by_vectors.rows);
        ranked.truncate(plan.n);
        let memories = hits::read(tx, site_no, &ranked, words.as_ref())?;
        Ok(response(
            memories,
            total,
            mode,
            approximate,
            self.explained(plan, candidates, mode, total),
        ))
    }

    fn explained(
        &self,
        plan: &Plan,
        candidates: Option<&Candidates>,
        mode: Mode,
        total: u64,
    ) -> String {
        if !plan.explain {
            return String::new();
        }
        let from = match candidates {
            Some(candidates) => {
                format!("{} rows by the index of the context", candidates.ids.len())
            }
            None => "all rows of the time".to_owned(),
        };
        format!("site: {from}; {mode} by rrf; {total} match, at most {} are shown", plan.n)
    }
}

fn response(
    memories: Vec<robot_memory_core::api::Hit>,
    total: u64,
    mode: Mode,
    approximate: bool,
    plan: String,
) -> RecallResponse {
    RecallResponse {
        memories,
        total,
        mode,
        approximate,
        counts: Vec::new(),
        anchor_memory_id: 0,
        understood: String::new(),
        better_collections: Vec::new(),
        other_map_count: 0,
        unresolved_frames: Vec::new(),
        site: None,
        site_fault: String::new(),
        query_ms: 0.0,
        plan,
    }
}

/// Reciprocal rank fusion: the best first, ties by time and id.
fn fused(by_words: &[Listed], by_vectors: &[Listed]) -> Vec<Ranked> {
    let mut all: HashMap<Uuid, Ranked> = HashMap::new();
    for (at, listed) in by_words.iter().enumerate() {
        let ranked = all.entry(listed.key).or_insert_with(|| Ranked::bare(listed.place));
        ranked.word_rank = at as u32 + 1;
        ranked.word_score = listed.score;
        ranked.score += 1.0 / (RRF_K + at as f64 + 1.0);
    }
    for (at, listed) in by_vectors.iter().enumerate() {
        let ranked = all.entry(listed.key).or_insert_with(|| Ranked::bare(listed.place));
        ranked.place = ranked.place.max(listed.place);
        ranked.vector_rank = at as u32 + 1;
        ranked.similarity = Some(listed.score);
        ranked.score += 1.0 / (RRF_K + at as f64 + 1.0);
    }
    let mut ranked: Vec<Ranked> = all.into_values().collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.place.cmp(&a.place)));
    // What all of it weighs, as hearsay, is the same factor: it changes no order, and the best is 1.
    let best = ranked.first().map_or(1.0, |it| it.score);
    ranked.iter_mut().for_each(|it| it.score /= best);
    ranked
}

/// The first rows of a statement that tells the key of the words in its third column, each key once. Few are there twice: more
/// are read only when those are not enough.
pub(crate) fn distinct(mut read: impl FnMut(usize) -> Result<Vec<Row>>) -> Result<Vec<Row>> {
    let mut limit = SITE_LIST_ROWS + SITE_LIST_ROWS / 4;
    loop {
        let rows = read(limit)?;
        let is_all = rows.len() < limit;
        let mut seen = HashSet::new();
        let mut first: Vec<Row> =
            rows.into_iter().filter(|row| seen.insert(row.get::<_, Uuid>(2))).collect();
        first.truncate(SITE_LIST_ROWS);
        if is_all || first.len() >= SITE_LIST_ROWS {
            return Ok(first);
        }
        limit *= 4;
    }
}

/// The statements that the equalities of a filter leave, when these are few.
fn candidates(tx: &mut Transaction<'_>, plan: &Plan) -> Result<Option<Candidates>> {
    let Some(part) = conditions::contained(&plan.filter) else { return Ok(None) };
    let rows = tx.query(
        "SELECT created_at, id FROM robot_memory.with_context($1::text::jsonb, $2, $3, $4)",
        &[&part.to_string(), &plan.since, &plan.until, &(SITE_EXACT_ROWS_MAX as i32 + 1)],
    )?;
    Ok((rows.len() as i64 <= SITE_EXACT_ROWS_MAX).then(|| Candidates {
        times: rows.iter().map(|row| row.get(0)).collect(),
        ids: rows.iter().map(|row| row.get(1)).collect(),
    }))
}

impl Candidates {
    /// Adds that a row is one of them.
    pub fn push(&self, query: &mut Query) {
        let (times, ids) = (query.bind(self.times.clone()), query.bind(self.ids.clone()));
        query.push(&format!(
            " AND (s.created_at, s.id) IN (SELECT * FROM unnest({times}::bigint[], {ids}::bigint[]))"
        ));
    }
}

/// How many statements there are, equal ones of several scopes once.
fn total(tx: &mut Transaction<'_>, push_rows: impl Fn(&mut Query)) -> Result<u64> {
    let mut query = Query::default();
    query.push(
        "SELECT count(*) FILTER (WHERE NOT s.is_split), count(DISTINCT s.words_key) FILTER (WHERE s.is_split)",
    );
    push_rows(&mut query);
    let count = |row: &Row| row.get::<_, i64>(0) + row.get::<_, i64>(1);
    Ok(query.run(tx)?.first().map_or(0, count).unsigned_abs())
}

/// How many statements each hour or day has. One that several scopes have counts once, for the newest of its rows.
fn counts(
    tx: &mut Transaction<'_>,
    by: CountBy,
    offset_secs: i64,
    push_rows: impl Fn(&mut Query),
) -> Result<Vec<KeyCount>> {
    let (secs, name): (i64, fn(i64) -> String) = match by {
        CountBy::Hour => (3_600, Stamp::name_of_hour),
        _ => (86_400, Stamp::date_of_day),
    };
    let mut query = Query::default();
    let (offset, period) = (query.bind(offset_secs), query.bind(secs));
    // No time is before 1970: the first division rounds down.
    let of = |time: &str| {
        format!(
            "floor(({time} / 1000000000 + {offset}::bigint)::float8 / {period}::bigint)::bigint"
        )
    };
    query.push(&format!(
        "SELECT period, sum(rows)::bigint FROM (SELECT {} AS period, count(*) AS rows",
        of("s.created_at")
    ));
    push_rows(&mut query);
    query.push(&format!(
        " AND NOT s.is_split GROUP BY 1 UNION ALL SELECT {}, 1 FROM (SELECT",
        of("t.newest")
    ));
    query.push(" max(s.created_at) AS newest");
    push_rows(&mut query);
    query.push(&format!(
        " AND s.is_split GROUP BY s.words_key) t) parts GROUP BY period ORDER BY period LIMIT {}",
        COUNTS_MAX + 1
    ));
    let rows = query.run(tx)?;
    if rows.len() > COUNTS_MAX {
        return Err(Error::invalid(format!(
            "count_by: there are more than {COUNTS_MAX}, which is most that are counted in one answer; narrow it with \
             since and until"
        )));
    }
    let count =
        |row: &Row| KeyCount { key: name(row.get(0)), count: row.get::<_, i64>(1).unsigned_abs() };
    Ok(rows.iter().map(count).collect())
}
