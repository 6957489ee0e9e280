//! Attempts that the end of the node left open.

use crate::db::Outcome;
use crate::{Engine, Result};
use robot_memory_core::model::Status;

/// Attempts that are read at once.
const BATCH: u32 = 100;

impl Engine {
    /// Writes into attempts that an earlier run left open that they were interrupted. They stay open: who
    /// outlived the node may still say how they ended.
    pub(super) fn mark_interrupted_attempts(&self) -> Result<()> {
        loop {
            let ids = self.store.read(|tx| tx.interrupted_attempts(BATCH))?;
            let count = ids.len() as u32;
            for id in ids {
                let memory = self.store.read(|tx| tx.memory(id, false))?;
                // What was forgotten meanwhile stays as it is.
                let active = memory.filter(|it| it.status == Status::Active);
                let checked = active.map(|memory| self.interrupted(&memory, "")).transpose()?;
                self.write(|tx| {
                    if let Some(checked) = checked {
                        self.store_update(tx, checked.keeping_class())?;
                    }
                    tx.mark_open_attempt(id)?;
                    Ok(Outcome::Changed(()))
                })?;
            }
            if count > 0 {
                log::warn!("{count} attempts were interrupted by the end of an earlier run");
            }
            if count < BATCH {
                return Ok(());
            }
        }
    }
}
