//! A window of numbers on a regular grid.

use super::ring::NumbersRing;
use crate::span::{nanos, secs_between};
use robot_memory_core::model::Stamp;
use std::ops::Range;

/// How much faster than the grid a stream must be to be put on it.
const FASTER_RATIO: f64 = 1.1;
/// Periods of the stream without a reading, beyond which nothing is interpolated.
const GAP_PERIODS: f64 = 3.5;
/// Rows of one window, whatever was asked for.
const ROWS_MAX: usize = 20_000;

/// From when to when, and where its zero is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    pub first: Stamp,
    pub zero: Stamp,
    pub last: Stamp,
}

impl Bounds {
    /// How long it is.
    pub fn secs(self) -> f64 {
        secs_between(self.first, self.last).max(0.0)
    }
}

/// Numbers of some channels, row by row.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Window {
    /// Seconds from the zero of the bounds, ascending.
    pub times: Vec<f64>,
    /// `times.len()` rows of as many numbers as channels were asked for; NaN where there is none.
    pub values: Vec<f64>,
    /// Rows a second; `None` when there are too few to tell.
    pub rate_hz: Option<f64>,
}

/// Puts what a ring holds of some channels between the bounds on a grid of `rate_hz` through the
/// zero, by linear interpolation; what a stream says more seldom than that is taken as it is.
pub(super) fn sample(
    ring: &NumbersRing,
    channels: &[usize],
    bounds: Bounds,
    rate_hz: f64,
) -> Window {
    let rows = ring.rows(bounds.first, bounds.last);
    let own_hz = ring.rate_hz(rows.clone());
    let takes_grid = own_hz.is_some_and(|own_hz| own_hz > rate_hz * FASTER_RATIO);
    match own_hz {
        Some(own_hz) if takes_grid || rows.len() > ROWS_MAX => {
            on_grid(ring, channels, rows, bounds, rate_hz, own_hz)
        }
        _ => as_it_is(ring, channels, rows, bounds, own_hz),
    }
}

fn as_it_is(
    ring: &NumbersRing,
    channels: &[usize],
    rows: Range<usize>,
    bounds: Bounds,
    rate_hz: Option<f64>,
) -> Window {
    let mut window = Window { rate_hz, ..Window::default() };
    for row in rows.take(ROWS_MAX) {
        window.times.push(secs_between(bounds.zero, ring.stamps()[row]));
        window.values.extend(channels.iter().map(|channel| ring.value(row, *channel)));
    }
    window
}

fn on_grid(
    ring: &NumbersRing,
    channels: &[usize],
    rows: Range<usize>,
    bounds: Bounds,
    rate_hz: f64,
    own_hz: f64,
) -> Window {
    let rate_hz = rate_hz.max(1e-3).min(ROWS_MAX as f64 / (bounds.secs() + 1.0));
    let step = nanos(1.0 / rate_hz).max(1);
    let gap = nanos(GAP_PERIODS / own_hz).max(1);
    let mut window = Window { rate_hz: Some(rate_hz), ..Window::default() };
    let from_zero = |stamp: Stamp| stamp.0.saturating_sub(bounds.zero.0);
    let grid = from_zero(bounds.first).div_euclid(step)..=from_zero(bounds.last).div_euclid(step);
    let stamps = ring.stamps();
    // What stands just outside tells of the first and last points.
    let rows = rows.start.saturating_sub(1)..(rows.end + 1).min(stamps.len());
    // The last row not later than the point of the grid.
    let mut left = rows.start;
    for point in grid {
        let at = bounds.zero.0.saturating_add(point.saturating_mul(step));
        while left + 1 < rows.end && stamps[left + 1].0 <= at {
            left += 1;
        }
        if stamps[left].0 > at || at < bounds.first.0 {
            continue;
        }
        let right = if stamps[left].0 == at { left } else { left + 1 };
        if right >= rows.end {
            break;
        }
        let span = stamps[right].0 - stamps[left].0;
        if span > gap {
            continue;
        }
        let share = if span > 0 { (at - stamps[left].0) as f64 / span as f64 } else { 0.0 };
        window.times.push((point.saturating_mul(step)) as f64 / 1e9);
        window.values.extend(channels.iter().map(|channel| {
            let (a, b) = (ring.value(left, *channel), ring.value(right, *channel));
            a + (b - a) * share
        }));
    }
    window
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channel, Layout, LayoutKind, Quantity};
    use std::sync::Arc;

    fn ring_of(readings: impl Iterator<Item = (f64, f64)>) -> NumbersRing {
        let channels = vec![Channel { name: "x".into(), quantity: Quantity::Unknown }];
        let layout = Layout { kind: LayoutKind::Plain, channels };
        let mut ring = NumbersRing::new(Arc::new(layout));
        for (secs, value) in readings {
            ring.push(Stamp(nanos(secs)), &[value]);
        }
        ring
    }

    fn bounds(first: f64, zero: f64, last: f64) -> Bounds {
        Bounds { first: Stamp(nanos(first)), zero: Stamp(nanos(zero)), last: Stamp(nanos(last)) }
    }

    #[test]
    fn a_line_stays_a_line_on_the_grid() {
        let ring = ring_of((0..1000).map(|index| {
            let secs = f64::from(index) * 0.001 + if index % 2 == 0 { 0.0002 } else { 0.0 };
            (secs, 3.0 * secs)
        }));
        let window = sample(&ring, &[0], bounds(0.1, 0.5, 0.9), 50.0);
        assert_eq!(window.rate_hz, Some(50.0));
        assert_eq!(window.times.len(), 41);
        assert_eq!((window.times[0], window.times[20], window.times[40]), (-0.4, 0.0, 0.4));
        for (time, value) in window.times.iter().zip(&window.values) {
            assert!((value - 3.0 * (time + 0.5)).abs() < 1e-5, "{time} {value}");
        }
    }

    #[test]
    fn a_slow_stream_is_taken_as_it_is() {
        let ring = ring_of((0..20).map(|index| (f64::from(index), f64::from(index))));
        let window = sample(&ring, &[0], bounds(2.5, 5.25, 8.0), 50.0);
        assert_eq!(window.times, [-2.25, -1.25, -0.25, 0.75, 1.75, 2.75]);
        assert_eq!(window.values, [3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(window.rate_hz, Some(1.0));
    }

    #[test]
    fn nothing_is_made_up_in_a_gap_or_of_what_is_missing() {
        let readings = (0..1000).filter(|index| !(300..600).contains(index));
        let ring =
            ring_of(readings.map(|index| {
                (f64::from(index) * 0.001, if index == 700 { f64::NAN } else { 1.0 })
            }));
        let window = sample(&ring, &[0], bounds(0.0, 0.0, 1.0), 100.0);
        assert!(window.times.iter().all(|time| !(0.3..0.595).contains(time)), "{:?}", window.times);
        let missing: Vec<_> = window.values.iter().filter(|value| value.is_nan()).collect();
        assert_eq!(missing.len(), 1);
        assert_eq!(window.times.len(), window.values.len());
    }

    #[test]
    fn an_empty_window_is_empty() {
        let ring = ring_of([(1.0, 1.0)].into_iter());
        assert_eq!(sample(&ring, &[0], bounds(2.0, 2.0, 3.0), 50.0), Window::default());
        assert_eq!(sample(&ring, &[0], bounds(0.0, 0.0, 3.0), 50.0).times, [1.0]);
    }
}
