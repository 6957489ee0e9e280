//! Which memories of an answer count as used.

use super::plan::Plan;
use robot_memory_core::api::Hit;
use robot_memory_core::limits::USED_AT_ONCE_MAX;

/// A hit that is so relevant was used. On the questions of tests/quality, of the first five these are 87 of 100
/// answers, and 31 of 100 rows that are none; without a model 82 and 30.
const USED_RELEVANCE_MIN: f64 = 0.08;

/// The memories that were used by answering a request: those that it is relevant to, and not what fills up
/// the best `n`. They are believed as they were said, and are forgotten later.
pub(super) fn used(plan: &Plan, hits: &[Hit]) -> Vec<i64> {
    let is_placed = plan.spatial.is_some();
    let is_used = |hit: &&Hit| match &plan.query {
        // A place decides which rows match, whatever is asked of them.
        Some(_) if !is_placed => hit.why.relevance >= USED_RELEVANCE_MIN,
        _ => {
            let is_about =
                is_placed || plan.example.is_some() || !plan.filter.conditions.is_empty();
            is_about && plan.n <= USED_AT_ONCE_MAX
        }
    };
    hits.iter().filter(is_used).map(|hit| hit.memory.id).collect()
}
