use super::channel_reader::{FeltVector, approach, minus, norm};
use super::robust::{DEVIATIONS_PER_MEDIAN, allowance, median, weight};
use crate::span::secs_between;
use robot_memory_core::model::Stamp;

/// How long the state at rest is learned at first: so long it must be steady.
const LEARN_SECS: f64 = 1.0;
/// How long that is waited for; then it is what it is.
const UNSTEADY_SECS: f64 = 10.0;
/// Readings that it takes at least.
const LEARN_READINGS_MIN: usize = 5;
/// Readings that are kept of it; of faster streams not all are.
const LEARN_READINGS_MAX: usize = 256;
/// Parts of the readings that are compared to know whether they are steady, and readings in each at least.
const PARTS: usize = 4;
const PART_READINGS_MIN: usize = 4;
/// Time constants in which level and noise are followed: drift is slower, a touch faster.
const LEVEL_SECS: f64 = 5.0;
const NOISE_SECS: f64 = 10.0;
/// What the level falls by when only rises are touches.
const FALL_SECS: f64 = 0.1;
/// Deviations beyond this many times the noise count as this many.
const REACH: f64 = 3.0;

/// What is felt when nothing touches.
#[derive(Debug, Clone)]
pub(super) struct Baseline {
    /// Gravity, tare, drift.
    pub(super) level: FeltVector,
    /// Since when it is known.
    pub(super) since: Stamp,
    /// Whether nothing at all was measured at first: exactly zero, without any noise.
    pub(super) was_zero: bool,
    variance: FeltVector,
    known_secs: f64,
    readings: f64,
}

impl Baseline {
    /// Standard deviation of what is felt about its level, on the axis that has most of it.
    pub(super) fn noise(&self) -> f64 {
        self.variance.iter().fold(0.0, |most: f64, axis| most.max(*axis)).sqrt()
            * allowance(self.readings)
    }

    /// Follows a reading at rest. Of a deviation no more than `reach` and a few times the noise
    /// count, so that the begin of a touch does not become the state at rest.
    pub(super) fn follow(&mut self, secs: f64, felt: &FeltVector, reach: f64, only_rises: bool) {
        let deviation = minus(felt, &self.level);
        let noise = self.noise();
        if only_rises && deviation[0] < -f64::max(2.0 * reach, REACH * noise) {
            approach(&mut self.level, felt, weight(secs, FALL_SECS), f64::INFINITY);
            return;
        }
        self.known_secs += secs;
        self.readings += if secs > 0.0 { 1.0 } else { 0.0 };
        let reach = f64::max(REACH * noise, 0.5 * reach);
        let part = weight(secs, NOISE_SECS.min(self.known_secs));
        for (variance, deviation) in self.variance.iter_mut().zip(&deviation) {
            *variance += part * ((deviation * deviation).min(reach * reach) - *variance);
        }
        approach(&mut self.level, felt, weight(secs, LEVEL_SECS.min(self.known_secs)), reach);
    }
}

/// Learns the state at rest from the first readings that are steady.
#[derive(Debug, Clone, Default)]
pub(super) struct BaselineEstimator {
    begin: Option<Stamp>,
    kept: Vec<(Stamp, FeltVector)>,
}

impl BaselineEstimator {
    /// Takes a reading; answers when enough is known. `step` says which difference of two levels is none of
    /// noise, beside so much noise. What was never steady is answered after a while, too.
    pub(super) fn take(
        &mut self,
        stamp: Stamp,
        felt: &FeltVector,
        step: impl Fn(f64, &FeltVector) -> f64,
    ) -> Option<Baseline> {
        let begin = *self.begin.get_or_insert(stamp);
        let is_waited_for = secs_between(begin, stamp) < UNSTEADY_SECS;
        self.take_steady(stamp, felt, |noise, level| {
            if is_waited_for { step(noise, level) } else { f64::INFINITY }
        })
    }

    /// The same of what is steady alone.
    pub(super) fn take_steady(
        &mut self,
        stamp: Stamp,
        felt: &FeltVector,
        step: impl Fn(f64, &FeltVector) -> f64,
    ) -> Option<Baseline> {
        let is_due = self.kept.last().is_none_or(|(last, _)| {
            secs_between(*last, stamp) >= LEARN_SECS / LEARN_READINGS_MAX as f64
        });
        if is_due {
            self.kept.push((stamp, *felt));
        }
        let since = self.kept.first()?.0;
        if secs_between(since, stamp) < LEARN_SECS || self.kept.len() < LEARN_READINGS_MIN {
            return None;
        }
        if let Some(stepped) = self.stepped(step) {
            self.kept.drain(..stepped);
            return None;
        }
        let (level, deviation) = middle(&self.kept);
        Some(Baseline {
            level,
            since,
            was_zero: (level, deviation) == ([0.0; 3], [0.0; 3]),
            variance: deviation.map(|deviation| (DEVIATIONS_PER_MEDIAN * deviation).powi(2)),
            known_secs: secs_between(since, stamp),
            readings: self.kept.len() as f64,
        })
    }

    /// How many of the readings are from before the level stepped to another one; `None` when it did not,
    /// or too few are known to tell.
    fn stepped(&self, step: impl Fn(f64, &FeltVector) -> f64) -> Option<usize> {
        let count = self.kept.len();
        if count < PARTS * PART_READINGS_MIN {
            return None;
        }
        let end_of = |part: usize| part * count / PARTS;
        let mut levels = [[0.0; 3]; PARTS];
        let mut around = Vec::with_capacity(count);
        for (part, level) in levels.iter_mut().enumerate() {
            let kept = &self.kept[end_of(part)..end_of(part + 1)];
            *level = middle(kept).0;
            around.extend(kept.iter().map(|(stamp, felt)| (*stamp, minus(felt, level))));
        }
        let noise = middle(&around).1.into_iter().fold(0.0, f64::max) * DEVIATIONS_PER_MEDIAN;
        (1..PARTS)
            .rev()
            .find(|&part| {
                norm(&minus(&levels[part], &levels[part - 1])) > step(noise, &levels[part])
            })
            .map(end_of)
    }
}

/// The median of readings, and that of their deviations from it.
fn middle(kept: &[(Stamp, FeltVector)]) -> (FeltVector, FeltVector) {
    let (mut level, mut deviation) = ([0.0; 3], [0.0; 3]);
    let mut values = Vec::with_capacity(kept.len());
    for axis in 0..level.len() {
        values.clear();
        values.extend(kept.iter().map(|(_, felt)| felt[axis]));
        level[axis] = median(&mut values);
        for value in &mut values {
            *value = (*value - level[axis]).abs();
        }
        deviation[axis] = median(&mut values);
    }
    (level, deviation)
}
