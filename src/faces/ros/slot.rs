//! What is there only in some states of the node.

use super::streams::Streams;
use crate::faces::engine_slot::Slot;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The streams of an active node that has any. Services are made once and before there are streams or an
/// engine, since r2r takes none of them away.
pub(super) type StreamsSlot = Slot<Streams>;

/// How often the spinning thread has gone round: a count that does not change tells that it hangs.
#[derive(Clone, Default)]
pub(super) struct Rounds(Arc<AtomicU64>);

impl Rounds {
    /// One more.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
