//! How long a job waits after a failure.

use super::Pacing;

/// The wait after the `attempt`-th attempt of a job failed, in milliseconds: the base, doubled with
/// each further attempt, at most the greatest; of that between a half and all, so that jobs that failed
/// together do not come back together. Decided by the job and the attempt alone.
pub fn backoff_millis(job_id: i64, attempt: u32, pacing: &Pacing) -> i64 {
    let doublings = attempt.saturating_sub(1).min(62);
    let full = pacing
        .backoff_base_millis
        .max(0)
        .saturating_mul(1 << doublings)
        .min(pacing.backoff_max_millis.max(0));
    let half = full / 2;
    let spread = (full - half).unsigned_abs().max(1);
    let jitter = mixed(job_id.unsigned_abs().wrapping_mul(0x1_0000_0001) ^ u64::from(attempt));
    half.saturating_add_unsigned(jitter % spread)
}

/// SplitMix64's output function (Steele, Lea and Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014).
const fn mixed(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
