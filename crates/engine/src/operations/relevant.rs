//! How relevant the rows of a list are to the query, and those that are relevant enough.

use super::lists::{List, Listed};
use super::plan::Plan;
use robot_memory_core::access::Visibility;
use robot_memory_core::api::Hit;
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

/// The highest relevance of the list that each hit of an answer is of: what is in a named scope and what everybody sees are ranked apart.
pub(super) struct Highest {
    shared: Option<Visibility>,
    of_named: f64,
    of_shared: f64,
}

impl Highest {
    /// Of an answer to a request.
    pub fn of(plan: &Plan, hits: &[Hit]) -> Self {
        let [_, shared] = plan.rows.visibility.halves().map_or([None, None], |it| it.map(Some));
        let mut highest = Self { shared, of_named: 0.0, of_shared: 0.0 };
        for hit in hits {
            let of_list = match highest.is_shared(hit) {
                true => &mut highest.of_shared,
                false => &mut highest.of_named,
            };
            *of_list = of_list.max(hit.why.relevance);
        }
        highest
    }

    /// Of the list of this hit.
    pub fn beside(&self, hit: &Hit) -> f64 {
        if self.is_shared(hit) { self.of_shared } else { self.of_named }
    }

    fn is_shared(&self, hit: &Hit) -> bool {
        let Hit { memory, .. } = hit;
        self.shared.as_ref().is_some_and(|shared| shared.sees(&memory.scope, memory.mem_type))
    }
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
