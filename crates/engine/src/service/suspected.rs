//! A fault that a call met: whether the store is damaged.

use crate::Engine;
use robot_memory_db::{self as store, Locked};
use std::time::{Duration, Instant};

/// After a look at all rows that found nothing, how long none is asked for by an error.
const SUSPECTED_EACH: Duration = Duration::from_secs(600);

impl Engine {
    /// Follows a fault of a call: damage is noted. Answers whether it is repaired already, so that the call
    /// can be tried again. That is done at once when only rows are bad, in a store that is small.
    pub(super) fn follow_fault(&self, fault: &store::Error) -> bool {
        if self.store.is_reading_only() {
            return false;
        }
        if matches!(fault, store::Error::Corrupt(_)) {
            self.store.note_damage();
            return false;
        }
        if !fault.is_of_row() {
            return false;
        }
        if self.noted.found_nothing.locked().is_some_and(|at| at.elapsed() < SUSPECTED_EACH) {
            return false;
        }
        let is_known = self.store.is_damaged();
        match if is_known { Ok(true) } else { self.store.has_bad_row() } {
            Ok(true) => {}
            Ok(false) => {
                *self.noted.found_nothing.locked() = Some(Instant::now());
                return false;
            }
            Err(error) => {
                log::debug!("the rows could not be looked at: {error}");
                return false;
            }
        }
        if self.store.bytes() > super::recovery::REPAIRED_AT_ONCE_BYTES_MAX {
            return false;
        }
        match self.recover_store() {
            Ok(_) => true,
            Err(error) => {
                log::warn!("the store is repaired later: {error}");
                false
            }
        }
    }
}
