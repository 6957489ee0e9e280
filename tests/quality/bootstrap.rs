//! Whether a difference is more than chance.

/// Resamples drawn.
const RESAMPLES: usize = 4_000;

/// Between which values the mean of differences lies in 95 of 100 samples drawn from them with
/// replacement (Efron 1979, "Bootstrap Methods: Another Look at the Jackknife"). The same for the
/// same differences.
pub fn interval(differences: &[f64]) -> (f64, f64) {
    let mut state = 0;
    let mut draw = || differences[(split_mix(&mut state) % differences.len() as u64) as usize];
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| differences.iter().map(|_| draw()).sum::<f64>() / differences.len() as f64)
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    (means[RESAMPLES / 40], means[RESAMPLES - RESAMPLES / 40 - 1])
}

/// The next of Steele, Lea and Flood's 2014 SplitMix64.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn the_interval_holds_the_mean_and_narrows_with_the_square_root() {
    let differences = |count: i32| -> Vec<f64> {
        (0..count).map(|index| if index % 2 == 0 { 1.5 } else { -0.5 }).collect()
    };
    // Standard deviation 1, so 1.96 / sqrt(count) to either side of 0.5.
    for count in [100, 400] {
        let (least, most) = interval(&differences(count));
        let half = 1.96 / f64::from(count).sqrt();
        assert!((least - (0.5 - half)).abs() < 0.02, "{least}");
        assert!((most - (0.5 + half)).abs() < 0.02, "{most}");
    }
}
