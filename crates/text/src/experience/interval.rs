//! How far a share or a difference can be trusted, from how few it was counted.

/// The normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// A 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}

/// The 95 % score interval of a share, `count` of `total`:
/// `(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)` (E. B. Wilson, Journal of the American Statistical
/// Association 22, 1927). 0 to 1 when there are none.
pub fn wilson(count: u64, total: u64) -> Interval {
    wilson_at(Z, count, total)
}

/// [`wilson`] of counts that are weighed.
pub(super) fn wilson_of(count: f64, total: f64) -> Interval {
    if total <= 0.0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    score_interval(Z, count, total)
}

/// [`wilson`] at the normal quantile `z`.
fn wilson_at(z: f64, count: u64, total: u64) -> Interval {
    if total == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    score_interval(z, count.min(total) as f64, total as f64)
}

fn score_interval(z: f64, count: f64, n: f64) -> Interval {
    let p = count / n;
    let center = p + z * z / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    // Rounding must not leave what is exactly so.
    let low = if count == 0.0 { 0.0 } else { ((center - spread) / scale).max(0.0) };
    let high = if count >= n { 1.0 } else { ((center + spread) / scale).min(1.0) };
    Interval { low, high }
}

/// The bound of a difference of two shares that is nearer to 0, with 95 % confidence, of the sign of the
/// difference; 0 when it may be none. Each share is `(count, total)`. The square-and-add interval over
/// Wilson's (R. G. Newcombe, Statistics in Medicine 17, 1998, method 10).
pub fn newcombe_low(a: (u64, u64), b: (u64, u64)) -> f64 {
    newcombe_low_at(Z, a, b)
}

/// [`newcombe_low`] at the normal quantile `z`.
pub(super) fn newcombe_low_at(z: f64, a: (u64, u64), b: (u64, u64)) -> f64 {
    if a.1 == 0 || b.1 == 0 {
        return 0.0;
    }
    let (p, q) = (a.0 as f64 / a.1 as f64, b.0 as f64 / b.1 as f64);
    let (of_a, of_b) = (wilson_at(z, a.0, a.1), wilson_at(z, b.0, b.1));
    if p >= q {
        (p - q - (p - of_a.low).hypot(of_b.high - q)).max(0.0)
    } else {
        (p - q + (of_a.high - p).hypot(q - of_b.low)).min(0.0)
    }
}

/// Cliff's delta of two sorted samples: how much oftener a number of `a` is greater than one of `b` than it
/// is less, over all pairs, -1 to 1 (N. Cliff, Psychological Bulletin 114, 1993). 0 without pairs.
pub fn cliff_delta(a: &[f64], b: &[f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let (mut below, mut upto) = (0, 0);
    let mut balance = 0_i128;
    for x in a {
        while b.get(below).is_some_and(|y| y < x) {
            below += 1;
        }
        upto = upto.max(below);
        while b.get(upto).is_some_and(|y| y <= x) {
            upto += 1;
        }
        balance += below as i128 - (b.len() - upto) as i128;
    }
    balance as f64 / (a.len() as f64 * b.len() as f64)
}

/// The bound of Cliff's delta that is nearer to 0, with 95 % confidence, of its sign; 0 when it may be none.
/// From the score interval of θ = (δ + 1) / 2, the chance that one number is the greater:
/// `(θ̂ - θ)² = z² θ(1-θ) (1 + n'(1-θ)/(2-θ) + n'θ/(1+θ)) / (m n)` with `n' = (m + n)/2 - 1` (R. G. Newcombe,
/// Statistics in Medicine 25, 2006, method 5). It holds for samples of a few, and for those that are wholly
/// apart.
pub fn cliff_delta_low(delta: f64, a_count: usize, b_count: usize) -> f64 {
    if a_count == 0 || b_count == 0 || delta == 0.0 {
        return 0.0;
    }
    let (m, n) = (a_count as f64, b_count as f64);
    let half = f64::midpoint(m, n) - 1.0;
    let estimate = f64::midpoint(delta.abs(), 1.0);
    let is_inside = |theta: f64| {
        let spread = 1.0 + half * (1.0 - theta) / (2.0 - theta) + half * theta / (1.0 + theta);
        let variance = theta * (1.0 - theta) * spread / (m * n);
        (estimate - theta).powi(2) <= Z * Z * variance
    };
    if is_inside(0.5) {
        return 0.0;
    }
    // Outside below, inside above.
    let (mut low, mut high) = (0.5, estimate);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if is_inside(middle) { high = middle } else { low = middle }
    }
    (2.0 * low - 1.0).max(0.0).copysign(delta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn intervals_are_those_of_the_books() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 5e-4, "{a} is not {b}");
        // R. G. Newcombe 1998: 81 of 263 and 15 of 148 by Wilson; 56/70 - 48/80 by method 10.
        close(wilson(81, 263).low, 0.2553);
        close(wilson(81, 263).high, 0.3662);
        close(wilson(15, 148).low, 0.0624);
        close(wilson(0, 20).high, 0.1611);
        assert_eq!(wilson(0, 20).low, 0.0);
        assert_eq!(wilson(20, 20).high, 1.0);
        close(newcombe_low((56, 70), (48, 80)), 0.0524);
        close(newcombe_low((48, 80), (56, 70)), -0.0524);
        assert_eq!(newcombe_low((1, 1), (0, 1)), 0.0);
    }

    #[test]
    fn few_numbers_say_little() {
        assert_eq!(cliff_delta(&[1.0, 2.0], &[3.0, 4.0]), -1.0);
        assert_eq!(cliff_delta_low(-1.0, 2, 2), 0.0);
        assert!(cliff_delta_low(1.0, 14, 6) > 0.4);
        assert!(cliff_delta_low(1.0, 140, 60) > 0.9);
        assert!(cliff_delta_low(-0.9, 30, 30) < -0.6);
    }

    proptest! {
        #[test]
        fn the_delta_is_that_of_all_pairs(
            mut a in prop::collection::vec(-4i8..4, 0..12), mut b in prop::collection::vec(-4i8..4, 0..12),
        ) {
            a.sort_unstable();
            b.sort_unstable();
            let wide = |all: &[i8]| all.iter().map(|n| f64::from(*n)).collect::<Vec<_>>();
            let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x > y) as i32 - (x < y) as i32));
            let sum: i32 = pairs.sum();
            let count = (a.len() * b.len()).max(1) as f64;
            let delta = cliff_delta(&wide(&a), &wide(&b));
            prop_assert!((delta - f64::from(sum) / count).abs() < 1e-12);
            let low = cliff_delta_low(delta, a.len(), b.len());
            prop_assert!(low.abs() <= delta.abs() && low * delta >= 0.0);
        }
    }
}
