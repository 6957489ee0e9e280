//! What differed between attempts that succeeded and those that failed.

use super::attempt::{Attempt, Outcome};
use super::figures::{Range, ValueFigures, most, quantity_of};
use super::interval::{cliff_delta, cliff_delta_low, newcombe_low};
use crate::inference::Amount;
use robot_memory_core::limits::COMPARE_VALUES_MAX;
use std::collections::BTreeMap;

/// What a difference is about.
#[derive(Debug, Clone, PartialEq)]
pub enum DifferenceKind {
    /// How great a number was.
    Number {
        /// The unit that most have; all are in it.
        unit: String,
        /// Where it lay in success.
        success: Range,
        /// Where it lay in failure.
        failure: Range,
    },
    /// Whether something had a value.
    Value {
        /// As JSON.
        value: String,
        /// Successes that have it.
        success_with_value: u64,
        /// Failures that have it.
        failure_with_value: u64,
    },
}

/// One way in which attempts that succeeded differed from those that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where it stands, as most have it.
    pub path: String,
    /// What it is about.
    pub kind: DifferenceKind,
    /// -1 to 1: Cliff's delta of a number, the difference of the shares of a value; greater than 0 when
    /// success has more.
    pub effect: f64,
    /// Its bound nearer to 0, with 95 % confidence; 0 when there may be none.
    pub effect_low: f64,
    /// Successes that have this path.
    pub success_count: u64,
    /// Failures that have this path.
    pub failure_count: u64,
}

/// Ranks what differed, the surest first: by the bound of the effect, then by the effect, then by path and
/// value. Only what some success and some failure tell is compared. The same in whatever order attempts
/// come. The bounds are those of each comparison by itself: of twenty of which none is anything, one may
/// look like something.
pub fn differences(attempts: &[Attempt]) -> Vec<Difference> {
    let mut found = Vec::new();
    for series in series(attempts) {
        let (Some(success), Some(failure)) =
            (Range::of(&series.success), Range::of(&series.failure))
        else {
            continue;
        };
        let (effect, effect_low) = differences_of(&series);
        found.push(Difference {
            path: series.path,
            kind: DifferenceKind::Number { unit: series.unit, success, failure },
            effect,
            effect_low,
            success_count: success.count,
            failure_count: failure.count,
        });
    }
    let values = values(attempts);
    for (index, it) in values.iter().enumerate() {
        // Of two that exclude each other the one that success has more of says it all.
        let others = values.iter().enumerate().filter(|(_, other)| other.path == it.path);
        let pair: Vec<usize> = others.map(|(place, _)| place).collect();
        let is_said = pair.len() == 2 && {
            let other = pair.iter().copied().find(|place| *place != index).unwrap_or(index);
            it.effect < 0.0 || it.effect == 0.0 && other < index
        };
        if it.success_count == 0 || it.failure_count == 0 || is_said {
            continue;
        }
        found.push(Difference {
            path: it.path.clone(),
            kind: DifferenceKind::Value {
                value: it.value.clone(),
                success_with_value: it.success_with_value,
                failure_with_value: it.failure_with_value,
            },
            effect: it.effect,
            effect_low: it.effect_low,
            success_count: it.success_count,
            failure_count: it.failure_count,
        });
    }
    found.retain(|it| it.effect != 0.0);
    let value = |it: &Difference| match &it.kind {
        DifferenceKind::Number { unit, .. } => unit.clone(),
        DifferenceKind::Value { value, .. } => value.clone(),
    };
    found.sort_by(|a, b| {
        let by_low = b.effect_low.abs().total_cmp(&a.effect_low.abs());
        let by_effect = b.effect.abs().total_cmp(&a.effect.abs());
        by_low
            .then(by_effect)
            .then_with(|| a.path.cmp(&b.path))
            .then_with(|| value(a).cmp(&value(b)))
    });
    found
}

/// One quantity of all attempts that have it, in one unit.
#[derive(Debug, Default)]
pub(super) struct Series {
    pub path: String,
    pub unit: String,
    /// Sorted.
    pub success: Vec<f64>,
    /// Sorted.
    pub failure: Vec<f64>,
}

/// Cliff's delta and its bound.
pub(super) fn differences_of(series: &Series) -> (f64, f64) {
    let effect = cliff_delta(&series.success, &series.failure);
    (effect, cliff_delta_low(effect, series.success.len(), series.failure.len()))
}

/// The numbers of attempts whose outcome is known, by what they are called and of which dimension they are.
pub(super) fn series(attempts: &[Attempt]) -> Vec<Series> {
    #[derive(Default)]
    struct Kind<'a> {
        spelled: Vec<(&'a str, &'a str)>,
        numbers: Vec<(bool, f64, &'a str)>,
    }
    let mut kinds: BTreeMap<(String, String), Kind<'_>> = BTreeMap::new();
    for attempt in attempts.iter().filter(|it| it.outcome != Outcome::Unknown) {
        for measured in &attempt.numbers {
            let dimension = Amount::new(measured.value, &measured.unit).map_or_else(
                || format!("={}", measured.unit),
                |amount| amount.dimension().to_owned(),
            );
            let kind = kinds.entry((quantity_of(measured), dimension)).or_default();
            kind.spelled.push((&measured.path, &measured.unit));
            kind.numbers.push((
                attempt.outcome == Outcome::Success,
                measured.value,
                &measured.unit,
            ));
        }
    }
    kinds
        .into_values()
        .map(|kind| {
            let unit = most(kind.spelled.iter().map(|(_, unit)| *unit));
            let mut series = Series {
                path: most(kind.spelled.iter().map(|(path, _)| *path)),
                ..Series::default()
            };
            let common = Amount::new(1.0, &unit);
            for (is_success, value, own) in kind.numbers {
                let value = match (&common, Amount::new(value, own)) {
                    (Some(common), Some(amount)) if own != unit => amount.value_in(common),
                    _ => value,
                };
                if is_success { series.success.push(value) } else { series.failure.push(value) }
            }
            series.success.sort_by(f64::total_cmp);
            series.failure.sort_by(f64::total_cmp);
            series.unit = unit;
            series
        })
        .collect()
}

/// The values of attempts whose outcome is known, in order of path and value.
pub(super) fn values(attempts: &[Attempt]) -> Vec<ValueFigures> {
    let mut paths: BTreeMap<&str, BTreeMap<&str, [u64; 2]>> = BTreeMap::new();
    for attempt in attempts.iter().filter(|it| it.outcome != Outcome::Unknown) {
        for named in &attempt.values {
            let counts = paths.entry(&named.path).or_default().entry(&named.value).or_default();
            counts[usize::from(attempt.outcome == Outcome::Failure)] += 1;
        }
    }
    let mut found = Vec::new();
    for (path, values) in paths {
        if values.len() > COMPARE_VALUES_MAX {
            continue;
        }
        let total = |place: usize| values.values().map(|counts| counts[place]).sum::<u64>();
        let (success_count, failure_count) = (total(0), total(1));
        let share =
            |count: u64, total: u64| if total == 0 { 0.0 } else { count as f64 / total as f64 };
        for (value, [success, failure]) in &values {
            let is_both = success_count > 0 && failure_count > 0;
            let effect = share(*success, success_count) - share(*failure, failure_count);
            found.push(ValueFigures {
                path: path.to_owned(),
                value: (*value).to_owned(),
                success_with_value: *success,
                success_count,
                failure_with_value: *failure,
                failure_count,
                effect: if is_both { effect } else { 0.0 },
                effect_low: newcombe_low((*success, success_count), (*failure, failure_count)),
            });
        }
    }
    found
}
