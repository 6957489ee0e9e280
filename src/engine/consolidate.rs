//! One memory comes to stand for several that say the same.

use super::load::f32s;
use super::supersede::{Superseded, supersede};
use super::{Result, duplicates};
use crate::index::{Change, cosine};
use crate::inference::{Claim, Statement};
use crate::model::{Category, Kind, MemType, Stamp, SupersededRule};
use crate::ranking::{Candidate, Group, groups};
use crate::store::{SessionRow, WriteTx};

/// Two memories with more than this share of tokens in common can be merged.
pub(super) const MERGE_JACCARD_MIN: f64 = 0.50;
/// What is believed at least so much is never merged into something else.
const MERGE_CONFIDENCE_MAX: f64 = 0.95;

/// Lets one memory stand for several that say the same; all are of one scope.
pub(super) fn consolidate(
    tx: &WriteTx<'_>,
    model: Option<&str>,
    changes: &mut Vec<Change>,
    mergeable: &[&SessionRow],
    now: Stamp,
) -> Result<Vec<Group>> {
    let statements: Vec<Statement> =
        mergeable.iter().map(|row| Statement::parse(&row.content)).collect();
    // Most pairs differ by this, which is quicker to see than what the two say.
    let keys: Vec<u64> = statements.iter().map(Statement::key).collect();
    let claims: Vec<Claim> = mergeable.iter().map(|row| Claim::parse(&row.content)).collect();
    let mut vectors = Vec::with_capacity(mergeable.len());
    for row in mergeable {
        vectors.push(match model {
            Some(model) => {
                tx.vector_of(row.id, model, |bytes| f32s(bytes).collect::<Vec<f32>>())?
            }
            None => None,
        });
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
    let cosine =
        |a: usize, b: usize| Some(cosine(vectors.get(a)?.as_deref()?, vectors.get(b)?.as_deref()?));
    let merged = groups(&candidates, |a, b| {
        if keys.get(a) != keys.get(b) {
            return None;
        }
        let (row, other_row) = (mergeable.get(a)?, mergeable.get(b)?);
        // Another level lasts for another time, and another class is seen by others.
        if row.level != other_row.level || row.mem_type != other_row.mem_type {
            return None;
        }
        let (one, other) = (statements.get(a)?, statements.get(b)?);
        let similarity = one.jaccard(other);
        let (claim, other_claim) = (claims.get(a)?, claims.get(b)?);
        let same = similarity > MERGE_JACCARD_MIN
            && one.may_be_same(other)
            && !duplicates::are_apart((&row.content, claim), (&other_row.content, other_claim))
            // What Learn kept apart stays apart.
            && !duplicates::means_something_else(one, other, cosine(a, b));
        same.then_some(similarity)
    });
    for group in &merged {
        let Some(kept) = candidates.get(group.kept) else { continue };
        for superseded in group.superseded.iter().filter_map(|place| mergeable.get(*place)) {
            let row = Superseded { id: superseded.id, content: &superseded.content };
            supersede(tx, changes, row, kept.id, SupersededRule::Consolidation, now)?;
        }
    }
    Ok(merged)
}

/// Whether a row may be merged with others at all.
pub(super) fn is_mergeable(row: &SessionRow) -> bool {
    row.kind == Kind::Fact
        && !row.category.is_some_and(Category::is_protected)
        && row.confidence < MERGE_CONFIDENCE_MAX
        && !matches!(row.mem_type, MemType::Lesson | MemType::Decision | MemType::TaskLog)
}
