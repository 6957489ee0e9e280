//! The table `event`.

mod retention;

pub use retention::{EventTotals, EventWorth, KeptClip};

use super::{ReadTx, Result, WriteTx};
use robot_memory_core::model::Stamp;
use rusqlite::{OptionalExtension, params};

/// What is kept of a happening beside its memory.
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

/// Of which happening a memory is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventOrigin {
    /// The stream's name.
    pub stream: String,
    /// The spelling of the trigger's kind.
    pub trigger: String,
    /// Shared by what happened at the same time.
    pub event_id: String,
}

impl ReadTx<'_> {
    /// Of which happening a memory is; `None` when it is of none.
    pub fn event_origin(&self, memory_id: i64) -> Result<Option<EventOrigin>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT stream, trigger_kind, event_id FROM event WHERE memory_id = ?1",
        )?;
        let origin = statement.query_row([memory_id], |row| {
            Ok(EventOrigin { stream: row.get(0)?, trigger: row.get(1)?, event_id: row.get(2)? })
        });
        Ok(origin.optional()?)
    }

    /// Whether any memory is of a happening.
    pub fn has_events(&self) -> Result<bool> {
        let mut statement =
            self.connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM event)")?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }

    /// The memory of the happening with this key.
    pub fn event_memory(&self, key: &str) -> Result<Option<i64>> {
        let mut statement =
            self.connection.prepare_cached("SELECT memory_id FROM event WHERE event_key = ?1")?;
        Ok(statement.query_row([key], |row| row.get(0)).optional()?)
    }
}

impl WriteTx<'_> {
    /// Stores of which happening a memory is. Its key must be unknown so far.
    pub fn insert_event(&self, event: &EventDraft<'_>) -> Result<()> {
        let (clip, clip_bytes) = event.clip.unwrap_or_default();
        self.connection
            .prepare_cached(
                "INSERT INTO event (memory_id, event_key, event_id, stream, trigger_kind, \
                 began_at, ended_at, data_bytes, clip, clip_bytes) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                event.memory_id,
                event.key,
                event.event_id,
                event.stream,
                event.trigger,
                event.began_at.0,
                event.ended_at.0,
                i64::try_from(event.data_bytes).unwrap_or(i64::MAX),
                clip,
                i64::try_from(clip_bytes).unwrap_or(i64::MAX),
            ])?;
        Ok(())
    }
}
