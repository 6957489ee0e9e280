use super::pace::{Pace, Step};
use super::robust::{allowance, weight};
use super::{measure, parameters, signal};
use crate::span::secs_between;
use crate::{Edge, Layout, Measure, Numbers, Quantity, Signal, TriggerKind, TriggerSettings};
use robot_memory_core::model::Stamp;
use std::sync::Arc;

/// Readings are taken together in bins of so many seconds: noise of neighbors is alike, and many
/// readings that agree are no more evidence than the time they cover.
const BIN_SECS: f64 = 0.1;
/// Bins, and seconds, before anything is told.
const LEARN_BINS_MIN: f64 = 20.0;
const LEARN_SECS_MIN: f64 = 2.0;
/// Deviations beyond the shift that is looked for count so many spreads more: no reading decides alone.
const BEYOND: f64 = 2.0;
/// Of a deviation so many spreads count when mean and spread are followed.
const REACH: f64 = 3.0;
/// Greatest number that is taken for a measurement.
const VALUE_MAX: f64 = 1e100;
/// Least spread, as a part of the mean: that of rounding.
const SPREAD_PART_MIN: f64 = 1e-6;

/// Least spread that a quantity is believed to have, in its unit: simulators have none, and then
/// everything would be new.
const fn spread_min(quantity: Quantity) -> f64 {
    match quantity {
        Quantity::Force | Quantity::Acceleration => 0.01,
        Quantity::Torque | Quantity::Effort | Quantity::Velocity | Quantity::AngularVelocity => {
            0.001
        }
        Quantity::Position => 1e-4,
        Quantity::Voltage | Quantity::Current | Quantity::Distance | Quantity::Place => 0.001,
        Quantity::Speed => 0.001,
        Quantity::Temperature | Quantity::Share => 0.01,
        Quantity::Pressure => 0.1,
        Quantity::MagneticField => 1e-9,
        Quantity::Unknown => 0.0,
    }
}

/// A change of a channel's mean against its own recent statistics.
///
/// For each channel mean and spread are followed over `window_secs`, and two sums are kept (two-sided
/// CUSUM: Page, "Continuous inspection schemes", Biometrika 41, 1954):
/// `s = max(0, s + z - sigmas / 2)` of the deviation `z` in spreads, and the same of `-z`. A sum beyond
/// `decision` is a change; it began when the sum left zero. A drift within `window_secs` of less than
/// half the shift is followed and never told.
#[derive(Debug, Clone, Default)]
pub(super) struct Novelty {
    sigmas: f64,
    decision: f64,
    window_secs: f64,
    rest_secs: f64,
    channel: Option<usize>,
    pace: Pace,
    layout: Option<Arc<Layout>>,
    channels: Vec<Watched>,
    bin_begin: Option<Stamp>,
    bin_end: Option<Stamp>,
    last_bin: Option<Stamp>,
    last: Option<Stamp>,
}

#[derive(Debug, Clone, Default)]
struct Watched {
    sum: f64,
    count: f64,
    spread_min: f64,
    mean: f64,
    variance: f64,
    /// Least step from one bin to the next that was not nothing: the sensor's resolution at most.
    step_min: f64,
    /// Bins, and seconds, of which something is known.
    bins: f64,
    known_secs: f64,
    value: f64,
    up: Run,
    down: Run,
}

/// What all channels of a bin share.
struct Bin {
    begin: Stamp,
    secs: f64,
    window_secs: f64,
    /// Since the last one that was told.
    used_secs: Option<f64>,
    is_rested: bool,
}

/// One of the two sums.
#[derive(Debug, Clone, Default)]
struct Run {
    sum: f64,
    since: Option<Stamp>,
    /// The mean of what made it grow, each as much as it did.
    level: f64,
    weights: f64,
}

impl Run {
    fn add(&mut self, z: f64, stamp: Stamp, value: f64) {
        self.sum += z;
        if self.sum <= 0.0 {
            *self = Self::default();
            return;
        }
        if self.since.is_none() {
            // The bin in which it began is partly of before.
            (self.since, self.level) = (Some(stamp), value);
        } else if z > 0.0 {
            self.weights += z;
            self.level += (value - self.level) * z / self.weights;
        }
    }
}

impl Novelty {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let number = |name| parameters::number(settings, name);
        Self {
            sigmas: number("sigmas"),
            decision: number("decision"),
            window_secs: number("window_secs"),
            rest_secs: number("rest_secs"),
            channel: parameters::channel(settings),
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        if self.layout.as_ref() != Some(&numbers.layout) {
            self.restart();
            let channels = numbers.layout.channels.iter();
            self.channels = channels.map(|channel| Watched::of(channel.quantity)).collect();
            self.layout = Some(Arc::clone(&numbers.layout));
        }
        if let Step::Gap(_) = self.pace.step(stamp) {
            // Much may have changed meanwhile: what is usual is learned again.
            self.restart();
        }
        let is_full = self.bin_begin.is_some_and(|begin| secs_between(begin, stamp) >= BIN_SECS);
        if is_full && self.pace.period_secs() < BIN_SECS {
            self.close_bin(out);
        }
        self.bin_begin.get_or_insert(stamp);
        self.bin_end = Some(stamp);
        for (index, watched) in self.channels.iter_mut().enumerate() {
            if self.channel.is_some_and(|channel| channel != index) {
                continue;
            }
            if let Some(&value) = numbers.values.get(index)
                && value.abs() <= VALUE_MAX
            {
                watched.sum += value;
                watched.count += 1.0;
            }
        }
        if self.pace.period_secs() >= BIN_SECS {
            self.close_bin(out);
        }
    }

    fn restart(&mut self) {
        for watched in &mut self.channels {
            *watched = Watched { spread_min: watched.spread_min, ..Watched::default() };
        }
        (self.bin_begin, self.bin_end, self.last_bin) = (None, None, None);
    }

    fn close_bin(&mut self, out: &mut Vec<Signal>) {
        let (Some(begin), Some(end)) = (self.bin_begin.take(), self.bin_end.take()) else { return };
        let secs = self.last_bin.map_or(0.0, |last| secs_between(last, end).max(0.0));
        self.last_bin = Some(end);
        let is_rested = self.last.is_none_or(|last| secs_between(last, end) >= self.rest_secs);
        let bin = Bin {
            begin,
            secs,
            window_secs: self.window_secs,
            used_secs: self.last.map(|last| secs_between(last, end).max(secs)),
            is_rested,
        };
        for watched in &mut self.channels {
            watched.close_bin(&bin, self.sigmas);
        }
        if !is_rested {
            return;
        }
        let sum = |index: &usize| {
            let watched = &self.channels[*index];
            watched.up.sum.max(watched.down.sum)
        };
        let beyond = |least: f64| (0..self.channels.len()).filter(move |index| sum(index) > least);
        // Of those that are alike the first one.
        let most = beyond(self.decision).rev().max_by(|one, other| sum(one).total_cmp(&sum(other)));
        let Some(most) = most else { return };
        let count = beyond(0.5 * self.decision).count();
        let watched = &self.channels[most];
        let is_up = watched.up.sum >= watched.down.sum;
        let run = if is_up { &watched.up } else { &watched.down };
        let (before, after) = (watched.mean, run.level);
        let since = run.since.unwrap_or(begin);
        let channel = self.layout.as_ref().and_then(|layout| layout.channels.get(most));
        let of = channel.map_or_else(String::new, |channel| channel.name.clone());
        let unit = channel.map_or("", |channel| channel.quantity.unit());
        let measures = vec![
            Measure {
                of: of.clone(),
                ..measure("shift", (after - before) / watched.spread(), "sigma")
            },
            Measure { of: of.clone(), ..measure("before", before, unit) },
            Measure { of, ..measure("after", after, unit) },
            measure("channels", count as f64, ""),
        ];
        out.push(signal(TriggerKind::Novelty, Edge::Once, since, measures));
        self.last = Some(end);
        for watched in &mut self.channels {
            watched.get_used(0.5 * self.decision);
        }
    }
}

impl Watched {
    fn of(quantity: Quantity) -> Self {
        Self { spread_min: spread_min(quantity), ..Self::default() }
    }

    fn spread(&self) -> f64 {
        let least = f64::max(0.5 * self.step_min, SPREAD_PART_MIN * self.mean.abs());
        self.variance.sqrt().max(least).max(self.spread_min).max(f64::MIN_POSITIVE)
    }

    fn close_bin(&mut self, bin: &Bin, sigmas: f64) {
        if self.count == 0.0 {
            return;
        }
        let value = self.sum / self.count;
        (self.sum, self.count) = (0.0, 0.0);
        let step = (value - std::mem::replace(&mut self.value, value)).abs();
        self.bins += 1.0;
        if self.bins <= 1.0 {
            self.mean = value;
            return;
        }
        self.known_secs += bin.secs;
        if step > 0.0 && (self.step_min == 0.0 || step < self.step_min) {
            self.step_min = step;
        }
        let is_known = self.bins > LEARN_BINS_MIN && self.known_secs >= LEARN_SECS_MIN;
        let known_secs = self.known_secs.max(1e-9);
        // What is new is got used to as everything is at first.
        let used_secs = bin.used_secs.unwrap_or(known_secs);
        let deviation = value - self.mean;
        let spread = self.spread() * allowance(self.bins);
        let is_watched = is_known && bin.is_rested;
        if is_watched {
            let z = (deviation / spread).clamp(-sigmas - BEYOND, sigmas + BEYOND);
            self.up.add(z - 0.5 * sigmas, bin.begin, value);
            self.down.add(-z - 0.5 * sigmas, bin.begin, value);
        }
        let near = deviation.clamp(-REACH * spread, REACH * spread);
        let part = weight(bin.secs, bin.window_secs.min(known_secs).min(used_secs));
        self.mean += part * if is_watched { near } else { deviation };
        let near = if is_known { near } else { deviation };
        let part = weight(bin.secs, bin.window_secs.min(known_secs));
        self.variance += part * (near * near - self.variance);
    }

    /// Takes the level of a sum that grew for the usual one.
    fn get_used(&mut self, least: f64) {
        let run = if self.up.sum >= self.down.sum { &self.up } else { &self.down };
        if run.sum > least {
            self.mean = run.level;
        }
        (self.up, self.down) = (Run::default(), Run::default());
    }
}
