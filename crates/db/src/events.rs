//! The table `event`.

mod retention;

pub use retention::{EventTotals, EventWorth, KeptClip};

use super::column::record;
use super::{ReadTx, Result, WriteTx};
use crate::statement::{insert, statements, whole};
use robot_memory_core::model::Stamp;

/// What is kept of an activity beside its memory.
#[derive(Debug, Clone)]
pub struct EventDraft<'a> {
    pub memory_id: i64,
    pub key: &'a str,
    pub event_id: &'a str,
    pub stream: &'a str,
    pub trigger: &'a str,
    pub began_at: Stamp,
    pub ended_at: Stamp,
    pub data_bytes: u64,
    /// File in the folder of clips and its size.
    pub clip: Option<(&'a str, u64)>,
}

record! {
    /// Of which activity a memory is.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EventOrigin, select_origin {
        pub stream: String = "stream",
        /// The spelling of the trigger's kind.
        pub trigger: String = "trigger_kind",
        /// Shared by what happened at the same time.
        pub event_id: String = "event_id",
    }
}

impl ReadTx<'_> {
    statements! {
        /// Of which activity a memory is; `None` when it is of none.
        pub fn event_origin(memory_id: i64) -> row<EventOrigin> =
            select_origin!("FROM event WHERE memory_id = ?1");

        /// When the activity began, in nanoseconds, whose memory was stored last.
        pub fn last_stored_event() -> value<i64> =
            "SELECT began_at FROM event ORDER BY memory_id DESC LIMIT 1";

        /// The memory of the activity with this key.
        pub fn event_memory(key: &str) -> value<i64> =
            "SELECT memory_id FROM event WHERE event_key = ?1";
    }
}

impl WriteTx<'_> {
    /// Stores of which activity a memory is. Its key must be unknown so far.
    pub fn insert_event(&self, event: &EventDraft<'_>) -> Result<()> {
        let (clip, clip_bytes) = event.clip.unwrap_or_default();
        insert!(
            self,
            "event",
            memory_id = event.memory_id,
            event_key = event.key,
            event_id = event.event_id,
            stream = event.stream,
            trigger_kind = event.trigger,
            began_at = event.began_at.0,
            ended_at = event.ended_at.0,
            data_bytes = whole(event.data_bytes),
            clip = clip,
            clip_bytes = whole(clip_bytes)
        )
    }
}
