//! A change of what works: an object that wore, a gripper that drifts.

use super::Trial;
use crate::experience::figures::Range;
use robot_memory_core::model::Stamp;
use std::cmp::Reverse;

/// Trials before it, and after it, that are the least.
const COUNT_MIN: usize = 4;
/// How much likelier `n` trials must be with it than without: by this and `ln n`, as a difference of log
/// likelihoods. Of attempts that fail by chance, or beyond a bound that stays, at most 1 series in 30 has a change
/// by it (`tests.rs` counts).
const GAIN_MIN: f64 = 3.0;
/// Failures that show a drift: of what had worked before and never worked again.
const LAST_FAILURES_MIN: usize = 4;
/// So great a share of all failures they must be.
const LAST_FAILURES_SHARE_MIN: f64 = 0.8;
/// Drifts that are tried in each direction: in `n` trials by up to twice the spread of the numbers.
const DRIFTS: i32 = 16;

/// From when on something else works.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangePoint {
    /// The first attempt after it.
    pub attempt_id: i64,
    /// When that was made.
    pub at: Stamp,
    /// What worked before.
    pub before: Range,
    /// What has worked since; `None` when nothing has.
    pub after: Option<Range>,
    /// Of the newest trials, how many it leaves unexplained.
    pub wrong_count: usize,
}

/// The change that explains the newest trials, in order of time, best: with one range that works before it and
/// another one after it, or with a range that drifts, instead of one that stays. `None` when one range explains them
/// nearly as well, or when what works after it worked before.
pub fn change_point(trials: &[Trial]) -> Option<ChangePoint> {
    let trials = trials.get(trials.len().saturating_sub(Trial::CHANGE_MAX)..)?;
    let count = trials.len();
    let order = in_order(trials, 0.0);
    let all = wrong_count(trials, &order, |_| true);
    let gain = |wrong| log_likelihood(wrong, count) - log_likelihood(all, count);
    let is_likely = |wrong| gain(wrong) >= GAIN_MIN + (count as f64).ln();
    let splits = COUNT_MIN..(count + 1).saturating_sub(COUNT_MIN);
    let (least, split) = splits
        .map(|split| {
            let before = wrong_count(trials, &order, |it| it < split);
            (before + wrong_count(trials, &order, |it| it >= split), split)
        })
        .min_by_key(|(wrong, split)| (*wrong, Reverse(*split)))?;
    let drifting = drifting(trials);
    let (split, wrong_count) = if is_likely(least) {
        (split, least)
    } else if is_likely(drifting) {
        (first_contradiction(trials)?, drifting)
    } else {
        (first_last_failure(trials)?, 0)
    };
    let (before, after) = trials.split_at(split);
    let first = after.first()?;
    let (before, after) = (worked(before)?, worked(after));
    let is_other = after.is_none_or(|after| {
        after.count >= COUNT_MIN as u64
            && (after.at[1] > before.at[3] || after.at[3] < before.at[1])
    });
    (before.count >= COUNT_MIN as u64 && is_other).then_some(ChangePoint {
        attempt_id: first.id,
        at: first.at,
        before,
        after,
        wrong_count,
    })
}

/// How many trials one range for all misjudges.
pub fn wrong_count_of_one_range(trials: &[Trial]) -> usize {
    let trials = trials.get(trials.len().saturating_sub(Trial::CHANGE_MAX)..).unwrap_or(trials);
    wrong_count(trials, &in_order(trials, 0.0), |_| true)
}

/// The first of the failures of what had worked before and never worked again, nor what is on its other side, when
/// there are enough of them. A robot that gives way to a drift step by step leaves nothing else.
fn first_last_failure(trials: &[Trial]) -> Option<usize> {
    [1.0, -1.0].into_iter().find_map(|sign| {
        let value = |it: &Trial| sign * it.value;
        let is_last = |place: usize| {
            let failed = value(&trials[place]);
            let success = |part: &[Trial], works: &dyn Fn(f64) -> bool| {
                part.iter().filter(|it| !it.has_failed && works(value(it))).count()
            };
            success(&trials[..place], &|it| it <= failed) >= COUNT_MIN
                && success(&trials[place..], &|it| it <= failed) == 0
                && success(&trials[place..], &|it| it > failed) >= COUNT_MIN
        };
        let failures = (0..trials.len()).filter(|place| trials[*place].has_failed);
        let (last, others): (Vec<usize>, Vec<usize>) = failures.partition(|place| is_last(*place));
        let share = last.len() as f64 / (last.len() + others.len()).max(1) as f64;
        let is_drift = last.len() >= LAST_FAILURES_MIN && share >= LAST_FAILURES_SHARE_MIN;
        last.first().copied().filter(|_| is_drift)
    })
}

/// Where the numbers lie that worked.
fn worked(trials: &[Trial]) -> Option<Range> {
    let success = trials.iter().filter(|it| !it.has_failed);
    let mut values: Vec<f64> = success.map(|it| it.value).collect();
    values.sort_by(f64::total_cmp);
    Range::of(&values)
}

/// The places of trials by their numbers, less what a drift adds from one to the next, each with its number.
fn in_order(trials: &[Trial], drift: f64) -> Vec<(usize, f64)> {
    let of = trials.iter().enumerate();
    let mut order: Vec<(usize, f64)> =
        of.map(|(place, it)| (place, it.value - drift * place as f64)).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    order
}

/// How many trials the best range misjudges that drifts evenly.
fn drifting(trials: &[Trial]) -> usize {
    let values = || trials.iter().map(|it| it.value);
    let spread = values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min);
    let step = 2.0 * spread / (f64::from(DRIFTS) * trials.len() as f64);
    let wrong = (-DRIFTS..=DRIFTS)
        .map(|it| wrong_count(trials, &in_order(trials, f64::from(it) * step), |_| true));
    wrong.min().unwrap_or(0)
}

/// The first failure among what had worked.
fn first_contradiction(trials: &[Trial]) -> Option<usize> {
    (COUNT_MIN..trials.len()).find(|place| {
        let before = worked(&trials[..*place]).filter(|it| it.count >= COUNT_MIN as u64);
        let value = trials[*place].value;
        trials[*place].has_failed && before.is_some_and(|it| (it.min()..=it.max()).contains(&value))
    })
}

/// How many trials, of those that are in it, the best range misjudges that works: a failure in it, or a success
/// outside. `order` has the places of the trials by number.
fn wrong_count(trials: &[Trial], order: &[(usize, f64)], is_in: impl Fn(usize) -> bool) -> usize {
    let mut success_count = 0;
    let (mut best, mut sum) = (0_i64, 0_i64);
    let mut last = f64::NAN;
    for (place, value) in order.iter().copied().filter(|it| is_in(it.0)) {
        let has_failed = trials[place].has_failed;
        // Equal numbers are in a range together, or not.
        if value != last {
            best = best.max(sum);
            sum = sum.max(0);
            last = value;
        }
        sum += if has_failed { -1 } else { 1 };
        success_count += i64::from(!has_failed);
    }
    usize::try_from(success_count - best.max(sum)).unwrap_or(0)
}

/// Of so many wrong ones among all, at their own share; half a one is added to each, so that none is certain.
fn log_likelihood(wrong: usize, total: usize) -> f64 {
    let total = total as f64;
    let share = (wrong as f64 + 0.5) / (total + 1.0);
    wrong as f64 * share.ln() + (total - wrong as f64) * (1.0 - share).ln()
}
