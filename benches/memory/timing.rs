//! Wall times, and what to say of them.

use crate::Result;
use std::time::Instant;

/// Untimed runs before the timed ones: caches fill, columns and trees are built.
pub const WARM_UP: usize = 20;

/// How long one thing took, time after time, in milliseconds.
#[derive(Default)]
pub struct Timings(Vec<f64>);

impl Timings {
    /// Runs something `rounds` times after a warm-up; it is told how many runs came before.
    pub fn of(rounds: usize, mut run: impl FnMut(usize) -> Result<()>) -> Result<Self> {
        let mut timings = Self::default();
        for round in 0..WARM_UP + rounds {
            let started = Instant::now();
            run(round)?;
            if round >= WARM_UP {
                timings.push(millis_since(started));
            }
        }
        Ok(timings)
    }

    /// Adds a time.
    pub fn push(&mut self, millis: f64) {
        self.0.push(millis);
    }

    /// The smallest time that at least this share (0 to 1) of the times do not exceed: the nearest
    /// rank, which is a time that was measured and no mean of two. NaN when there is none.
    pub fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    }

    /// Prints a row of the table.
    pub fn print(&self, what: &str, how: &str) {
        let (p50, p99) = (self.quantile(0.5), self.quantile(0.99));
        println!("| {what} | {p50:.2} | {p99:.2} | ms | {how} |");
    }
}

/// Milliseconds since then.
pub fn millis_since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}
