//! Times of what is measured, and what to say of them.

use crate::Result;
use rustix::time::{ClockId, clock_gettime};
use std::time::Instant;

/// Untimed runs before the timed ones at most, else a tenth of these: caches fill, columns and trees
/// are built.
const WARM_UP_MAX: usize = 20;

/// How long one thing took, time after time, in milliseconds.
#[derive(Default)]
pub struct Timings {
    wall_ms: Vec<f64>,
    cpu_ms: Vec<f64>,
}

impl Timings {
    /// Runs something `rounds` times after a warm-up; it is told how many runs came before.
    pub fn of(rounds: usize, run: impl FnMut(usize) -> Result<()>) -> Result<Self> {
        Self::by(ClockId::ThreadCPUTime, rounds, run)
    }

    /// The same where nothing else runs: the processor's time is that of all threads which take part.
    pub fn alone(rounds: usize, run: impl FnMut(usize) -> Result<()>) -> Result<Self> {
        Self::by(ClockId::ProcessCPUTime, rounds, run)
    }

    fn by(clock: ClockId, rounds: usize, mut run: impl FnMut(usize) -> Result<()>) -> Result<Self> {
        let mut timings = Self::default();
        let warm_up = rounds.div_ceil(10).min(WARM_UP_MAX);
        for round in 0..warm_up {
            run(round)?;
        }
        for round in warm_up..warm_up + rounds {
            timings.time_by(clock, || run(round))?;
        }
        Ok(timings)
    }

    /// Runs something and adds its time, the processor's being that of this thread.
    pub fn time<T>(&mut self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        self.time_by(ClockId::ThreadCPUTime, run)
    }

    fn time_by<T>(&mut self, clock: ClockId, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let stopwatch = Stopwatch::by(clock);
        let outcome = run()?;
        self.push(stopwatch.read());
        Ok(outcome)
    }

    /// Adds a time.
    pub fn push(&mut self, elapsed: Elapsed) {
        self.wall_ms.push(elapsed.wall_ms);
        self.cpu_ms.push(elapsed.cpu_ms);
    }

    /// Of the clock on the wall: see [`quantile`].
    pub fn wall_ms(&self, share: f64) -> f64 {
        quantile(&self.wall_ms, share)
    }

    /// Of the processor: see [`quantile`].
    pub fn cpu_ms(&self, share: f64) -> f64 {
        quantile(&self.cpu_ms, share)
    }
}

/// The smallest value that at least this share (0 to 1) of the values do not exceed: the nearest
/// rank, which is a value that was measured and no mean of two. NaN when there is none.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// Takes the time of something.
pub struct Stopwatch {
    wall: Instant,
    clock: ClockId,
    cpu_ms: f64,
}

/// How long something took.
#[derive(Clone, Copy)]
pub struct Elapsed {
    /// By the clock on the wall, in milliseconds.
    pub wall_ms: f64,
    /// On a processor, in milliseconds.
    pub cpu_ms: f64,
}

impl Stopwatch {
    /// From now on; the processor's time is that of this thread.
    pub fn start() -> Self {
        Self::by(ClockId::ThreadCPUTime)
    }

    fn by(clock: ClockId) -> Self {
        Self { clock, cpu_ms: cpu_ms(clock), wall: Instant::now() }
    }

    /// Until now.
    pub fn read(&self) -> Elapsed {
        let wall_ms = self.wall.elapsed().as_secs_f64() * 1e3;
        Elapsed { wall_ms, cpu_ms: cpu_ms(self.clock) - self.cpu_ms }
    }
}

fn cpu_ms(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}
