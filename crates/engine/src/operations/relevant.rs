//! How relevant the rows of a list are to the query, and those that are relevant enough.

use super::lists::{List, Listed};
use robot_memory_index::ranking::{Signals, Standing, own_relevance};

/// Tells of each row of a list how relevant it is. Bit i of `codes` says that the query's term of that bit is a number or part number.
pub(super) fn judge(listed: &mut [Listed], codes: u64) {
    let standing = Standing::of(listed.iter().map(evidence));
    let Some(best) = best(listed) else { return };
    let matched = best.words.map_or(0, |words| words.matched & codes);
    let codes_missed = match codes.count_ones() {
        0 => 0.0,
        count => 1.0 - f64::from(matched.count_ones()) / f64::from(count),
    };
    let of_best = Signals {
        fit: own(&best) + best.parts.map_or(0.0, |parts| parts.picture),
        lead: standing.lead(),
        codes_missed,
        share_left: 1.0,
        has_similarity: best.similarity.is_some(),
    };
    for row in listed {
        let share_left = standing.share_left(evidence(row));
        row.relevance = Signals { share_left, ..of_best }.relevance();
    }
}

/// The row with the most evidence, of equals the one that is listed first.
fn best(listed: &[Listed]) -> Option<Listed> {
    listed
        .iter()
        .copied()
        .reduce(|best, row| if evidence(&row) > evidence(&best) { row } else { best })
}

/// Keeps the rows of a list that are so relevant at least; of those that no list ranked it is not known, so that they
/// count no more.
pub(super) fn keep(list: &mut List, min_relevance: f64) {
    list.listed.retain(|row| row.relevance >= min_relevance);
    list.total = list.listed.len() as u64;
    list.matching = Some(list.listed.iter().map(|row| row.slot).collect());
}

/// What speaks for a row, in the unit of a cosine.
pub(super) fn evidence(row: &Listed) -> f64 {
    row.parts.map_or_else(|| own(row), |parts| parts.sum())
}

/// What its vector and its own words say.
fn own(row: &Listed) -> f64 {
    let coverage = row.words.map_or(0.0, |words| words.coverage);
    own_relevance(row.similarity.map(f64::from), coverage)
}
