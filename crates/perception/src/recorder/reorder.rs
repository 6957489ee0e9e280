//! Messages wait here until those that are older can no longer come.

use super::Received;
use robot_memory_core::model::Stamp;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What one waiting message takes beside its bytes.
const ENTRY_BYTES: usize = 96;

/// A message that waits, in the order in which it will be worked on.
#[derive(Debug)]
struct PendingMessage {
    stamp: Stamp,
    source: usize,
    arrival: u64,
    received: Received,
}

impl PendingMessage {
    fn key(&self) -> (Stamp, usize, u64) {
        (self.stamp, self.source, self.arrival)
    }
}

impl PartialEq for PendingMessage {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for PendingMessage {}

impl PartialOrd for PendingMessage {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PendingMessage {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// The messages that wait, first the oldest stamp, then the source, then as they came.
#[derive(Debug, Default)]
pub(super) struct Reorder {
    waiting: BinaryHeap<Reverse<PendingMessage>>,
    bytes: usize,
    arrivals: u64,
}

impl Reorder {
    /// Lets a message wait.
    pub fn push(&mut self, stamp: Stamp, source: usize, received: Received) {
        self.bytes += received.message.len() + ENTRY_BYTES;
        self.arrivals += 1;
        let arrival = self.arrivals;
        self.waiting.push(Reverse(PendingMessage { stamp, source, arrival, received }));
    }

    /// Bytes that wait.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the first message, if its stamp is not later than `last`.
    pub fn pop(&mut self, last: Stamp) -> Option<(Stamp, Received)> {
        if self.waiting.peek()?.0.stamp > last {
            return None;
        }
        let Reverse(PendingMessage { stamp, received, .. }) = self.waiting.pop()?;
        self.bytes -= received.message.len() + ENTRY_BYTES;
        Some((stamp, received))
    }
}
