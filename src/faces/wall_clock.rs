use robot_memory_core::model::{Clock, Stamp};
use std::time::{SystemTime, UNIX_EPOCH};

/// The computer's clock.
pub struct WallClock;

impl Clock for WallClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> Option<Stamp> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_nanos()).ok().map(Stamp)
    }
}
