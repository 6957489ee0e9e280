//! One memory comes to stand for several that say the same.

use super::judgment::ParsedStatement;
use super::supersede::supersede;
use crate::Result;
use crate::db::WriteTx;
use crate::db::load::f32s;
use robot_memory_core::model::{Category, Kind, MemType, Stamp, SupersededRule};
use robot_memory_db::SessionRow;
use robot_memory_index::cosine;
use robot_memory_index::ranking::{Candidate, Group, groups};
use std::collections::BTreeSet;

/// Two memories with more than this share of tokens in common can be merged.
pub(crate) const MERGE_JACCARD_MIN: f64 = 0.50;
/// What is believed at least so much is never merged into something else.
const MERGE_CONFIDENCE_MAX: f64 = 0.95;
/// Memories that one may stand for and still take in more: each is held against what comes.
const MERGED_INTO_ONE_MAX: usize = 64;

/// By what memories are found to say the same, besides by their words.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sameness<'a> {
    /// By vectors of at least this cosine.
    pub similarity_min: Option<f32>,
    /// Pairs of which it was judged, the lower id first.
    pub judged: Option<&'a BTreeSet<(i64, i64)>>,
    /// Whether the order of words and words that limit tell apart, and whether all that a memory stands for
    /// already must say the same, too: so that what was left out once is not merged later, and merging
    /// twice changes nothing more.
    pub is_strict: bool,
}

/// A memory that may be merged, read once.
struct Peer<'a> {
    row: &'a SessionRow,
    reading: ParsedStatement,
    /// Most pairs differ by this, which is quicker to see than what the two say.
    key: u64,
    vector: Option<Vec<f32>>,
    /// What it stands for already.
    merged: Vec<ParsedStatement>,
    /// Whether it stands for too many.
    is_full: bool,
}

impl<'a> Peer<'a> {
    fn read(
        tx: &WriteTx<'_>,
        model: Option<&str>,
        row: &'a SessionRow,
        sameness: Sameness<'_>,
    ) -> Result<Self> {
        let vector = match model {
            Some(model) => {
                tx.vector_of(row.id, model, |bytes| f32s(bytes).collect::<Vec<f32>>())?
            }
            None => None,
        };
        let merged = if sameness.is_strict {
            tx.consolidated_into(row.id, MERGED_INTO_ONE_MAX)?
        } else {
            Vec::new()
        };
        let parsed = ParsedStatement::of(&row.content, &row.context);
        Ok(Self {
            row,
            key: parsed.statement.key(),
            reading: parsed,
            vector,
            is_full: merged.len() >= MERGED_INTO_ONE_MAX,
            merged: merged.iter().map(|it| ParsedStatement::of(&it.content, &it.context)).collect(),
        })
    }

    /// How similar two are that say the same; `None` when they do not.
    fn similarity(&self, other: &Self, sameness: Sameness<'_>) -> Option<f64> {
        // Another level lasts for another time, and another class is seen by others.
        if self.key != other.key
            || self.row.level != other.row.level
            || self.row.mem_type != other.row.mem_type
            || self.is_full
            || other.is_full
        {
            return None;
        }
        let (one, two) = (&self.reading, &other.reading);
        if one.distinction(two).is_some() {
            return None;
        }
        let near = match (&self.vector, &other.vector) {
            (Some(a), Some(b)) => Some(cosine(a, b)),
            _ => None,
        };
        let shared = one.statement.jaccard(&two.statement);
        let ids = (self.row.id.min(other.row.id), self.row.id.max(other.row.id));
        let similarity = if sameness.judged.is_some_and(|judged| judged.contains(&ids)) {
            near.map_or(shared, f64::from)
        } else if sameness.is_strict && one.is_apart_by_words(two) {
            return None;
        } else if one.exchanges_words_with(two) {
            // What Learn kept apart stays apart.
            return None;
        } else if shared > MERGE_JACCARD_MIN {
            shared
        } else {
            let near = near.filter(|near| sameness.similarity_min.is_some_and(|min| *near >= min));
            f64::from(near.filter(|_| one.may_be_merged(two))?)
        };
        let says = |peer: &Self, parsed: &ParsedStatement| {
            std::iter::once(&peer.reading).chain(&peer.merged).all(|it| still_says(it, parsed))
        };
        let are_all = other.merged.iter().all(|parsed| says(self, parsed))
            && self.merged.iter().all(|parsed| still_says(parsed, two));
        are_all.then_some(similarity)
    }
}

/// Whether a memory says what one did that another stands for: of that one there is no vector any more,
/// by which exchanged words would be told.
fn still_says(one: &ParsedStatement, other: &ParsedStatement) -> bool {
    let (a, b) = (&one.statement, &other.statement);
    one.distinction(other).is_none()
        && !one.is_apart_by_words(other)
        && (one.paraphrase.says_the_same(&other.paraphrase, (&one.proposition, &other.proposition))
            || a.jaccard(b) > MERGE_JACCARD_MIN && !one.exchanges_words_with(other))
}

/// Lets one memory stand for several that say the same; all are of one scope and collection.
pub(crate) fn consolidate(
    tx: &WriteTx<'_>,
    model: Option<&str>,
    mergeable: &[&SessionRow],
    sameness: Sameness<'_>,
    now: Stamp,
) -> Result<Vec<Group>> {
    let mut peers = Vec::with_capacity(mergeable.len());
    for row in mergeable {
        peers.push(Peer::read(tx, model, row, sameness)?);
    }
    let candidates: Vec<Candidate> = mergeable
        .iter()
        .map(|row| Candidate {
            id: row.id,
            confidence: row.confidence,
            access_count: row.access_count,
            created_at: row.created_at,
            trust: row.trust,
        })
        .collect();
    let merged = groups(&candidates, |a, b| peers.get(a)?.similarity(peers.get(b)?, sameness));
    for group in &merged {
        let Some(kept) = candidates.get(group.kept) else { continue };
        for superseded in group.superseded.iter().filter_map(|place| mergeable.get(*place)) {
            supersede(tx, superseded.id, kept.id, SupersededRule::Consolidation, now)?;
        }
    }
    Ok(merged)
}

/// Whether a row may be merged with others at all.
pub(crate) fn is_mergeable(row: &SessionRow) -> bool {
    row.kind == Kind::Fact
        && !row.category.is_some_and(Category::is_protected)
        && row.confidence < MERGE_CONFIDENCE_MAX
        && !matches!(row.mem_type, MemType::Lesson | MemType::Decision | MemType::TaskLog)
}
