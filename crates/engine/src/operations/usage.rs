//! Which memories of an answer count as used.

use super::plan::Plan;
use super::relevant::Highest;
use robot_memory_core::api::{Hit, RecallResponse};
use robot_memory_core::limits::USED_AT_ONCE_MAX;

/// Of a list that answers so likely at least, hits were used: what is asked about something unknown uses nothing.
const USED_LIST_MIN: f64 = 0.4;
/// Those whose odds beside the best, times the relevance of that, are so much. On the open questions of tests/quality, of the first
/// five these are about 80 of 100 answers, and 40 of 100 rows that are none; without a model 65 and 18.
const USED_MIN: f64 = 0.2;

/// The memories that were used by answering a request: those that it is relevant to, and not what fills up
/// the best `n`. They are believed as they were said, and are forgotten later.
pub(super) fn used(plan: &Plan, answer: &RecallResponse) -> Vec<i64> {
    let hits = &answer.memories;
    // A place, or a phrase of order and time, decides which rows match.
    let is_exact = plan.spatial.is_some() || !answer.understood.is_empty();
    let highest = Highest::of(plan, hits);
    let is_used = |hit: &&Hit| match &plan.query {
        Some(_) if !is_exact => {
            let best = highest.beside(hit);
            best >= USED_LIST_MIN && hit.why.relevance.min(best * hit.score) >= USED_MIN
        }
        _ => {
            let is_about = is_exact || plan.example.is_some() || !plan.filter.conditions.is_empty();
            is_about && plan.n <= USED_AT_ONCE_MAX
        }
    };
    hits.iter().filter(is_used).map(|hit| hit.memory.id).collect()
}
