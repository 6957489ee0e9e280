//! Pairs that are much alike are judged: the same, apart, or in conflict.

use super::ScopeWork;
use crate::engine::jobs::{Fault, JobRun};

impl JobRun<'_> {
    /// Judges pairs of the scope that are much alike.
    pub(super) fn judge_step(&self, work: &mut ScopeWork) -> std::result::Result<(), Fault> {
        let _ = (self.engine, work);
        Ok(())
    }
}
