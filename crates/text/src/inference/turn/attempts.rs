//! The attempts that a report tells of, each with its own values and its own end.
//!
//! A report is cut into clauses. A clause with a value begins an attempt, unless the one before has none yet;
//! what says how something ended belongs to the attempt before it. A reason, and what is told as having been
//! before, comes before the attempt that it stands beside. What the data say of the end is the verdict of the
//! last attempt alone. What the attempts at one thing tell of each other is in [`contrast`]: none succeeded because a
//! later one did.

mod builder;
mod contrast;
mod outcome_phrases;
mod outcome_words;
mod segments;
mod values;
mod verdict;
mod words;

use std::ops::Range;

use super::data::Step;
use builder::{Builder, is_apart};
use segments::{Cut, Segment};
use values::Tried;
use verdict::Evidence;

/// An attempt.
#[derive(Debug, Clone, Default)]
struct Attempt {
    values: Vec<Tried>,
    /// Its clauses, in order.
    segments: Vec<usize>,
    evidence: Vec<PlacedEvidence>,
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

/// Evidence of how an attempt ended, and in which segment of the report it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlacedEvidence {
    evidence: Evidence,
    segment: usize,
    /// After "but", in the sentence of what stands before.
    is_but: bool,
}

/// An attempt that is told.
#[derive(Debug, Clone)]
pub(super) struct DescribedAttempt {
    values: Vec<Tried>,
    segments: Vec<usize>,
    /// Whether it succeeded; `None`: nobody says, or words and data disagree.
    pub success: Option<bool>,
    /// Words and data say different things of its end.
    pub disagrees: bool,
    is_former: bool,
    is_shared: bool,
    /// The last clause that tells how it ended.
    described_to: usize,
}

/// The attempts of a report, and where they are told.
pub(super) struct Attempts<'a> {
    text: &'a str,
    /// What the data say, when they are of one step.
    step: Option<&'a Step>,
    cut: Cut,
    pub described: Vec<DescribedAttempt>,
    /// Whether the same was tried more than once.
    pub are_tries: bool,
}

impl<'a> Attempts<'a> {
    /// Reads the attempts of a report, of which the data say `success` of the last. Fewer than two are told
    /// apart only when one has values and words that say how it ended.
    pub fn of(text: &'a str, step: Option<&'a Step>, success: Option<bool>) -> Self {
        let cut = Cut::of(text);
        let build = |by_values| Builder::of(&cut).build(by_values);
        let mut found = build(true);
        if found.iter().all(|attempt| attempt.values.is_empty()) {
            found = build(false);
            found.retain(|attempt| verdict_of(attempt).is_some() || attempt.is_unclear);
            // Without values only the words tell that it was tried anew.
            let is_sure = |it: &Attempt| it.evidence.iter().all(|heard| heard.evidence.is_sure);
            let ends: Vec<Option<bool>> =
                found.iter().filter(|it| is_sure(it)).map(verdict_of).collect();
            let has_worked = ends.first() == Some(&Some(false)) && ends.last() == Some(&Some(true));
            if found.len() < 2 || !has_worked && !found[1..].iter().all(|attempt| attempt.turns) {
                found.clear();
            }
        }
        let mut are_tries = are_tries(&found, &cut);
        if !are_tries {
            found.iter_mut().for_each(|attempt| attempt.forget_others(&cut));
        }
        let mut described = judged(found, &cut, success, are_tries);
        are_tries &= described.len() > 1;
        if !are_tries {
            // Different things that were done, each perhaps with its end.
            let is_exchange = |it: &DescribedAttempt| {
                it.segments
                    .iter()
                    .any(|&at| cut.segments[at].is_from_to || cut.segments[at].is_instead)
            };
            described.retain(|it| {
                !it.values.is_empty()
                    && !it.is_former
                    && (it.described_to != usize::MAX || is_exchange(it))
            });
        }
        Self { text, step, cut, described, are_tries }
    }

    fn segment(&self, index: usize) -> &Segment {
        &self.cut.segments[index]
    }

    /// The bytes of a clause.
    fn bytes(&self, index: usize) -> Range<usize> {
        let (segment, reading) = self.cut.at(index);
        reading.bytes(segment.range.clone())
    }
}

/// What its own words say of its end.
fn verdict_of(attempt: &Attempt) -> Option<bool> {
    let heard = &attempt.evidence;
    let last = heard.last()?;
    let bad = || heard.iter().filter(|it| !it.evidence.is_good);
    if last.evidence.is_good {
        // "It slipped, but held": only what is mild may yet end well.
        let is_outdone =
            bad().all(|it| it.evidence.is_mild) || last.is_but && last.evidence.is_sure;
        (is_outdone && !attempt.is_unclear).then_some(true)
    } else {
        Some(false)
    }
}

/// Whether the same was tried more than once: two have a value of one unit, and of one it is told how it ended,
/// or that it was another try; or what was tried without a value was tried anew.
fn are_tries(found: &[Attempt], cut: &Cut) -> bool {
    let is_evident = |it: &Attempt| !it.evidence.is_empty() || it.is_unclear || it.is_implied;
    let has_no_values = found.iter().all(|it| it.values.is_empty());
    found.iter().enumerate().any(|(index, one)| {
        found[index + 1..].iter().any(|other| {
            let has_worked = verdict_of(one) == Some(false) && verdict_of(other) == Some(true);
            let is_same = if has_no_values {
                (other.turns || has_worked) && is_evident(one) && is_evident(other)
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
            is_same && (is_evident(one) || is_evident(other) || is_retry)
        })
    })
}

/// The attempts with their verdicts.
fn judged(
    mut found: Vec<Attempt>,
    cut: &Cut,
    success: Option<bool>,
    are_tries: bool,
) -> Vec<DescribedAttempt> {
    let has_values = found.iter().any(|it| !it.values.is_empty());
    // What was only announced is no attempt.
    let count = found.len();
    let mut index = 0;
    found.retain(|it| {
        index += 1;
        let is_evident = !it.evidence.is_empty() || it.is_unclear || it.is_implied;
        !it.values.is_empty() || is_evident || index == count && it.again && has_values
    });
    let ends = contrast::ends(&found, cut, success);
    let mut described: Vec<DescribedAttempt> = found
        .iter()
        .zip(ends)
        .map(|(attempt, end)| DescribedAttempt {
            values: attempt.values.clone(),
            segments: attempt.segments.clone(),
            success: end.success,
            disagrees: end.disagrees,
            is_former: attempt.is_former,
            is_shared: attempt.is_shared,
            described_to: attempt
                .evidence
                .iter()
                .map(|it| it.segment)
                .chain(attempt.unclear_at)
                .chain(end.stated_at)
                .max()
                .unwrap_or(usize::MAX),
        })
        .collect();
    // Of what no one says how it ended, only what was tried otherwise is an attempt.
    let last = described.len().saturating_sub(1);
    let shares = |index: usize| {
        described
            .iter()
            .enumerate()
            .any(|(other, it)| other != index && !is_apart(&it.values, &described[index].values))
    };
    let keep: Vec<bool> = (0..described.len())
        .map(|index| {
            described[index].success.is_some()
                || described[index].described_to != usize::MAX
                || index == last && (are_tries || described.len() == 1)
                || !described[index].is_former && shares(index)
        })
        .collect();
    let mut keep = keep.into_iter();
    described.retain(|_| keep.next().unwrap_or(true));
    described
}
