//! Statements as hits: as a robot shows what others told.

use crate::error::Result;
use crate::intake::StatementKey;
use crate::said;
use crate::words::Words;
use postgres::{Row, Transaction};
use robot_memory_core::api::{Hit, Why};
use robot_memory_core::limits::{
    FLEET_TELLERS_READ_MAX, FLEET_TELLERS_SHOWN_MAX, SUMMARY_CHARS_MAX,
};
use robot_memory_core::model::{Category, Kind, MemType, Memory, Scope, Stamp};
use robot_memory_index::ranking::LOW_TRUST_WEIGHT;
use robot_memory_text::inference;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

/// A statement that is answered.
#[derive(Debug, Clone)]
pub(crate) struct Ranked {
    pub place: StatementKey,
    pub score: f64,
    pub word_rank: u32,
    pub word_score: f64,
    pub vector_rank: u32,
    pub similarity: Option<f64>,
}

impl Ranked {
    pub fn bare(place: StatementKey) -> Self {
        Self { place, score: 0.0, word_rank: 0, word_score: 0.0, vector_rank: 0, similarity: None }
    }
}

/// Reads them, with who told each.
pub(crate) fn read(
    tx: &mut Transaction<'_>,
    site_no: i32,
    ranked: &[Ranked],
    words: Option<&Words>,
) -> Result<Vec<Hit>> {
    let (times, ids): (Vec<i64>, Vec<i64>) = ranked.iter().map(|it| it.place).unzip();
    let rows = tx.query(
        "SELECT s.created_at, s.id, s.scope, s.words_key, s.is_split, s.collection, s.kind, s.mem_type, s.category, \
         s.content, s.context::text AS context, s.context_told, s.taken_at \
         FROM unnest($2::bigint[], $3::bigint[]) AS k (at, id) JOIN robot_memory.statement s ON s.site_no = $1 \
         AND s.created_at = k.at AND s.id = k.id",
        &[&site_no, &times, &ids],
    )?;
    let tellers = tellers(tx, site_no, &rows)?;
    let by_place: HashMap<StatementKey, &Row> =
        rows.iter().map(|row| ((row.get(0), row.get(1)), row)).collect();
    let hit = |ranked: &Ranked| {
        let row = by_place.get(&ranked.place)?;
        let told = tellers.get(&row.get::<_, Uuid>("words_key")).cloned().unwrap_or_default();
        Some(hit(row, ranked, told, words))
    };
    Ok(ranked.iter().filter_map(hit).collect())
}

/// Robots that tell something, and those that tell it of their own experience.
#[derive(Debug, Clone, Default)]
struct Tellers {
    robots: BTreeSet<String>,
    independent: BTreeSet<String>,
    told_at: Option<Stamp>,
}

/// Who tells the statements of some rows, by the keys of their words: in all scopes that the caller may read.
fn tellers(tx: &mut Transaction<'_>, site_no: i32, rows: &[Row]) -> Result<HashMap<Uuid, Tellers>> {
    let mut keys: BTreeMap<i64, Uuid> =
        rows.iter().map(|row| (row.get("id"), row.get("words_key"))).collect();
    let split: Vec<Uuid> =
        rows.iter().filter(|row| row.get("is_split")).map(|row| row.get("words_key")).collect();
    if !split.is_empty() {
        let others = tx.query(
            "SELECT id, words_key FROM robot_memory.words WHERE site_no = $1 AND words_key = ANY ($2)",
            &[&site_no, &split],
        )?;
        keys.extend(others.iter().map(|row| (row.get::<_, i64>(0), row.get::<_, Uuid>(1))));
    }
    let ids: Vec<i64> = keys.keys().copied().collect();
    let told = tx.query(
        "SELECT k.id, h.origin, h.is_own, h.told_at FROM unnest($2::bigint[]) AS k (id) CROSS JOIN LATERAL (SELECT origin, is_own, told_at \
         FROM robot_memory.head WHERE site_no = $1 AND statement_id = k.id ORDER BY origin, memory_id LIMIT $3) h",
        &[&site_no, &ids, &(FLEET_TELLERS_READ_MAX as i64)],
    )?;
    let mut all: HashMap<Uuid, Tellers> = HashMap::new();
    for row in &told {
        let Some(key) = keys.get(&row.get(0)) else { continue };
        let tellers = all.entry(*key).or_default();
        let origin: String = row.get(1);
        if row.get(2) {
            tellers.independent.insert(origin.clone());
        }
        tellers.robots.insert(origin);
        tellers.told_at = tellers.told_at.max(Some(Stamp(row.get(3))));
    }
    Ok(all)
}

fn hit(row: &Row, ranked: &Ranked, told: Tellers, words: Option<&Words>) -> Hit {
    let content: String = row.get("content");
    let (matched_words, coverage) = match words {
        Some(words) => words.matched(&inference::tokens(&content).into_iter().collect()),
        None => (Vec::new(), 0.0),
    };
    let why = Why {
        word_rank: ranked.word_rank,
        vector_rank: ranked.vector_rank,
        word_score: ranked.word_score,
        similarity: ranked.similarity,
        coverage,
        source_weight: 1.0,
        trust_weight: LOW_TRUST_WEIGHT,
        matched_words,
        told_at: told.told_at,
        independent_count: u32::try_from(told.independent.len()).unwrap_or(u32::MAX),
        told_by: told.robots.into_iter().take(FLEET_TELLERS_SHOWN_MAX).collect(),
        ..Why::default()
    };
    Hit::alone(memory(row, content), ranked.score, why)
}

fn memory(row: &Row, content: String) -> Memory {
    let kind = Kind::parse(row.get("kind")).unwrap_or(Kind::Fact);
    let category = Category::parse(row.get("category"));
    let taken_at = Stamp(row.get("taken_at"));
    Memory {
        id: row.get("id"),
        human_summary: content.chars().take(SUMMARY_CHARS_MAX).collect(),
        kind,
        collection: row.get("collection"),
        scope: Scope::parse(row.get("scope")).unwrap_or(Scope::Fleet),
        category: category.filter(|_| kind != Kind::Perception),
        mem_type: MemType::parse(row.get("mem_type")).unwrap_or(MemType::Fact),
        tags: inference::classify(&content).tags,
        scope_files: inference::scope_files(&content),
        scope_entities: inference::scope_entities(&content),
        context: context(row),
        created_at: Stamp(row.get("created_at")),
        updated_at: taken_at,
        known_at: Some(taken_at),
        content,
        ..Memory::hearsay()
    }
}

/// As it was told.
fn context(row: &Row) -> String {
    let told: Option<String> = row.get("context_told");
    let written = || row.get::<_, Option<&str>>("context").map(said::written);
    told.or_else(written).unwrap_or_default()
}
