//! The engine's work that no caller waits for.

use super::lifecycle::{Lifecycle, State};
use super::stop::Stop;
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_engine::Engine;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Between two looks for work, when there was none.
const REST: Duration = Duration::from_secs(1);
/// After a fault, which the next look would most likely meet again.
const REST_AFTER_FAULT: Duration = Duration::from_secs(60);

/// Queues what is due by the clock, if the node is active, and does a little of what nobody waits for.
fn look_after(engine: &Engine, is_active: bool) -> Result<bool, ApiError> {
    // What is due is queued also where something else cannot be done.
    let has_more = engine.upkeep();
    let scheduled = if is_active { engine.schedule() } else { Ok(()) };
    let has_more = has_more?;
    scheduled?;
    Ok(has_more)
}

/// Does the upkeep until it is time to stop.
pub(super) fn run(engine: &Engine, lifecycle: &Lifecycle, stop: &Stop) {
    let mut logged = None;
    loop {
        let is_active = lifecycle.state() == State::Active;
        let rest = match catch_unwind(AssertUnwindSafe(|| look_after(engine, is_active))) {
            Ok(Ok(has_more)) => {
                logged = None;
                if has_more { Duration::ZERO } else { REST }
            }
            Ok(Err(error)) => {
                // A trouble that lasts is told once, not every second.
                if error.kind == ErrorKind::Unavailable {
                    log::debug!("upkeep: {error}");
                } else if logged.as_ref() != Some(&error) {
                    log::warn!("upkeep: {error}");
                    logged = Some(error);
                }
                REST
            }
            Err(_logged_by_the_panic_hook) => REST_AFTER_FAULT,
        };
        if stop.wait(rest) {
            return;
        }
    }
}
