//! From six series to the numbers of a signature. What each of them is: docs/recall.md.

/// Series that a window is described by.
pub(super) const SERIES: usize = 6;
/// Series that belong to one vector in space: a force, a torque.
const GROUP: usize = 3;
/// Parts of equal length in which the level of a series is looked at.
const HALVES: usize = 2;
/// Parts of equal length in which a series less its median is looked at.
const QUARTERS: usize = 4;
/// What those quarters count beside all else: their quantiles say much the same, whenever it was.
const QUARTER_WEIGHT: f64 = 0.5;
/// Parts of equal length in which a group is looked at.
const EIGHTHS: usize = 8;
/// Quantiles of a series less its median.
const SERIES_QUANTILES: [f64; 6] = [0.0, 0.125, 0.25, 0.75, 0.875, 1.0];
/// Quantiles of a group's distance from its medians.
const GROUP_QUANTILES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Paces at which a group may move.
const PACES: usize = 4;

/// The median, the levels, what differs from the median, its quantiles, and its slope.
const PER_SERIES: usize = 1 + HALVES + QUARTERS + SERIES_QUANTILES.len() + 1;
/// The distances, their quantiles, and the paces.
const PER_GROUP: usize = EIGHTHS + GROUP_QUANTILES.len() + PACES;

/// Numbers of a signature.
pub const LEN: usize = SERIES * PER_SERIES + SERIES / GROUP * PER_GROUP;
/// Steps of a signature's grid in 1.
pub const STEPS_PER_UNIT: f32 = 16.0;

/// A series in units of what is hardly felt, one value for each sample; at least two.
pub(super) type Series = Vec<f64>;

/// The numbers of a window, each times `gain` and on the grid.
pub(super) fn describe(series: &[Series; SERIES], gain: f64) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(LEN);
    let mut medians = [0.0; SERIES];
    for (one, median) in series.iter().zip(&mut medians) {
        *median = quantile(&sorted(one.clone()), 0.5);
        let loads: Vec<f64> = one.iter().map(|value| value.asinh()).collect();
        numbers.push(median.asinh());
        numbers.extend(means::<HALVES>(&loads));
        let beside: Vec<f64> = one.iter().map(|value| (value - *median).asinh()).collect();
        let levels = means::<QUARTERS>(&beside);
        numbers.extend(levels.map(|level| level * QUARTER_WEIGHT));
        let beside = sorted(beside);
        numbers.extend(SERIES_QUANTILES.map(|part| quantile(&beside, part)));
        numbers.push(rise(&levels));
    }
    for (group, medians) in series.chunks_exact(GROUP).zip(medians.chunks_exact(GROUP)) {
        let distances = distances(group, medians);
        numbers.extend(means::<EIGHTHS>(&distances));
        let distances = sorted(distances);
        numbers.extend(GROUP_QUANTILES.map(|part| quantile(&distances, part)));
        numbers.extend(paces(group));
    }
    numbers.into_iter().map(|number| to_grid(number * gain)).collect()
}

/// The nearest value that a byte can hold.
fn to_grid(number: f64) -> f32 {
    let steps = (number * f64::from(STEPS_PER_UNIT)).round().clamp(-127.0, 127.0);
    // Adding 0 makes -0 into 0.
    (steps as f32 + 0.0) / STEPS_PER_UNIT
}

/// The mean in each of `N` parts of equal length; a sample on a border counts in both by its parts.
fn means<const N: usize>(series: &[f64]) -> [f64; N] {
    let width = series.len() as f64 / N as f64;
    std::array::from_fn(|part| {
        let (from, to) = (part as f64 * width, (part + 1) as f64 * width);
        let last = (to.ceil() as usize).min(series.len());
        let samples = series.iter().enumerate().take(last).skip(from as usize);
        let sum: f64 = samples
            .map(|(at, value)| {
                let share = (at as f64 + 1.0).min(to) - (at as f64).max(from);
                value * share.max(0.0)
            })
            .sum();
        sum / width
    })
}

fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers
}

/// The quantile of sorted numbers, of which there is one or more; between two it lies on their line.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let last = sorted.len() - 1;
    let place = part * last as f64;
    let below = (place as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// How much the straight line that fits best rises from the first level to the last.
fn rise(levels: &[f64; QUARTERS]) -> f64 {
    let last = (QUARTERS - 1) as f64;
    let place = |at: usize| at as f64 - last / 2.0;
    let covariance: f64 = levels.iter().enumerate().map(|(at, level)| place(at) * level).sum();
    let variance: f64 = (0..QUARTERS).map(|at| place(at).powi(2)).sum();
    covariance / variance * last
}

/// How far a group is from its medians at each time, whatever the direction.
fn distances(group: &[Series], medians: &[f64]) -> Vec<f64> {
    let mut squares = vec![0.0; group.first().map_or(0, Vec::len)];
    for (series, median) in group.iter().zip(medians) {
        for (square, value) in squares.iter_mut().zip(series) {
            *square += (value - median).powi(2);
        }
    }
    squares.into_iter().map(|square| square.sqrt().asinh()).collect()
}

/// How much a group moves between the halves, the quarters and the eighths of the window and within
/// the eighths: the energies of its Haar wavelets, as root mean squares.
fn paces(group: &[Series]) -> [f64; PACES] {
    let mut squares = [0.0; PACES];
    for series in group {
        let eighths = means::<EIGHTHS>(series);
        let quarters: [f64; 4] = pairs(&eighths);
        let halves: [f64; 2] = pairs(&quarters);
        let whole: [f64; 1] = pairs(&halves);
        let within = |finer: &[f64], coarser: &[f64]| {
            let place = |at: usize| at * coarser.len() / finer.len();
            let parts = finer.iter().enumerate();
            let sum: f64 = parts.map(|(at, value)| (value - coarser[place(at)]).powi(2)).sum();
            sum / finer.len() as f64
        };
        squares[0] += within(&halves, &whole);
        squares[1] += within(&quarters, &halves);
        squares[2] += within(&eighths, &quarters);
        squares[3] += within(series, &eighths);
    }
    squares.map(|square| square.sqrt().asinh())
}

/// The means of two neighbors each, of twice as many numbers.
fn pairs<const N: usize>(numbers: &[f64]) -> [f64; N] {
    std::array::from_fn(|at| (numbers[2 * at] + numbers[2 * at + 1]) / 2.0)
}
