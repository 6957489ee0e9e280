//! The list of the words: BM25 over statements that have a word of the query. A word counts once in a statement, which has at
//! most 300 characters.

mod lookup;

use crate::error::Result;
use crate::plan::Plan;
use crate::reader::Query;
use crate::recall::{Candidates, Listed};
use lookup::{Combinations, Lookup, Part};
use postgres::Transaction;
use robot_memory_core::limits::{
    QUERY_TOKENS_MAX, SITE_LIST_ROWS, SITE_WORD_LOOKUPS_MAX, SITE_WORD_ROWS, SITE_WORD_ROWS_MAX,
};
use robot_memory_index::ranking::bm25::{B, K1, idf};
use robot_memory_text::inference::{self, Synonyms};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Read once: a query takes less than they do.
static SYNONYMS: LazyLock<Synonyms> = LazyLock::new(Synonyms::shipped);

/// What a query asks for, with what the words count in what the caller may read.
pub(crate) struct Words {
    pub terms: Vec<Term>,
    statement_count: i64,
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
#[derive(Default)]
pub(crate) struct WordList {
    pub rows: Vec<Listed>,
    /// Statements that were scored.
    pub total: u64,
    /// All words of the query, as Postgres reads them; empty: no statement has one.
    pub words: String,
    /// Whether a statement may be missing that scores as much as the last.
    pub is_cut: bool,
}

/// Where the statements come from that are scored.
enum Source<'f> {
    Candidates(&'f Candidates),
    /// All that have a word.
    All,
    /// At most so many, which are the newest or any.
    Lookup {
        lookup: &'f Lookup,
        row_limit: i32,
        newest: bool,
    },
}

/// Statements, scored.
struct Scored {
    list: WordList,
    looked_up: i64,
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
            statement_count: all,
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
        if self.terms.is_empty() {
            return Ok(WordList::default());
        }
        if let Some(candidates) = candidates {
            return Ok(self.scored(tx, site_no, plan, &Source::Candidates(candidates))?.list);
        }
        let combinations = Combinations::of(self);
        let all = self.terms.iter().flat_map(|it| &it.ways).map(|it| it.count).sum::<i64>();
        if plan.exact || all <= i64::from(SITE_WORD_ROWS_MAX) {
            let lookup = &combinations.lookup(f64::INFINITY);
            let from = Source::Lookup { lookup, row_limit: i32::MAX, newest: false };
            return Ok(self.scored(tx, site_no, plan, &from)?.list);
        }
        let list = self.best(tx, site_no, plan, &combinations)?;
        // What was looked up may be what the filters leave out.
        if list.is_cut && plan.has_filters() && list.rows.len() < SITE_LIST_ROWS {
            return Ok(self.scored(tx, site_no, plan, &Source::All)?.list);
        }
        Ok(list)
    }

    /// The best by lookups of more or fewer statements, until the best are among them.
    fn best(
        &self,
        tx: &mut Transaction<'_>,
        site_no: i32,
        plan: &Plan,
        combinations: &Combinations<'_>,
    ) -> Result<WordList> {
        let mut expected = f64::from(SITE_WORD_ROWS);
        // What gave too few and too many.
        let (mut few, mut many) = (0.0_f64, f64::INFINITY);
        let (mut too_many, mut best): (Option<Lookup>, Option<WordList>) = (None, None);
        let mut before: Option<(Vec<Part>, bool)> = None;
        let mut read = 0;
        for _ in 0..SITE_WORD_LOOKUPS_MAX {
            let lookup = combinations.lookup(expected);
            let is_many = match &before {
                Some((parts, was_many)) if *parts == lookup.parts => *was_many,
                _ => {
                    let row_limit = SITE_WORD_ROWS_MAX + 1;
                    let from = Source::Lookup { lookup: &lookup, row_limit, newest: false };
                    let scored = self.scored(tx, site_no, plan, &from)?;
                    read += scored.looked_up;
                    let is_many = scored.looked_up > i64::from(SITE_WORD_ROWS_MAX);
                    let is_whole = |last: &Listed| last.score >= lookup.least;
                    let last = scored.list.rows.get(SITE_LIST_ROWS - 1);
                    if !is_many && (lookup.least <= 0.0 || last.is_some_and(is_whole)) {
                        return Ok(scored.list);
                    }
                    before = Some((lookup.parts.clone(), is_many));
                    match is_many {
                        true => too_many = Some(lookup),
                        false => best = Some(WordList { is_cut: true, ..scored.list }),
                    }
                    is_many
                }
            };
            if is_many {
                many = expected;
            } else {
                few = expected;
            }
            // Words that most have may have been read so often; the rare ones are looked up all the same.
            if read > 2 * i64::from(SITE_WORD_ROWS_MAX) && best.is_some() {
                break;
            }
            expected = match (few > 0.0, many.is_finite()) {
                (true, true) => (few * many).sqrt(),
                (true, false) => few * 3.0,
                (false, _) => many / 8.0,
            };
        }
        if let Some(lookup) = &too_many {
            let from = Source::Lookup { lookup, row_limit: SITE_WORD_ROWS, newest: true };
            let newest = self.scored(tx, site_no, plan, &from)?.list;
            best = Some(WordList { is_cut: true, ..both(best.unwrap_or_default(), newest) });
        }
        Ok(best.unwrap_or_default())
    }

    fn scored(
        &self,
        tx: &mut Transaction<'_>,
        site_no: i32,
        plan: &Plan,
        from: &Source<'_>,
    ) -> Result<Scored> {
        let words = self.all();
        let mut query = Query::default();
        match from {
            Source::Candidates(_) | Source::All => query.push("WITH looked AS (SELECT)"),
            Source::Lookup { lookup, row_limit, newest } => {
                self.push_looked(&mut query, plan, lookup, *row_limit, *newest);
            }
        }
        query.push(
            ", scored AS MATERIALIZED (SELECT s.created_at, s.id, s.words_key, s.is_split, (",
        );
        self.push_score(&mut query);
        query.push(") AS score FROM ");
        match from {
            Source::Candidates(_) | Source::All => {
                query.push("robot_memory.statement s");
                plan.push_where(&mut query, site_no);
                if let Source::Candidates(candidates) = from {
                    candidates.push(&mut query);
                }
                let words = query.bind(words.clone());
                query.push(&format!(" AND s.tokens @@ {words}::text::tsquery"));
            }
            Source::Lookup { .. } if plan.has_filters() => {
                query.push(
                    "looked l JOIN robot_memory.statement s ON s.created_at = l.created_at AND s.id = l.id",
                );
                plan.push_where(&mut query, site_no);
            }
            Source::Lookup { .. } => query.push("looked s"),
        }
        // Few statements are told in several scopes.
        query.push(&format!(
            "), best AS MATERIALIZED (SELECT created_at, id, words_key, score FROM scored WHERE NOT is_split UNION ALL \
             (SELECT DISTINCT ON (words_key) created_at, id, words_key, score FROM scored WHERE is_split \
             ORDER BY words_key, created_at DESC, id DESC)) \
             SELECT b.*, (SELECT count(*) FROM best), l.looked_up FROM (SELECT count(*) AS looked_up FROM looked) l \
             LEFT JOIN (SELECT * FROM best ORDER BY score DESC, created_at DESC, id DESC LIMIT {SITE_LIST_ROWS}) b \
             ON true ORDER BY b.score DESC, b.created_at DESC, b.id DESC"
        ));
        let rows = query.run(tx)?;
        let first = rows.first();
        let listed = rows.iter().filter_map(|row| {
            Some(Listed {
                key: row.get::<_, Option<_>>(2)?,
                place: (row.get(0), row.get(1)),
                score: row.get(3),
            })
        });
        Ok(Scored {
            list: WordList {
                rows: listed.collect(),
                total: first.map_or(0, |row| row.get::<_, i64>(4)).unsigned_abs(),
                words,
                is_cut: false,
            },
            looked_up: first.map_or(0, |row| row.get(5)),
        })
    }

    /// Adds the statements that are looked up.
    fn push_looked(
        &self,
        query: &mut Query,
        plan: &Plan,
        lookup: &Lookup,
        row_limit: i32,
        newest: bool,
    ) {
        let parts: Vec<String> = lookup.parts.iter().map(|it| it.words.clone()).collect();
        let tokens: Vec<Option<i32>> = lookup.parts.iter().map(|it| it.tokens_max).collect();
        let (parts, tokens) = (query.bind(parts), query.bind(tokens));
        let indexed_max = query.bind(self.mean_tokens as i32);
        let (since, until) = (query.bind(plan.since), query.bind(plan.until));
        query.push(&format!(
            "WITH looked AS MATERIALIZED (SELECT * FROM robot_memory.with_words({parts}::text[], {tokens}, \
             {indexed_max}, {since}, {until}, {row_limit}, {newest}))"
        ));
    }

    /// All ways to say any of it.
    fn all(&self) -> String {
        let ways: BTreeSet<String> =
            self.terms.iter().flat_map(|it| &it.ways).map(|way| tsquery(&way.tokens)).collect();
        ways.into_iter().collect::<Vec<_>>().join(" | ")
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

/// The best of two lists.
fn both(one: WordList, other: WordList) -> WordList {
    let mut rows = other.rows;
    let is_new = |row: &Listed| rows.iter().all(|before| before.key != row.key);
    let more: Vec<Listed> = one.rows.into_iter().filter(is_new).collect();
    rows.extend(more);
    rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.place.cmp(&a.place)));
    rows.truncate(SITE_LIST_ROWS);
    let words = if other.words.is_empty() { one.words } else { other.words };
    WordList { rows, total: one.total.max(other.total), words, is_cut: true }
}

/// All of some tokens, as Postgres reads them.
fn tsquery(tokens: &[String]) -> String {
    let quoted = |token: &String| format!("'{}'", token.replace('\\', "\\\\").replace('\'', "''"));
    let all: Vec<String> = tokens.iter().map(quoted).collect();
    format!("({})", all.join(" & "))
}
