use super::probe::{Felt, approach, minus};
use super::robust::{DEVIATIONS_PER_MEDIAN, allowance, median, weight};
use crate::model::Stamp;
use crate::perception::span::secs_between;

/// How long the state at rest is learned at first.
const LEARN_SECS: f64 = 1.0;
/// Readings that it takes at least.
const LEARN_READINGS_MIN: usize = 5;
/// Readings that are kept of it; of faster streams not all are.
const LEARN_READINGS_MAX: usize = 256;
/// Time constants in which level and noise are followed: drift is slower, a touch faster.
const LEVEL_SECS: f64 = 5.0;
const NOISE_SECS: f64 = 10.0;
/// What the level falls by when only rises are touches.
const FALL_SECS: f64 = 0.1;
/// Deviations beyond this many times the noise count as this many.
const REACH: f64 = 3.0;

/// What is felt when nothing touches.
#[derive(Debug, Clone)]
pub(super) struct Rest {
    /// Gravity, tare, drift.
    pub(super) level: Felt,
    variance: Felt,
    known_secs: f64,
    readings: f64,
}

impl Rest {
    /// Standard deviation of what is felt about its level, on the axis that has most of it.
    pub(super) fn noise(&self) -> f64 {
        self.variance.iter().fold(0.0, |most: f64, axis| most.max(*axis)).sqrt()
            * allowance(self.readings)
    }

    /// Follows a reading at rest. Of a deviation no more than `reach` and a few times the noise
    /// count, so that the begin of a touch does not become the state at rest.
    pub(super) fn follow(&mut self, secs: f64, felt: &Felt, reach: f64, only_rises: bool) {
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

    /// From now on this is the state at rest.
    pub(super) fn settle(&mut self, level: Felt, variance: &Felt) {
        self.level = level;
        for (own, other) in self.variance.iter_mut().zip(variance) {
            *own = own.max(*other);
        }
    }
}

/// Learns the state at rest from the first readings.
#[derive(Debug, Clone, Default)]
pub(super) struct Learner {
    begin: Option<Stamp>,
    last: Option<Stamp>,
    felt: Vec<Felt>,
    readings: f64,
}

impl Learner {
    /// Takes a reading; answers when enough is known.
    pub(super) fn take(&mut self, stamp: Stamp, felt: &Felt) -> Option<Rest> {
        let begin = *self.begin.get_or_insert(stamp);
        self.readings += 1.0;
        let is_due = self
            .last
            .is_none_or(|last| secs_between(last, stamp) >= LEARN_SECS / LEARN_READINGS_MAX as f64);
        if is_due && self.felt.len() <= LEARN_READINGS_MAX {
            self.felt.push(*felt);
            self.last = Some(stamp);
        }
        if secs_between(begin, stamp) < LEARN_SECS || self.felt.len() < LEARN_READINGS_MIN {
            return None;
        }
        let (mut level, mut variance) = ([0.0; 3], [0.0; 3]);
        for axis in 0..level.len() {
            let mut values: Vec<f64> = self.felt.iter().map(|felt| felt[axis]).collect();
            level[axis] = median(&mut values);
            for value in &mut values {
                *value = (*value - level[axis]).abs();
            }
            variance[axis] = (DEVIATIONS_PER_MEDIAN * median(&mut values)).powi(2);
        }
        Some(Rest {
            level,
            variance,
            known_secs: secs_between(begin, stamp),
            readings: self.felt.len() as f64,
        })
    }
}
