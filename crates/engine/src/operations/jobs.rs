//! Jobs as operations see them: queued in the transaction of what causes them, shown and stopped. Who does
//! them is above.

mod access;
mod compaction;
mod payload;
mod queue;
mod shown;
mod waits;

pub use shown::OnTopic;

pub(crate) use access::JobVisibility;
pub(crate) use compaction::{Choice, choose_among};
pub(crate) use payload::MaintenancePayload;
pub(crate) use waits::waits_for;

/// A job in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Enqueued {
    pub job_id: i64,
    /// Whether it was queued now; else one with the same key was there.
    pub created: bool,
}
