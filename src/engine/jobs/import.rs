//! Remembers what happened in a recorded bag. How a bag is heard is not the engine's: it is given.

use super::{Fault, Go, JobRun};
use crate::engine::Engine;
use crate::model::JobProgress;
use std::path::Path;

/// Remembers a bag.
pub trait Importer: Send + Sync {
    /// Remembers what happened in the bag at `path`, in this collection (empty: the default one), and
    /// says now and then how far it is; it must end soon when that is answered with anything but
    /// [`Go::On`]. What was remembered before must not be remembered twice. Answers a report, a JSON
    /// object.
    ///
    /// # Errors
    /// Why it could not be done; the text names no content.
    fn import(
        &self,
        engine: &Engine,
        path: &Path,
        collection: &str,
        told: &mut dyn FnMut(&JobProgress) -> Go,
    ) -> Result<serde_json::Value, String>;
}

impl JobRun<'_> {
    pub(super) fn import(&self) -> Result<(), Fault> {
        Err(Fault::Fatal("not there yet".into()))
    }
}
