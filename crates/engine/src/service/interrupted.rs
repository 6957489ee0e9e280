//! Attempts that the end of the node left open.

use crate::db::Outcome;
use crate::{Engine, Result};

/// Attempts that are read at once.
const BATCH: u32 = 100;

impl Engine {
    /// Writes into attempts that an earlier run left open that they were interrupted. They stay open: who
    /// outlived the node may still say how they ended.
    pub(super) fn mark_interrupted_attempts(&self) -> Result<()> {
        loop {
            let ids = self.store.read(|tx| tx.interrupted_attempts(BATCH))?;
            let all_read = ids.len() < BATCH as usize;
            let mut count = 0;
            for id in ids {
                if self.interrupt_goal(id, "")? {
                    count += 1;
                } else {
                    // It was ended or forgotten meanwhile, and stays as it is.
                    self.write(|tx| Ok(Outcome::Changed(tx.mark_open_attempt(id)?)))?;
                }
            }
            if count > 0 {
                log::warn!("{count} attempts were interrupted by the end of an earlier run");
            }
            if all_read {
                return Ok(());
            }
        }
    }
}
