//! What was done many times becomes knowledge: how often it went well, and with what.

use super::ScopeWork;
use crate::engine::jobs::{Fault, JobRun};

impl JobRun<'_> {
    /// Makes knowledge of the task logs of the scope.
    pub(super) fn learn_step(&self, work: &mut ScopeWork) -> std::result::Result<(), Fault> {
        let _ = (self.engine, work);
        Ok(())
    }
}
