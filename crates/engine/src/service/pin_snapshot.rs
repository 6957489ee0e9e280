//! An engine that only reads, held to one state of the store.

use crate::{Engine, Error};
use robot_memory_core::api::ApiError;

impl Engine {
    /// Holds an engine that only reads to the store as it is now, and builds the indexes of words
    /// and vectors for that state: recall is then as fast as the engine's that writes the store.
    /// What is written later is not seen any more.
    ///
    /// Until the engine is dropped, the store's log cannot be emptied by its writer.
    ///
    /// # Errors
    /// When the engine writes, or the store cannot be read.
    pub fn pin_snapshot(&self) -> Result<(), ApiError> {
        self.store.pin_snapshot().map_err(Error::from)?;
        // Brings the facts of the rows to that state.
        self.view(|_, _| Ok(()))?;
        Ok(self.build_missing()?)
    }
}
