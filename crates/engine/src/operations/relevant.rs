//! How likely each row of a list answers the query, and the rows that are likely enough.

use super::lists::{List, Listed};
use robot_memory_index::ranking::{Signals, Standing, own_relevance};

/// Tells of each row of a list how likely it answers the query. Bit i of `codes` says that the query's term of
/// that bit is a number or part number.
pub(super) fn judge(listed: &mut [Listed], codes: u64) {
    let standing = Standing::of(listed.iter().map(evidence));
    for row in listed {
        let words = row.words;
        let matched = words.map_or(0, |words| words.matched & codes);
        let codes_missed = match codes.count_ones() {
            0 => 0.0,
            count => 1.0 - f64::from(matched.count_ones()) / f64::from(count),
        };
        let signals = Signals {
            coverage: words.map_or(0.0, |words| words.coverage),
            behind: standing.behind(evidence(row)),
            lead: standing.lead(),
            codes_missed,
            has_similarity: row.similarity.is_some(),
        };
        row.relevance = signals.probability();
    }
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
    row.parts.map_or_else(
        || {
            let coverage = row.words.map_or(0.0, |words| words.coverage);
            own_relevance(row.similarity.map(f64::from), coverage)
        },
        |parts| parts.sum(),
    )
}
