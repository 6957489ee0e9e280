//! Which memories of an answer count as used.

use super::plan::Plan;
use robot_memory_core::api::Hit;
use robot_memory_core::limits::USED_AT_ONCE_MAX;
use robot_memory_index::ranking::{USED_RELEVANCE_MIN, USED_SCORE_MIN, own_relevance};

/// The memories that were used by answering a request: those that it is relevant to, and not what fills up
/// the best `n`. They are believed as they were said, and are forgotten later.
pub(super) fn used(plan: &Plan, hits: &[Hit]) -> Vec<i64> {
    let is_placed = plan.spatial.is_some();
    let is_used = |hit: &&Hit| match &plan.query {
        // A place decides which rows match, whatever is asked of them.
        Some(_) if !is_placed => answers(hit),
        _ => {
            let is_about =
                is_placed || plan.example.is_some() || !plan.filter.conditions.is_empty();
            is_about && plan.n <= USED_AT_ONCE_MAX
        }
    };
    hits.iter().filter(is_used).map(|hit| hit.memory.id).collect()
}

/// Whether a hit has enough of what a query asks, and is not far behind the best.
fn answers(hit: &Hit) -> bool {
    let why = &hit.why;
    // Ranks alone tell nothing of how well a row fits.
    let by_rank = why.evidence == 0.0;
    if by_rank {
        own_relevance(why.similarity, why.coverage) >= USED_RELEVANCE_MIN
    } else {
        why.evidence >= USED_RELEVANCE_MIN && hit.score >= USED_SCORE_MIN
    }
}
