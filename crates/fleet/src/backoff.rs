//! How long to wait before the next try.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// Before the second try.
const FIRST: Duration = Duration::from_millis(100);
/// Between two tries at a server, and at what costs it or the memory more than a look.
pub(crate) const SERVER_LONGEST: Duration = Duration::from_secs(2);
/// Between two tries at a stream: while the hub is away the leaf answers them. A robot that comes back is behind by
/// no more than this.
pub(crate) const STREAM_LONGEST: Duration = Duration::from_millis(500);

/// Doubles with each failure, up to a bound. A part of it is random, so that a fleet whose hub comes back does not
/// come all at once.
#[derive(Debug)]
pub(crate) struct Backoff {
    failures: u32,
    longest: Duration,
}

impl Backoff {
    pub(crate) fn up_to(longest: Duration) -> Self {
        Self { failures: 0, longest }
    }

    /// The next failure comes after a success.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }

    /// Waits, after a failure.
    pub(crate) async fn wait(&mut self) {
        let delay = self.next(RandomState::new().build_hasher().finish());
        tokio::time::sleep(delay).await;
    }

    fn next(&mut self, random: u64) -> Duration {
        let whole = FIRST.saturating_mul(1 << self.failures.min(16)).min(self.longest);
        self.failures = self.failures.saturating_add(1);
        // Between half of it and the whole.
        let half = whole / 2;
        half + half
            .mul_f64(f64::from(u32::try_from(random >> 32).unwrap_or(0)) / f64::from(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_to_a_bound_and_begins_again() {
        let mut backoff = Backoff::up_to(SERVER_LONGEST);
        let longest: Vec<u128> = (0..8).map(|_| backoff.next(u64::MAX).as_millis()).collect();
        assert_eq!(longest, [100, 200, 400, 800, 1600, 2000, 2000, 2000]);
        backoff.failures = u32::MAX;
        assert_eq!(backoff.next(0), SERVER_LONGEST / 2);
        backoff.reset();
        assert_eq!(backoff.next(0), FIRST / 2);
    }
}
