//! What the year must show.

use super::exam::{Answers, Month};

/// Perceptions from which on recalls must not become slower.
const LARGE_FROM: u64 = 100_000;
/// How much slower they may be in the last month than in the first such.
const SLOWER_MAX: f64 = 1.5;
/// The first months are too short to be judged by shares: what came in them was not settled yet.
const SETTLED_FROM: usize = 5;
/// Of a hundred truths that hold, so many are found.
const FOUND_PERCENT_MIN: u64 = 95;
/// Of a hundred truths that changed, so many are answered without a value that does not hold. Hearsay that
/// contradicts what was said last stands beside it, and is told.
const STALE_ABSENT_PERCENT_MIN: u64 = 90;

/// The promises that were not kept, a sentence each: those that hold on every machine.
pub fn broken(months: &[Month]) -> Vec<String> {
    let mut broken = Vec::new();
    for (number, month) in months.iter().enumerate() {
        let Month { name, answers, costs } = month;
        let mut must = |holds: bool, what: &str| {
            if !holds {
                broken.push(format!("{name}: {what}: {answers:?}"));
            }
        };
        let Answers { asked, found, unasked, unasked_found, changed, stale_absent, .. } = *answers;
        must(costs.store_bytes <= costs.quota_bytes, "the store is within its bound");
        must(answers.lost == 0, "nothing is lost that holds");
        must(answers.archived_wrong == 0, "nothing is archived that should not be");
        must(answers.settled_wrong == 0, "nothing gives way that holds, or that nobody can settle");
        must(answers.mistaken == 0, "nothing is taken for something else");
        if number >= SETTLED_FROM {
            let found = found + unasked_found;
            let asked = asked + unasked;
            must(found * 100 >= asked * FOUND_PERCENT_MIN, "what holds is found");
            must(
                stale_absent * 100 >= changed * STALE_ABSENT_PERCENT_MIN,
                "what no longer holds is not",
            );
        }
    }
    if let Some(last) = months.last() {
        let answers = &last.answers;
        for (holds, what) in [
            (answers.deleted > 0, "there is more than the quota allows"),
            (answers.archived > 0, "what fades is archived"),
            (answers.doubles == 0, "what says the same is one"),
            (answers.silent == 0, "what stands against each other is told"),
            (
                answers.practiced > 0 && answers.experiences_exact == answers.practiced,
                "what was done many times becomes knowledge, with the counts that are so",
            ),
        ] {
            if !holds {
                broken.push(format!("at the end: {what}: {answers:?}"));
            }
        }
    }
    broken
}

/// How much slower recalls are in the last month than in the first with a large store, by the time on a
/// processor, each by the fixed computation beside it; and in a sentence whether that is too much.
pub fn slowdown(months: &[Month]) -> Option<String> {
    let first = months.iter().find(|month| month.answers.perceived >= LARGE_FROM)?;
    let last = months.last()?;
    let plain = last.costs.recall_p95_ms / first.costs.recall_p95_ms;
    let corrected = plain * first.costs.reference_ms / last.costs.reference_ms;
    let verdict = if corrected <= SLOWER_MAX { "kept" } else { "broken" };
    Some(format!(
        "recall p95 of {} is {plain:.2} times that of {}, {corrected:.2} times when the speed of the \
         machine is taken out; at most {SLOWER_MAX} is promised: {verdict}",
        last.name, first.name
    ))
}
