//! From six series to the numbers of a signature. What each of them is: docs/signatures.md.

/// Series that a window is described by.
pub(super) const SERIES: usize = 6;
/// Parts of equal length that a window is cut into.
const SEGMENTS: usize = 8;
/// Numbers of one series: its level in each segment, and five statistics.
const PER_SERIES: usize = SEGMENTS + 5;
/// Series that belong to one vector in space: a force, a torque.
const GROUP: usize = 3;
/// Numbers of one group: how far it is from where it usually is in each segment, and how much it moves
/// at four paces.
const PER_GROUP: usize = SEGMENTS + 4;
/// Numbers of a signature.
pub const LEN: usize = SERIES * PER_SERIES + SERIES / GROUP * PER_GROUP;

/// Steps of a signature's grid in 1.
pub const STEPS_PER_UNIT: f32 = 16.0;

/// How much each block of numbers counts.
mod weight {
    pub const LEVEL: f64 = 0.5;
    pub const STATISTICS: f64 = 1.0;
    pub const DISTANCE: f64 = 1.0;
    pub const PACES: f64 = 1.0;
}

/// A series on the scale on which signatures see it, one value for each sample; at least one.
pub(super) type Series = Vec<f64>;

/// The numbers of a window, each on the grid.
pub(super) fn describe(series: &[Series; SERIES]) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(LEN);
    for one in series {
        let levels = segment_means(one);
        let mean = mean(one);
        let deviation = (mean_of(one.iter().map(|value| (value - mean).powi(2)))).sqrt();
        let low = one.iter().copied().fold(f64::INFINITY, f64::min);
        let high = one.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        numbers.extend(levels.map(|level| level * weight::LEVEL));
        let statistics = [mean, deviation, slope(&levels), low, high];
        numbers.extend(statistics.map(|number| number * weight::STATISTICS));
    }
    for group in series.chunks_exact(GROUP) {
        let distances = distances_from_median(group);
        let levels = segment_means(&distances);
        numbers.extend(levels.map(|level| level * weight::DISTANCE));
        numbers.extend(paces(group).map(|pace| pace * weight::PACES));
    }
    numbers.into_iter().map(to_grid).collect()
}

/// The nearest value that a byte can hold.
fn to_grid(number: f64) -> f32 {
    let steps = (number * f64::from(STEPS_PER_UNIT)).round().clamp(-127.0, 127.0);
    // Adding 0 makes -0 into 0.
    (steps as f32 + 0.0) / STEPS_PER_UNIT
}

/// The mean in each of the segments; a sample on a border counts in both by its parts.
fn segment_means(series: &[f64]) -> [f64; SEGMENTS] {
    let width = series.len() as f64 / SEGMENTS as f64;
    std::array::from_fn(|segment| {
        let (from, to) = (segment as f64 * width, (segment + 1) as f64 * width);
        let last = (to.ceil() as usize).min(series.len());
        let parts = series.iter().enumerate().take(last).skip(from as usize);
        let sum: f64 = parts
            .map(|(at, value)| {
                let part = (at as f64 + 1.0).min(to) - (at as f64).max(from);
                value * part.max(0.0)
            })
            .sum();
        sum / width
    })
}

/// The rise of a straight line through the levels from the first to the last.
fn slope(levels: &[f64; SEGMENTS]) -> f64 {
    let center = (SEGMENTS - 1) as f64 / 2.0;
    let place = |at: usize| at as f64 - center;
    let rise: f64 = levels.iter().enumerate().map(|(at, level)| place(at) * level).sum();
    let norm: f64 = (0..SEGMENTS).map(|at| place(at).powi(2)).sum();
    rise / norm * (SEGMENTS - 1) as f64
}

/// How far the group is from the medians of its series, at each time.
fn distances_from_median(group: &[Series]) -> Series {
    let mut squares = vec![0.0; group.first().map_or(0, Vec::len)];
    for series in group {
        let median = median(series);
        for (square, value) in squares.iter_mut().zip(series) {
            *square += (value - median).powi(2);
        }
    }
    squares.into_iter().map(f64::sqrt).collect()
}

/// The middle value; of an even count the mean of the two in the middle.
fn median(series: &[f64]) -> f64 {
    let mut sorted = series.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

/// How much a group moves between halves, quarters and eighths of the window, and within the eighths:
/// the energies of its Haar wavelets, as root mean squares.
fn paces(group: &[Series]) -> [f64; 4] {
    let mut squares = [0.0; 4];
    for series in group {
        let levels = segment_means(series);
        let quarters: [f64; 4] = std::array::from_fn(|at| mean(&levels[2 * at..2 * at + 2]));
        let halves: [f64; 2] = std::array::from_fn(|at| mean(&quarters[2 * at..2 * at + 2]));
        let whole = mean(&halves);
        squares[0] += mean_of(halves.iter().map(|half| (half - whole).powi(2)));
        let pairs = quarters.iter().enumerate();
        squares[1] += mean_of(pairs.map(|(at, quarter)| (quarter - halves[at / 2]).powi(2)));
        let pairs = levels.iter().enumerate();
        squares[2] += mean_of(pairs.map(|(at, level)| (level - quarters[at / 2]).powi(2)));
        let segment = |at: usize| at * SEGMENTS / series.len();
        let pairs = series.iter().enumerate();
        squares[3] += mean_of(pairs.map(|(at, value)| (value - levels[segment(at)]).powi(2)));
    }
    squares.map(f64::sqrt)
}

fn mean(numbers: &[f64]) -> f64 {
    mean_of(numbers.iter().copied())
}

fn mean_of(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len().max(1);
    numbers.sum::<f64>() / count as f64
}
