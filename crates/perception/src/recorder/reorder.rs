//! Messages wait here until those that are older can no longer come.

use super::Received;
use robot_memory_core::model::Stamp;
use std::collections::BTreeMap;

/// What one waiting message takes beside its bytes.
const ENTRY_BYTES: usize = 96;

/// The messages that wait, first the oldest stamp, then the source, then as they came.
#[derive(Debug, Default)]
pub(super) struct Reorder {
    waiting: BTreeMap<(Stamp, usize, u64), Received>,
    bytes: usize,
    arrivals: u64,
}

impl Reorder {
    /// Lets a message wait.
    pub fn push(&mut self, stamp: Stamp, source: usize, received: Received) {
        self.bytes += received.message.len() + ENTRY_BYTES;
        self.arrivals += 1;
        self.waiting.insert((stamp, source, self.arrivals), received);
    }

    /// Bytes that wait.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the first message, if its stamp is not later than `last`.
    pub fn pop(&mut self, last: Stamp) -> Option<(Stamp, Received)> {
        let first = self.waiting.first_entry().filter(|first| first.key().0 <= last)?;
        let ((stamp, ..), received) = first.remove_entry();
        self.bytes -= received.message.len() + ENTRY_BYTES;
        Some((stamp, received))
    }
}
