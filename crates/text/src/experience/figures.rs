//! Attempts at one task on one object, counted.

use super::attempt::{Attempt, Measured, Outcome};
use super::differences::{differences_of, series, values};
use super::interval::wilson;
use crate::inference;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Numbers and values that figures hold of each kind: those that most attempts have.
const NUMBERS_MAX: usize = 16;
const VALUES_MAX: usize = 32;
/// A threshold must divide so great a share of the failures from all successes,
const THRESHOLD_SHARE_MIN: f64 = 0.9;
/// and so many of each.
const THRESHOLD_COUNT_MIN: usize = 3;

/// Where numbers lie: exact, quartiles by linear interpolation between neighbors (type 7 of R. J. Hyndman
/// and Y. Fan, The American Statistician 50, 1996).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// How many there are.
    pub count: u64,
    /// The least, the lower quartile, the median, the upper quartile, the greatest.
    pub at: [f64; 5],
}

impl Range {
    /// Of sorted numbers; `None` of none.
    pub(super) fn of(sorted: &[f64]) -> Option<Self> {
        let last = sorted.len().checked_sub(1)?;
        let at = |quarter: usize| {
            let (place, rest) = (last * quarter / 4, last * quarter % 4);
            let (low, high) = (sorted[place], sorted[(place + 1).min(last)]);
            if rest == 0 { low } else { low + (high - low) * (rest as f64 / 4.0) }
        };
        Some(Self { count: sorted.len() as u64, at: [at(0), at(1), at(2), at(3), at(4)] })
    }

    /// The least.
    pub fn min(&self) -> f64 {
        self.at[0]
    }

    /// The greatest.
    pub fn max(&self) -> f64 {
        self.at[4]
    }
}

/// A number beyond which all, or nearly all, failures lie, and no success.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Threshold {
    /// Whether failures lie above it; else below.
    pub is_above: bool,
    /// The one of the failures beyond all successes that is nearest to them.
    pub at: f64,
    /// Failures there or beyond,
    pub count: u64,
    /// of so many.
    pub total: u64,
}

/// A number of several attempts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberFigures {
    /// Where it stands, as most have it.
    pub path: String,
    /// The unit that most have; all are in it.
    pub unit: String,
    /// When it worked.
    pub success: Option<Range>,
    /// When it failed.
    pub failure: Option<Range>,
    /// What divides them, where something does.
    pub threshold: Option<Threshold>,
    /// Cliff's delta of success over failure.
    pub effect: f64,
    /// Its bound nearer to 0.
    pub effect_low: f64,
}

/// A value of several attempts.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueFigures {
    pub path: String,
    /// As JSON.
    pub value: String,
    /// Successes that have it,
    pub success_with_value: u64,
    /// of those that have something there.
    pub success_count: u64,
    /// Failures that have it,
    pub failure_with_value: u64,
    /// of those that have something there.
    pub failure_count: u64,
    /// Share of successes less that of failures.
    pub effect: f64,
    /// Its bound nearer to 0.
    pub effect_low: f64,
}

/// What attempts at one task on one object show.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// As most call it.
    pub task: String,
    /// As most call it; empty when it is not told.
    pub object: String,
    pub success_count: u64,
    pub failure_count: u64,
    /// Attempts that do not say.
    pub unknown_count: u64,
    /// 95 % Wilson interval of the share of success.
    pub rate_low: f64,
    /// Its other end.
    pub rate_high: f64,
    /// Those that most have, in order of path.
    pub numbers: Vec<NumberFigures>,
    /// Those that most have, in order of path and value.
    pub values: Vec<ValueFigures>,
    /// Whether most of the words are Chinese.
    pub is_han: bool,
}

impl Figures {
    /// Counts attempts. The same in whatever order they come.
    pub fn of(attempts: &[Attempt]) -> Self {
        let count = |outcome| attempts.iter().filter(|it| it.outcome == outcome).count() as u64;
        let (success_count, failure_count) = (count(Outcome::Success), count(Outcome::Failure));
        let rate = wilson(success_count, success_count + failure_count);
        let mut numbers: Vec<NumberFigures> = series(attempts)
            .into_iter()
            .map(|it| {
                let difference = differences_of(&it);
                NumberFigures {
                    threshold: threshold(&it.success, &it.failure),
                    success: Range::of(&it.success),
                    failure: Range::of(&it.failure),
                    path: it.path,
                    unit: it.unit,
                    effect: difference.0,
                    effect_low: difference.1,
                }
            })
            .collect();
        let count_of = |range: &Option<Range>| range.map_or(0, |range| range.count);
        numbers.sort_by_key(|it| std::cmp::Reverse(count_of(&it.success) + count_of(&it.failure)));
        numbers.truncate(NUMBERS_MAX);
        numbers.sort_by(|a, b| (&a.path, &a.unit).cmp(&(&b.path, &b.unit)));
        let mut values = values(attempts);
        values.sort_by_key(|it| std::cmp::Reverse(it.success_with_value + it.failure_with_value));
        values.truncate(VALUES_MAX);
        values.sort_by(|a, b| (&a.path, &a.value).cmp(&(&b.path, &b.value)));
        Self {
            task: most(attempts.iter().map(|it| it.task.as_str())),
            object: most(attempts.iter().map(|it| it.object.as_str())),
            success_count,
            failure_count,
            unknown_count: count(Outcome::Unknown),
            rate_low: rate.low,
            rate_high: rate.high,
            numbers,
            values,
            is_han: attempts.iter().filter(|it| it.is_han).count() * 2 > attempts.len(),
        }
    }

    /// As `14 of 20`: how many of those whose outcome is known succeeded.
    pub fn score(&self) -> String {
        format!("{} of {}", self.success_count, self.known_count())
    }

    /// Attempts whose outcome is known.
    pub fn known_count(&self) -> u64 {
        self.success_count + self.failure_count
    }
}

/// What divides sorted numbers, where something does.
fn threshold(success: &[f64], failure: &[f64]) -> Option<Threshold> {
    let (least, greatest) = (*success.first()?, *success.last()?);
    if success.len() < THRESHOLD_COUNT_MIN || failure.len() < THRESHOLD_COUNT_MIN {
        return None;
    }
    let above = failure.len() - failure.partition_point(|it| *it <= greatest);
    let below = failure.partition_point(|it| *it < least);
    let (is_above, count) = if above >= below { (true, above) } else { (false, below) };
    let holds =
        count >= THRESHOLD_COUNT_MIN && count as f64 >= THRESHOLD_SHARE_MIN * failure.len() as f64;
    let place = if is_above { failure.len() - count.max(1) } else { count.saturating_sub(1) };
    holds.then(|| Threshold {
        is_above,
        at: failure[place],
        count: count as u64,
        total: failure.len() as u64,
    })
}

/// What occurs most often; of equals the first by letters.
pub(super) fn most<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    let best = counts.into_iter().max_by(|(a, m), (b, n)| m.cmp(n).then_with(|| b.cmp(a)));
    best.map_or_else(String::new, |(text, _)| text.to_owned())
}

/// A path without the unit that it ends with: what a number is called, in whatever unit.
pub(super) fn quantity_of(measured: &Measured) -> String {
    let (above, key) = measured.path.rsplit_once('.').unwrap_or(("", &measured.path));
    let key = key.to_lowercase();
    let (name, unit) = inference::key_and_unit(&key);
    let name = if unit.is_empty() { key } else { name };
    if above.is_empty() { name } else { format!("{above}.{name}") }
}
