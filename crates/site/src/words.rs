//! The list of the words: BM25 over statements that have a word of the query, the rare words first. A word counts once in a
//! statement, which has at most 300 characters.

use crate::error::Result;
use crate::plan::Plan;
use crate::reader::Query;
use crate::recall::{Candidates, Listed};
use postgres::Transaction;
use robot_memory_core::limits::{QUERY_TOKENS_MAX, SITE_LIST_ROWS, SITE_WORD_ROWS_MAX};
use robot_memory_index::ranking::bm25::{B, K1, idf};
use robot_memory_text::inference::{self, Synonyms};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Read once: a query takes less than they do.
static SYNONYMS: LazyLock<Synonyms> = LazyLock::new(Synonyms::shipped);

/// What a query asks for, with what the words count in what the caller may read.
pub(crate) struct Words {
    pub terms: Vec<Term>,
    /// Tokens of a statement, in the mean.
    mean_tokens: f64,
}

/// One thing that is asked for.
pub(crate) struct Term {
    /// As the query has it.
    pub words: String,
    pub ways: Vec<Way>,
}

/// One way to say it.
pub(crate) struct Way {
    pub tokens: Vec<String>,
    /// What a statement gets that says it so.
    pub gain: f64,
    /// Statements that have its rarest token.
    count: i64,
}

/// The list, and what is known of what is not in it.
pub(crate) struct WordList {
    pub rows: Vec<Listed>,
    pub total: u64,
    /// What the statements were looked up by; empty: no statement has a word.
    pub looked_up: String,
    /// Whether statements that have a word were left out.
    pub is_cut: bool,
}

impl Words {
    /// Reads a query.
    pub fn read(tx: &mut Transaction<'_>, site_no: i32, query: &str) -> Result<Self> {
        let mut terms = inference::query_terms(query, &SYNONYMS);
        terms.truncate(QUERY_TOKENS_MAX);
        let tokens: BTreeSet<&str> = terms
            .iter()
            .flat_map(|it| &it.alternatives)
            .flat_map(|it| &it.tokens)
            .map(String::as_str)
            .collect();
        let tokens: Vec<&str> = tokens.into_iter().collect();
        let rows = tx.query(
            "SELECT token, sum(statement_count)::bigint FROM robot_memory.term WHERE site_no = $1 \
             AND token = ANY ($2) GROUP BY token",
            &[&site_no, &tokens],
        )?;
        let counts: HashMap<String, i64> =
            rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let row = tx.query_one(
            "SELECT coalesce(sum(statement_count), 0)::bigint, coalesce(sum(token_count), 0)::bigint \
             FROM robot_memory.corpus WHERE site_no = $1",
            &[&site_no],
        )?;
        let (all, all_tokens): (i64, i64) = (row.get(0), row.get(1));
        let terms = terms.into_iter().map(|term| {
            let ways = term.alternatives.into_iter().map(|way| {
                let count = way
                    .tokens
                    .iter()
                    .map(|it| counts.get(it).copied().unwrap_or(0))
                    .min()
                    .unwrap_or(0);
                Way {
                    gain: term.weight * way.weight * idf(all.unsigned_abs(), count.unsigned_abs()),
                    tokens: way.tokens,
                    count,
                }
            });
            Term { words: term.words, ways: ways.filter(|way| way.count > 0).collect() }
        });
        Ok(Self {
            terms: terms.filter(|term| !term.ways.is_empty()).collect(),
            mean_tokens: if all > 0 { all_tokens as f64 / all as f64 } else { 1.0 },
        })
    }

    /// The best statements by their words.
    pub fn list(
        &self,
        tx: &mut Transaction<'_>,
        site_no: i32,
        plan: &Plan,
        candidates: Option<&Candidates>,
    ) -> Result<WordList> {
        let (looked_up, left_out) = self.looked_up(candidates.is_some());
        if looked_up.is_empty() {
            return Ok(WordList { rows: Vec::new(), total: 0, looked_up, is_cut: false });
        }
        let mut query = Query::default();
        query.push("WITH scored AS MATERIALIZED (SELECT s.created_at, s.id, s.words_key, (");
        self.push_score(&mut query);
        query.push(") AS score FROM robot_memory.statement s");
        let words = query.bind(looked_up.clone());
        if candidates.is_none() {
            let (since, until) = (query.bind(plan.since), query.bind(plan.until));
            query.push(&format!(
                " JOIN robot_memory.with_words({words}::text::tsquery, {since}, {until}, {SITE_WORD_ROWS_MAX}) c \
                 ON c.created_at = s.created_at AND c.id = s.id"
            ));
        }
        plan.push_where(&mut query, site_no);
        if let Some(candidates) = candidates {
            candidates.push(&mut query);
            query.push(&format!(" AND s.tokens @@ {words}::text::tsquery"));
        }
        query.push(&format!(
            "), best AS (SELECT DISTINCT ON (words_key) * FROM scored ORDER BY words_key, created_at DESC, id DESC) \
             SELECT created_at, id, words_key, score, count(*) OVER () FROM best \
             ORDER BY score DESC, created_at DESC, id DESC LIMIT {SITE_LIST_ROWS}"
        ));
        let rows = query.run(tx)?;
        let total = rows.first().map_or(0, |row| row.get::<_, i64>(4)).unsigned_abs();
        let listed = rows.iter().map(|row| Listed {
            key: row.get(2),
            place: (row.get(0), row.get(1)),
            score: row.get(3),
        });
        let is_cut = left_out || candidates.is_none() && self.is_bounded(tx, plan, &looked_up)?;
        Ok(WordList { rows: listed.collect(), total, looked_up, is_cut })
    }

    /// Whether more statements were found than are scored.
    fn is_bounded(&self, tx: &mut Transaction<'_>, plan: &Plan, looked_up: &str) -> Result<bool> {
        let most: i64 = self.terms.iter().flat_map(|it| &it.ways).map(|it| it.count).sum();
        if most < SITE_WORD_ROWS_MAX as i64 {
            return Ok(false);
        }
        let row = tx.query_one(
            "SELECT count(*) FROM robot_memory.with_words($1::text::tsquery, $2, $3, $4)",
            &[&looked_up, &plan.since, &plan.until, &(SITE_WORD_ROWS_MAX as i32)],
        )?;
        Ok(row.get::<_, i64>(0) >= SITE_WORD_ROWS_MAX as i64)
    }

    /// What statements are looked up by: the rare ways to say something, as long as not too many statements say it so; and
    /// whether other ways were left out.
    fn looked_up(&self, all: bool) -> (String, bool) {
        let mut ways: Vec<&Way> = self.terms.iter().flat_map(|it| &it.ways).collect();
        ways.sort_by(|a, b| a.count.cmp(&b.count).then_with(|| a.tokens.cmp(&b.tokens)));
        ways.dedup_by(|a, b| a.tokens == b.tokens);
        let mut sum = 0;
        let mut parts = Vec::new();
        for way in &ways {
            sum += way.count;
            if !all && !parts.is_empty() && sum > SITE_WORD_ROWS_MAX as i64 {
                return (parts.join(" | "), true);
            }
            parts.push(tsquery(&way.tokens));
        }
        (parts.join(" | "), false)
    }

    fn push_score(&self, query: &mut Query) {
        for (at, term) in self.terms.iter().enumerate() {
            query.push(if at == 0 { "(greatest(0" } else { " + greatest(0" });
            for way in &term.ways {
                let (words, gain) = (query.bind(tsquery(&way.tokens)), query.bind(way.gain));
                query.push(&format!(
                    ", CASE WHEN s.tokens @@ {words}::text::tsquery THEN {gain}::float8 ELSE 0 END"
                ));
            }
            query.push(")");
        }
        let mean = query.bind(self.mean_tokens);
        query.push(&format!(
            ") * {k} / (1 + {K1} * ({rest} + {B} * s.token_count / {mean}::float8))",
            k = K1 + 1.0,
            rest = 1.0 - B
        ));
    }

    /// Which terms a statement with these tokens has, and what share of the query they are.
    pub fn matched(&self, tokens: &BTreeSet<String>) -> (Vec<String>, f64) {
        let (mut matched, mut gained, mut all) = (Vec::new(), 0.0, 0.0);
        for term in &self.terms {
            let best = term.ways.iter().map(|it| it.gain).fold(0.0, f64::max);
            let has = |way: &&Way| way.tokens.iter().all(|it| tokens.contains(it));
            let gain = term.ways.iter().filter(has).map(|it| it.gain).fold(0.0, f64::max);
            all += best;
            gained += gain;
            if gain > 0.0 {
                matched.push(term.words.clone());
            }
        }
        (matched, if all > 0.0 { gained / all } else { 0.0 })
    }
}

/// All of some tokens, as Postgres reads them.
fn tsquery(tokens: &[String]) -> String {
    let quoted = |token: &String| format!("'{}'", token.replace('\\', "\\\\").replace('\'', "''"));
    let all: Vec<String> = tokens.iter().map(quoted).collect();
    format!("({})", all.join(" & "))
}
