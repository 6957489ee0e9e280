//! Attempts, counted so that one more or less takes little time.

use super::attempt::Outcome;
use super::figures::Range;
use super::interval::{Interval, wilson, wilson_of};
use super::known::KnownAttempt;
use robot_memory_core::model::Stamp;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// When an attempt was made, and which memory it is.
type Made = (Stamp, i64);

/// Counts and numbers of attempts.
#[derive(Debug, Default)]
pub struct Tally {
    success: BTreeSet<Made>,
    failure: BTreeSet<Made>,
    unknown: BTreeSet<Made>,
    real_count: u64,
    /// By quantity.
    numbers: BTreeMap<u32, Numbers>,
    /// Failures by reason.
    reasons: BTreeMap<Box<str>, BTreeSet<Made>>,
    /// By what was done: successes and failures.
    procedures: BTreeMap<Box<str>, [BTreeSet<Made>; 2]>,
}

/// One quantity of attempts, sorted.
#[derive(Debug, Default)]
struct Numbers {
    success: Vec<f64>,
    failure: Vec<f64>,
}

/// What several tallies come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TallySum {
    /// Attempts that succeeded.
    pub success_count: u64,
    /// Attempts that failed.
    pub failure_count: u64,
    /// All others.
    pub unknown_count: u64,
    /// Attempts of the real robot.
    pub real_count: u64,
    /// When the first and the last were made; `None` without any.
    pub made_at: Option<(Stamp, Stamp)>,
    /// By quantity: where it lay in success and in failure.
    pub numbers: BTreeMap<u32, (Option<Range>, Option<Range>)>,
    /// How they failed, most often first, then the last first.
    pub reasons: Vec<ReasonSum>,
    /// What was done, the best first: by the lower end of the interval of the share of success, in which an attempt
    /// counts 0.8 of the next newer one with these steps, then the newest.
    pub procedures: Vec<ProcedureSum>,
    /// The newest that succeeded.
    pub success_ids: Vec<i64>,
    /// The newest that failed.
    pub failure_ids: Vec<i64>,
    /// The newest of all others.
    pub unknown_ids: Vec<i64>,
}

/// How often attempts failed for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReasonSum {
    /// As it was given; may be empty.
    pub reason: String,
    /// How often.
    pub count: u64,
    /// When last.
    pub last_at: Stamp,
    /// The newest of them.
    pub ids: Vec<i64>,
}

/// How often some steps succeeded, and how often they failed.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcedureSum {
    /// Attempts that succeeded.
    pub success_count: u64,
    /// Attempts that failed.
    pub failure_count: u64,
    /// Of the share of success.
    pub interval: Interval,
    /// When they succeeded last.
    pub newest_at: Stamp,
    /// The newest that succeeded.
    pub success_ids: Vec<i64>,
    /// The newest that failed.
    pub failure_ids: Vec<i64>,
}

impl Tally {
    /// Whether it counts nothing.
    pub fn is_empty(&self) -> bool {
        self.success.is_empty() && self.failure.is_empty() && self.unknown.is_empty()
    }

    /// When the last was made whose outcome is known.
    pub(super) fn last_known(&self) -> Option<Made> {
        self.success.last().max(self.failure.last()).copied()
    }

    /// Those whose outcome is known,
    pub(super) fn known_count(&self) -> usize {
        self.success.len() + self.failure.len()
    }

    /// and those of them that were made after one.
    pub(super) fn known_after(&self, after: Option<Made>) -> impl Iterator<Item = Made> {
        let after = after.map_or(Bound::Unbounded, Bound::Excluded);
        let newer = (after, Bound::Unbounded);
        self.success.range(newer).chain(self.failure.range(newer)).copied()
    }

    /// All that it counts, in no order.
    pub fn ids(&self) -> impl Iterator<Item = i64> {
        [&self.success, &self.failure, &self.unknown].into_iter().flatten().map(|(_, id)| *id)
    }

    pub(super) fn put(&mut self, id: i64, known: &KnownAttempt) {
        self.made(known.outcome).insert((known.created_at, id));
        self.real_count += u64::from(known.is_real);
        for (quantity, value) in &known.numbers {
            let numbers = self.numbers.entry(*quantity).or_default();
            if let Some(sorted) = numbers.of(known.outcome) {
                let place = sorted.partition_point(|it| it.total_cmp(value).is_lt());
                sorted.insert(place, *value);
            }
        }
        if let Some(made) = self.made_by_steps(known) {
            made.insert((known.created_at, id));
        }
        if known.outcome == Outcome::Failure {
            self.reasons.entry(known.reason.clone()).or_default().insert((known.created_at, id));
        }
    }

    pub(super) fn remove(&mut self, id: i64, known: &KnownAttempt) {
        self.made(known.outcome).remove(&(known.created_at, id));
        self.real_count -= u64::from(known.is_real);
        for (quantity, value) in &known.numbers {
            let Some(numbers) = self.numbers.get_mut(quantity) else { continue };
            if let Some(sorted) = numbers.of(known.outcome)
                && let Ok(place) = sorted.binary_search_by(|it| it.total_cmp(value))
            {
                sorted.remove(place);
            }
            if numbers.success.is_empty() && numbers.failure.is_empty() {
                self.numbers.remove(quantity);
            }
        }
        if let Some(made) = self.made_by_steps(known) {
            made.remove(&(known.created_at, id));
            if self.procedures.get(&known.steps).is_some_and(|it| it.iter().all(BTreeSet::is_empty))
            {
                self.procedures.remove(&known.steps);
            }
        }
        if let Some(of_reason) = self.reasons.get_mut(&known.reason)
            && known.outcome == Outcome::Failure
        {
            of_reason.remove(&(known.created_at, id));
            if of_reason.is_empty() {
                self.reasons.remove(&known.reason);
            }
        }
    }

    /// What several come to, with at most `ids_max` ids of each kind. Linear in the numbers of several; of one
    /// it takes no longer for many attempts than for few.
    pub fn sum(tallies: &[&Self], ids_max: usize) -> TallySum {
        let count = |of: fn(&Self) -> usize| tallies.iter().map(|it| of(it) as u64).sum();
        let newest = |of: fn(&Self) -> &BTreeSet<Made>| newest(tallies, of, ids_max);
        let made = |it: &&Self| {
            let sets = [&it.success, &it.failure, &it.unknown];
            let first = sets.iter().filter_map(|set| set.first()).min()?.0;
            Some((first, sets.iter().filter_map(|set| set.last()).max()?.0))
        };
        let quantities: BTreeSet<u32> =
            tallies.iter().flat_map(|it| it.numbers.keys().copied()).collect();
        let range = |quantity: u32, of: fn(&Numbers) -> &Vec<f64>| {
            let parts = tallies.iter().filter_map(|it| it.numbers.get(&quantity)).map(of);
            let parts: Vec<&Vec<f64>> = parts.filter(|it| !it.is_empty()).collect();
            match parts.as_slice() {
                [one] => Range::of(one),
                several => {
                    let mut all: Vec<f64> =
                        several.iter().flat_map(|it| it.iter().copied()).collect();
                    all.sort_by(f64::total_cmp);
                    Range::of(&all)
                }
            }
        };
        TallySum {
            success_count: count(|it| it.success.len()),
            failure_count: count(|it| it.failure.len()),
            unknown_count: count(|it| it.unknown.len()),
            real_count: tallies.iter().map(|it| it.real_count).sum(),
            made_at: tallies
                .iter()
                .filter_map(made)
                .reduce(|(first, last), (a, b)| (first.min(a), last.max(b))),
            numbers: quantities
                .into_iter()
                .map(|it| (it, (range(it, |n| &n.success), range(it, |n| &n.failure))))
                .collect(),
            reasons: reasons(tallies, ids_max),
            procedures: procedures(tallies, ids_max),
            success_ids: newest(|it| &it.success),
            failure_ids: newest(|it| &it.failure),
            unknown_ids: newest(|it| &it.unknown),
        }
    }

    /// Where an attempt is kept by its steps, when it tells them and how it ended.
    fn made_by_steps(&mut self, known: &KnownAttempt) -> Option<&mut BTreeSet<Made>> {
        let place = match known.outcome {
            Outcome::Success => 0,
            Outcome::Failure => 1,
            Outcome::Unknown => return None,
        };
        let is_told = !known.steps.is_empty();
        is_told.then(|| &mut self.procedures.entry(known.steps.clone()).or_default()[place])
    }

    fn made(&mut self, outcome: Outcome) -> &mut BTreeSet<Made> {
        match outcome {
            Outcome::Success => &mut self.success,
            Outcome::Failure => &mut self.failure,
            Outcome::Unknown => &mut self.unknown,
        }
    }
}

impl Numbers {
    fn of(&mut self, outcome: Outcome) -> Option<&mut Vec<f64>> {
        match outcome {
            Outcome::Success => Some(&mut self.success),
            Outcome::Failure => Some(&mut self.failure),
            Outcome::Unknown => None,
        }
    }
}

/// The newest of several sets, the newest first; of equal stamps the greater id.
fn newest(tallies: &[&Tally], of: fn(&Tally) -> &BTreeSet<Made>, max: usize) -> Vec<i64> {
    let mut all: Vec<Made> =
        tallies.iter().flat_map(|it| of(it).iter().rev().take(max).copied()).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    all.into_iter().take(max).map(|(_, id)| id).collect()
}

fn reasons(tallies: &[&Tally], ids_max: usize) -> Vec<ReasonSum> {
    let mut sums: BTreeMap<&str, (u64, Vec<Made>)> = BTreeMap::new();
    for (reason, made) in tallies.iter().flat_map(|it| &it.reasons) {
        let (count, newest) = sums.entry(reason).or_default();
        *count += made.len() as u64;
        newest.extend(made.iter().rev().take(ids_max));
    }
    let mut sums: Vec<ReasonSum> = sums
        .into_iter()
        .filter_map(|(reason, (count, mut newest))| {
            newest.sort_unstable_by(|a, b| b.cmp(a));
            let last_at = newest.first()?.0;
            let ids = newest.into_iter().take(ids_max).map(|(_, id)| id).collect();
            Some(ReasonSum { reason: reason.to_owned(), count, last_at, ids })
        })
        .collect();
    sums.sort_by(|a, b| {
        b.count.cmp(&a.count).then(b.last_at.cmp(&a.last_at)).then(a.reason.cmp(&b.reason))
    });
    sums
}

/// What an attempt counts against the next newer one, where steps are ranked: after a change the old ones give way.
const FADING: f64 = 0.8;

fn procedures(tallies: &[&Tally], ids_max: usize) -> Vec<ProcedureSum> {
    let mut sums: BTreeMap<&str, [(u64, Vec<Made>); 2]> = BTreeMap::new();
    for (steps, made) in tallies.iter().flat_map(|it| &it.procedures) {
        for (sum, made) in sums.entry(steps).or_default().iter_mut().zip(made) {
            sum.0 += made.len() as u64;
            sum.1.extend(made.iter().rev().take(ids_max));
        }
    }
    let of = sums.into_iter().filter_map(|(steps, [mut success, mut failure])| {
        for (_, newest) in [&mut success, &mut failure] {
            newest.sort_unstable_by(|a, b| b.cmp(a));
            newest.truncate(ids_max);
        }
        let rank = faded_low(&success.1, &failure.1);
        let ids = |newest: Vec<Made>| newest.into_iter().map(|(_, id)| id).collect();
        let sum = ProcedureSum {
            success_count: success.0,
            failure_count: failure.0,
            interval: wilson(success.0, success.0 + failure.0),
            newest_at: success.1.first()?.0,
            success_ids: ids(success.1),
            failure_ids: ids(failure.1),
        };
        Some((rank, steps, sum))
    });
    let mut of: Vec<_> = of.collect();
    of.sort_by(|(a_rank, a_steps, a), (b_rank, b_steps, b)| {
        let by_rank = b_rank.total_cmp(a_rank);
        by_rank.then(b.newest_at.cmp(&a.newest_at)).then(a_steps.cmp(b_steps))
    });
    of.into_iter().map(|it| it.2).collect()
}

/// The lower end of the interval of the share of success, in which older attempts count less.
fn faded_low(success: &[Made], failure: &[Made]) -> f64 {
    let of = |made: &[Made], is_success| made.iter().map(|it| (*it, is_success)).collect();
    let mut all: Vec<(Made, bool)> = of(success, true);
    all.extend::<Vec<_>>(of(failure, false));
    all.sort_unstable_by(|a, b| b.cmp(a));
    let (mut weight, mut right, mut total) = (1.0, 0.0, 0.0);
    for (_, is_success) in all {
        right += if is_success { weight } else { 0.0 };
        total += weight;
        weight *= FADING;
    }
    wilson_of(right, total).low
}
