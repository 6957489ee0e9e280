//! Where success and failure lie apart.

use super::super::interval::{newcombe_low, newcombe_low_at};
use super::Trial;
use robot_memory_core::api::Side;
use serde::{Deserialize, Serialize};

/// Failures beyond a bound, and successes on its other side, that are the least to speak of one.
const COUNT_MIN: u64 = 3;
/// The normal quantile of a two-sided 97.5 % interval: of two sides, one is met by chance in 5 %.
const Z_OF_SIDE: f64 = 2.241_402_727_604_947;

/// Trials by their numbers, those beyond a bound last.
#[derive(Debug, Clone)]
pub(super) struct SortedTrials {
    side: Side,
    /// The number, with the other sign where beyond is below, and whether the trial failed.
    trials: Vec<(f64, bool)>,
}

impl SortedTrials {
    pub(super) const fn new(side: Side) -> Self {
        Self { side, trials: Vec::new() }
    }

    pub(super) fn insert(&mut self, trial: &Trial) {
        let place = self.place(trial);
        self.trials.insert(place, self.kept(trial));
    }

    /// Takes one out that was put in.
    pub(super) fn remove(&mut self, trial: &Trial) {
        let (place, kept) = (self.place(trial), self.kept(trial));
        if self.trials.get(place) == Some(&kept) {
            self.trials.remove(place);
        }
    }

    fn kept(&self, trial: &Trial) -> (f64, bool) {
        (sign_of(self.side) * trial.value, trial.has_failed)
    }

    fn place(&self, trial: &Trial) -> usize {
        let (value, has_failed) = self.kept(trial);
        let is_before =
            |it: &(f64, bool)| it.0.total_cmp(&value).then(it.1.cmp(&has_failed)).is_lt();
        self.trials.partition_point(is_before)
    }
}

/// A bound that divides failures from successes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Contrast {
    /// Between the nearest attempts on its two sides.
    pub bound: f64,
    /// From here to the bound it is expected to work: the quartile of the successes that is farther from the
    /// bound. What lies still farther may fail for another reason.
    pub works_from: f64,
    /// Attempts beyond the bound that failed,
    pub beyond_failure_count: u64,
    /// of so many.
    pub beyond_count: u64,
    /// Attempts on the other side, as far as `works_from`, that failed,
    pub within_failure_count: u64,
    /// of so many.
    pub within_count: u64,
}

impl Contrast {
    /// The bound on a side that parts the most attempts rightly, of equals the one in the widest gap; `None` when
    /// one side would have fewer than [`COUNT_MIN`] failures or successes.
    pub(super) fn of(sorted: &SortedTrials) -> Option<Self> {
        let sign = sign_of(sorted.side);
        let sorted = sorted.trials.as_slice();
        let success_count = sorted.iter().filter(|it| !it.1).count();
        let enough = COUNT_MIN as usize;
        if success_count < enough || sorted.len() - success_count < enough {
            return None;
        }
        let works_from = sorted.iter().filter(|it| !it.1).nth(success_count / 4)?.0;
        let first = sorted.partition_point(|it| it.0 < works_from);
        let near = sorted.get(first..)?;
        let failure_count = near.iter().filter(|it| it.1).count() as u64;
        let mut best: Option<(u64, f64, Self)> = None;
        let mut within_failure_count = 0;
        for (place, pair) in near.windows(2).enumerate() {
            let [(value, has_failed), (next, _)] = *pair else { continue };
            within_failure_count += u64::from(has_failed);
            if value == next {
                continue;
            }
            let within_count = place as u64 + 1;
            let beyond_count = near.len() as u64 - within_count;
            let beyond_failure_count = failure_count - within_failure_count;
            if beyond_failure_count < COUNT_MIN || within_count - within_failure_count < COUNT_MIN {
                continue;
            }
            let wrong_count = within_failure_count + beyond_count - beyond_failure_count;
            let gap = next - value;
            if best.is_none_or(|(least, widest, _)| {
                wrong_count < least || wrong_count == least && gap > widest
            }) {
                let contrast = Self {
                    bound: sign * f64::midpoint(value, next),
                    works_from: sign * works_from,
                    beyond_failure_count,
                    beyond_count,
                    within_failure_count,
                    within_count,
                };
                best = Some((wrong_count, gap, contrast));
            }
        }
        best.map(|it| it.2)
    }

    /// How trials lie about a bound that is given. Without successes nothing is expected within it.
    pub(super) fn at(bound: f64, sorted: &SortedTrials) -> Self {
        let sign = sign_of(sorted.side);
        let sorted = sorted.trials.as_slice();
        let success_count = sorted.iter().filter(|it| !it.1).count();
        let quartile = sorted.iter().filter(|it| !it.1).nth(success_count / 4);
        let works_from = quartile.map_or(f64::INFINITY, |it| it.0);
        let count = |trials: &[(f64, bool)]| {
            (trials.iter().filter(|it| it.1).count() as u64, trials.len() as u64)
        };
        let end = sorted.partition_point(|it| it.0 <= sign * bound);
        let (near, beyond) = sorted.split_at(end);
        let first = near.partition_point(|it| it.0 < works_from);
        let (within_failure_count, within_count) = count(near.get(first..).unwrap_or_default());
        let (beyond_failure_count, beyond_count) = count(beyond);
        Self {
            bound,
            works_from: sign * works_from,
            beyond_failure_count,
            beyond_count,
            within_failure_count,
            within_count,
        }
    }

    /// Whether it has as many failures beyond and successes within as are the least to speak of a bound.
    pub(super) fn has_enough(&self) -> bool {
        self.beyond_failure_count >= COUNT_MIN
            && self.within_count - self.within_failure_count >= COUNT_MIN
    }

    /// Whether it is hardly by chance, though it was chosen among as many bounds as there are trials: the tail of
    /// a normal distribution falls as `exp(-z²/2)`, so `z² = 2.24² + 2 ln n` leaves each of `n` bounds on two sides
    /// about an `n`th of 5 %.
    pub fn is_credible(&self) -> bool {
        let beyond = (self.beyond_failure_count, self.beyond_count);
        let within = (self.within_failure_count, self.within_count);
        let bound_count = (self.beyond_count + self.within_count) as f64;
        newcombe_low_at((Z_OF_SIDE * Z_OF_SIDE + 2.0 * bound_count.ln()).sqrt(), beyond, within)
            > 0.0
    }

    /// Whether its sides still differ, of a bound that is no longer chosen.
    pub fn is_apart(&self) -> bool {
        let beyond = (self.beyond_failure_count, self.beyond_count);
        newcombe_low(beyond, (self.within_failure_count, self.within_count)) > 0.0
    }

    /// What it expects of a number: whether it fails; `None` where it expects nothing.
    pub fn expects_failure(&self, side: Side, value: f64) -> Option<bool> {
        let sign = sign_of(side);
        let value = sign * value;
        if value > sign * self.bound {
            Some(true)
        } else {
            (value >= sign * self.works_from).then_some(false)
        }
    }

    /// The share of the more frequent outcome on both sides: how often a guess is right that knows no bound.
    pub fn guess_share(&self) -> f64 {
        let failed = self.beyond_failure_count + self.within_failure_count;
        let share = failed as f64 / (self.beyond_count + self.within_count).max(1) as f64;
        share.max(1.0 - share)
    }
}

/// What turns a number so that beyond is above.
fn sign_of(side: Side) -> f64 {
    match side {
        Side::Above => 1.0,
        Side::Below => -1.0,
    }
}
