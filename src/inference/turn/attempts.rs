//! The attempts that a report tells of, each with its own values and its own end.
//!
//! A report is cut into clauses. A clause with a value begins an attempt, unless the one before has none yet;
//! what says how something ended belongs to the attempt before it. A reason, and what is told as having been
//! before, comes before the attempt that it stands beside. What the data say of the end is the verdict of the
//! last attempt alone. Where the end is not told, nobody knows it: no attempt succeeded because a later one did.

mod builder;
mod segments;
mod telling;
mod verdict;
mod words;

use std::ops::Range;

use builder::{Builder, is_apart};
use segments::{Cut, Segment, Tried};
pub(super) use telling::{hold_against, retell};

/// An attempt.
#[derive(Debug, Clone, Default)]
struct Attempt {
    values: Vec<Tried>,
    /// Its clauses, in order.
    segments: Vec<usize>,
    evidence: Vec<Heard>,
    is_unclear: bool,
    /// The clause that says so.
    unclear_at: Option<usize>,
    /// The words imply that it failed: another way was taken because of it.
    is_implied: bool,
    again: bool,
    changes: bool,
    is_later: bool,
    turns: bool,
    is_try: bool,
    is_other: bool,
    /// The value that another one took the place of.
    is_former: bool,
    /// One of several that a clause tells together.
    is_shared: bool,
}

/// What an attempt is told to have come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Heard {
    is_good: bool,
    is_mild: bool,
    segment: usize,
    /// After "but", in the sentence of what stands before.
    is_but: bool,
}

/// An attempt that is told.
#[derive(Debug, Clone)]
pub(super) struct ToldAttempt {
    values: Vec<Tried>,
    segments: Vec<usize>,
    /// Whether it succeeded; `None`: nobody says, or words and data disagree.
    pub success: Option<bool>,
    /// Words and data say different things of its end.
    pub disagrees: bool,
    is_former: bool,
    is_shared: bool,
    /// The last clause that tells how it ended.
    told_to: usize,
}

/// The attempts of a report, and where they are told.
pub(super) struct Attempts {
    cut: Cut,
    pub told: Vec<ToldAttempt>,
    /// Whether the same was tried more than once.
    pub are_tries: bool,
}

impl Attempts {
    /// Reads the attempts of a report, of which the data say `success` of the last. Fewer than two are told
    /// apart only when one has values and words that say how it ended.
    pub fn of(text: &str, success: Option<bool>) -> Self {
        let cut = Cut::of(text);
        let build = |by_values| Builder::of(&cut).build(by_values);
        let mut found = build(true);
        if found.iter().all(|attempt| attempt.values.is_empty()) {
            found = build(false);
            found.retain(|attempt| verdict_of(attempt).is_some() || attempt.is_unclear);
            // Without values only the words tell that it was tried anew.
            if found.len() < 2 || !found[1..].iter().all(|attempt| attempt.turns) {
                found.clear();
            }
        }
        let mut are_tries = are_tries(&found, &cut);
        if !are_tries {
            found.iter_mut().for_each(|attempt| attempt.forget_others(&cut));
        }
        let mut told = judged(found, success, are_tries);
        are_tries &= told.len() > 1;
        if !are_tries {
            // Different things that were done, each perhaps with its end.
            let is_exchange = |it: &ToldAttempt| {
                it.segments
                    .iter()
                    .any(|&at| cut.segments[at].is_from_to || cut.segments[at].is_instead)
            };
            told.retain(|it| {
                !it.values.is_empty()
                    && !it.is_former
                    && (it.told_to != usize::MAX || is_exchange(it))
            });
        }
        Self { cut, told, are_tries }
    }

    fn segment(&self, index: usize) -> &Segment {
        &self.cut.segments[index]
    }

    /// The bytes of a clause.
    fn bytes(&self, index: usize) -> Range<usize> {
        let segment = self.segment(index);
        self.cut.readings[segment.sentence].bytes(segment.range.clone())
    }
}

/// What the words say of an end.
fn verdict_of(attempt: &Attempt) -> Option<bool> {
    let heard = &attempt.evidence;
    let bad = heard.iter().any(|it| !it.is_good);
    let good = heard.iter().any(|it| it.is_good);
    match (good, bad) {
        (false, true) => Some(false),
        (true, false) if attempt.is_unclear => None,
        (true, false) => Some(true),
        (false, false) => None,
        (true, true) => {
            let is_mild = heard.iter().all(|it| it.is_good || it.is_mild);
            match heard.last().is_some_and(|it| it.is_good) {
                true if is_mild => Some(true),
                true => None,
                false => Some(false),
            }
        }
    }
}

/// Whether the same was tried more than once: two have a value of one unit, and of one it is told how it ended,
/// or that it was another try; or what was tried without a value was tried anew.
fn are_tries(found: &[Attempt], cut: &Cut) -> bool {
    let is_told = |it: &Attempt| !it.evidence.is_empty() || it.is_unclear || it.is_implied;
    let has_no_values = found.iter().all(|it| it.values.is_empty());
    found.iter().enumerate().any(|(index, one)| {
        found[index + 1..].iter().any(|other| {
            let is_same = if has_no_values {
                other.turns && is_told(one) && is_told(other)
            } else if one.values.is_empty() || other.values.is_empty() {
                other.is_try && is_told(one) && is_told(other)
            } else {
                !is_apart(&one.values, &other.values)
            };
            let act =
                |it: &Attempt| it.segments.first().and_then(|&at| cut.segments[at].act.clone());
            let is_retry = other.again
                || other.changes
                || other.is_later
                || one.is_former
                || act(one).is_some() && act(one) == act(other);
            is_same && (is_told(one) || is_told(other) || is_retry)
        })
    })
}

/// The attempts with their verdicts.
fn judged(mut found: Vec<Attempt>, success: Option<bool>, are_tries: bool) -> Vec<ToldAttempt> {
    let has_values = found.iter().any(|it| !it.values.is_empty());
    // What was only announced is no attempt.
    let count = found.len();
    let mut index = 0;
    found.retain(|it| {
        index += 1;
        let is_told = !it.evidence.is_empty() || it.is_unclear || it.is_implied;
        !it.values.is_empty() || is_told || index == count && it.again && has_values
    });
    let mut told = Vec::with_capacity(found.len());
    for (index, attempt) in found.iter().enumerate() {
        let is_last = index + 1 == found.len();
        let said = verdict_of(attempt);
        let mut disagrees = false;
        let verdict = match (said, is_last) {
            (None, true) if attempt.evidence.is_empty() => {
                if attempt.is_implied {
                    Some(false)
                } else {
                    success
                }
            }
            (None, false) if attempt.evidence.is_empty() && !attempt.is_unclear => {
                (attempt.is_implied || is_followed_by_retry(attempt, &found[index + 1]))
                    .then_some(false)
            }
            (None, _) => None,
            (Some(said), true) => match success {
                Some(success) if success != said => {
                    disagrees = true;
                    None
                }
                _ => Some(said),
            },
            (Some(said), false) => Some(said),
        };
        let told_to = attempt.evidence.iter().map(|it| it.segment).chain(attempt.unclear_at).max();
        let told_to = told_to.unwrap_or(usize::MAX);
        told.push(ToldAttempt {
            values: attempt.values.clone(),
            segments: attempt.segments.clone(),
            success: verdict,
            disagrees,
            is_former: attempt.is_former,
            is_shared: attempt.is_shared,
            told_to,
        });
    }
    // Of what no one says how it ended, only what was tried otherwise is an attempt.
    let last = told.len().saturating_sub(1);
    let shares = |index: usize| {
        told.iter()
            .enumerate()
            .any(|(other, it)| other != index && !is_apart(&it.values, &told[index].values))
    };
    let keep: Vec<bool> = (0..told.len())
        .map(|index| {
            told[index].success.is_some()
                || told[index].told_to != usize::MAX
                || index == last && (are_tries || told.len() == 1)
                || !told[index].is_former && shares(index)
        })
        .collect();
    let mut keep = keep.into_iter();
    told.retain(|_| keep.next().unwrap_or(true));
    told
}

/// Whether the next attempt is the same again, in another way.
fn is_followed_by_retry(attempt: &Attempt, next: &Attempt) -> bool {
    let is_same = attempt.values.is_empty() && next.values.is_empty()
        || attempt.values.iter().any(|value| {
            next.values.iter().any(|other| other.quantity.unit == value.quantity.unit)
        });
    is_same && !attempt.is_former && !next.is_other && (next.again || next.changes || next.is_later)
}
