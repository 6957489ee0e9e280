//! Small statistics that a few wild values do not spoil.

/// Standard deviations in a median absolute deviation, of a normal distribution.
pub(super) const DEVIATIONS_PER_MEDIAN: f64 = 1.4826;

/// The value that a part of all values lie below; reorders them. 0 of none.
pub(super) fn quantile(values: &mut [f64], part: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let at = ((values.len() - 1) as f64 * part) as usize;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

/// The middle one of the values, the lower of two; reorders them. 0 of none.
pub(super) fn median(values: &mut [f64]) -> f64 {
    quantile(values, 0.5)
}

/// Weight of a reading `secs` after the one before, in a mean that forgets with a time constant.
pub(super) fn weight(secs: f64, constant_secs: f64) -> f64 {
    -(-secs / constant_secs).exp_m1()
}

/// By how much a deviation that was estimated from `count` readings may be too small.
pub(super) fn allowance(count: f64) -> f64 {
    1.0 + 3.0 / count.max(1.0)
}
