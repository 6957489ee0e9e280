//! What a window of numbers felt like, as one point: near points felt alike.
//!
//! A window of any length, rate and number of channels becomes [`LEN`] numbers (docs/recall.md).
//! Each lies on a grid of [`STEPS_PER_UNIT`] steps in 1 that a signed byte can hold, so an index keeps
//! one byte of each and compares exactly. The distance of two signatures is [`distance`].

mod features;
mod saved;
#[cfg(test)]
mod tests;

pub use features::{LEN, STEPS_PER_UNIT};
pub use saved::of_data;

use crate::event::{LayoutKind, Signature};
use features::{SERIES, Series};
use std::f64::consts::PI;

/// Raised when the same window gets other numbers: signatures of two versions are not compared.
pub const VERSION: u32 = 1;
/// Samples that a window must have: with fewer there is no shape.
pub const SAMPLES_MIN: usize = 5;
/// Numbers that a window may have, all channels together.
pub const NUMBERS_MAX: usize = 100_000;
/// Channels of kinds that are always of so many: two vectors in space.
const SPATIAL_CHANNELS: usize = SERIES;

/// The number of channels that a window of a kind must have; `None`: any.
pub const fn channels_of(kind: LayoutKind) -> Option<usize> {
    match kind {
        LayoutKind::Wrench | LayoutKind::Imu => Some(SPATIAL_CHANNELS),
        LayoutKind::Joints | LayoutKind::Taxels | LayoutKind::Plain => None,
    }
}

/// The signature of a window: all channels of one time after another, the oldest first.
///
/// What is not finite counts as not measured and is filled in from the samples beside it. The rate does
/// not count: windows are compared from their beginning to their end, so that the same motion at half
/// the speed or sampled twice as often is near. `None` when the numbers are not a whole number of samples,
/// fewer than [`SAMPLES_MIN`] or more than [`NUMBERS_MAX`], when the kind has another number of channels,
/// or when nothing was measured.
pub fn of(kind: LayoutKind, channel_count: usize, samples: &[f64]) -> Option<Signature> {
    let is_whole = channel_count > 0 && samples.len().is_multiple_of(channel_count);
    if !is_whole || samples.len() > NUMBERS_MAX || samples.len() / channel_count < SAMPLES_MIN {
        return None;
    }
    if channels_of(kind).is_some_and(|channels| channels != channel_count) {
        return None;
    }
    let mut channels = Vec::with_capacity(channel_count);
    let mut is_measured = false;
    for channel in 0..channel_count {
        let unit = unit(kind, channel);
        let values = samples.iter().skip(channel).step_by(channel_count);
        let mut series: Series = values.map(|value| bounded(value / unit)).collect();
        is_measured |= fill(&mut series);
        channels.push(series);
    }
    is_measured.then(|| {
        let values = features::describe(&six(kind, channels), gain(kind));
        Signature { kind, values }
    })
}

/// A signature in steps of its grid. A number beyond what a byte holds becomes the nearest that it does.
pub fn steps(values: &[f32]) -> Vec<i8> {
    values.iter().map(|value| (value * STEPS_PER_UNIT).round() as i8).collect()
}

/// A distance that was counted in steps of the grid.
pub fn distance_of_steps(steps: u32) -> f64 {
    f64::from(steps) / f64::from(STEPS_PER_UNIT)
}

/// The distance of two signatures of one kind and version: the sum of the absolute differences of their
/// numbers. Exact, since all numbers lie on the grid.
pub fn distance(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from((a - b).abs())).sum()
}

/// What a channel is divided by, in its unit: what is hardly felt. Numbers count about linearly up to it,
/// and by their logarithm above: 3 N differ from 6 N as 300 N from 600 N.
fn unit(kind: LayoutKind, channel: usize) -> f64 {
    match kind {
        LayoutKind::Wrench if channel < 3 => 2.0,
        LayoutKind::Wrench => 1.0,
        LayoutKind::Imu if channel < 3 => 0.1,
        LayoutKind::Imu => 1.0,
        LayoutKind::Joints | LayoutKind::Taxels | LayoutKind::Plain => 0.1,
    }
}

/// What all numbers of a kind are multiplied by: arrays without a unit may hold parts of 1 or counts of
/// a converter, and have a coarser grid to have room for both.
fn gain(kind: LayoutKind) -> f64 {
    match kind {
        LayoutKind::Wrench | LayoutKind::Joints | LayoutKind::Imu => 1.0,
        LayoutKind::Taxels | LayoutKind::Plain => 0.5,
    }
}

/// So that sums and squares stay finite; nothing is felt of what is beyond. NaN stays.
fn bounded(value: f64) -> f64 {
    if value.is_infinite() { f64::NAN } else { value.clamp(-1e12, 1e12) }
}

/// Puts a value where none is: on a line between those beside it, the first or last one at the ends.
/// Answers whether there was any value.
fn fill(series: &mut [f64]) -> bool {
    let mut last: Option<usize> = None;
    for at in 0..series.len() {
        if !series[at].is_finite() {
            continue;
        }
        let from = last.map_or(0, |last| last + 1);
        for between in from..at {
            series[between] = match last {
                Some(last) => {
                    let part = (between - last) as f64 / (at - last) as f64;
                    series[last] + part * (series[at] - series[last])
                }
                None => series[at],
            };
        }
        last = Some(at);
    }
    match last {
        Some(last) => {
            let value = series[last];
            series[last + 1..].fill(value);
            true
        }
        None => {
            series.fill(0.0);
            false
        }
    }
}

/// The six series of a window. Those of a wrench are its own; of any number of channels they are the
/// first six of the discrete cosine transform (DCT-II) over the channels, divided by the root of their
/// number, so that it counts which joints moved and where the skin was touched. Of fewer than six
/// channels the others are zero.
fn six(kind: LayoutKind, channels: Vec<Series>) -> [Series; SERIES] {
    let channels = match channels_of(kind) {
        Some(_) => match <[Series; SERIES]>::try_from(channels) {
            Ok(six) => return six,
            Err(channels) => channels,
        },
        None => channels,
    };
    let count = channels.len() as f64;
    let sample_count = channels.first().map_or(0, Vec::len);
    std::array::from_fn(|order| {
        let mut series = vec![0.0; sample_count];
        if order >= channels.len() {
            return series;
        }
        for (at, channel) in channels.iter().enumerate() {
            let factor = (PI * order as f64 * (at as f64 + 0.5) / count).cos() / count.sqrt();
            for (sum, value) in series.iter_mut().zip(channel) {
                *sum += factor * value;
            }
        }
        series
    })
}
