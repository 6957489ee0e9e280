//! Who wants to hear of each memory as it comes.

use super::visibility::hide_unseen;
use crate::db::Subscription;
use crate::{Operations, Result};
use robot_memory_core::api::ApiError;
use robot_memory_core::model::Memory;
use robot_memory_db::EventOrigin;
use std::time::Duration;

/// The memories that are stored from now on and that topics show, each once, in order of id.
///
/// Only as many wait as there is room for; one more is left out and counted, and no writer ever
/// waits for who listens.
pub struct NewMemories {
    ids: Subscription<i64>,
}

/// A memory that was just stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    /// The row, without its data and metadata.
    pub memory: Memory,
    /// Of which activity it is, when a stream made it.
    pub origin: Option<EventOrigin>,
}

impl NewMemories {
    /// Waits for new memories and answers those that are there, at most 64; none after the timeout.
    /// One that is gone already is left out.
    pub fn next(&self, engine: &Operations, timeout: Duration) -> Result<Vec<NewMemory>, ApiError> {
        let ids = self.ids.next(timeout);
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let shown = engine.access.policy.topics();
        let read: Result<Vec<NewMemory>> = engine.store.read(|tx| {
            let mut memories = Vec::with_capacity(ids.len());
            for id in &ids {
                let memory = tx.memory(*id, false)?;
                // It may have been changed meanwhile.
                if let Some(mut memory) = memory.filter(|it| shown.sees(&it.scope, it.mem_type)) {
                    hide_unseen(tx, &mut memory, &shown)?;
                    memories.push(NewMemory { memory, origin: tx.event_origin(*id)? });
                }
            }
            Ok(memories)
        });
        read.map_err(|error| {
            self.ids.drop_taken(ids.len());
            error.into()
        })
    }

    /// How many were left out, for lack of room or because they could not be read.
    pub fn dropped(&self) -> u64 {
        self.ids.dropped()
    }
}

impl Operations {
    /// Listens to what is stored from now on; `waiting_max` memories may wait to be taken.
    pub fn new_memories(&self, waiting_max: usize) -> NewMemories {
        NewMemories { ids: self.listeners.add(waiting_max) }
    }
}
