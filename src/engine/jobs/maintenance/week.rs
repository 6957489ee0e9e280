//! What happened in a week becomes one summary.

use super::ScopeWork;
use crate::engine::jobs::{Fault, JobRun};

impl JobRun<'_> {
    /// Tells of the weeks of the scope that have ended.
    pub(super) fn week_step(&self, work: &mut ScopeWork) -> std::result::Result<(), Fault> {
        let _ = (self.engine, work);
        Ok(())
    }
}
