//! Belief fades with the days, and what is no longer worth keeping goes into the cold layer.

use super::{Done, ScopeWork};
use crate::engine::fade::fade;
use crate::engine::jobs::{Fault, JobRun};
use serde_json::json;

/// Rows whose belief fades in one step.
const FADED_PER_STEP: usize = 512;

impl JobRun<'_> {
    /// Lets the belief in the rows of a scope fade.
    pub(super) fn fade_step(&self, work: &mut ScopeWork) -> std::result::Result<(), Fault> {
        let (scope, now) = (work.scope.clone(), work.now);
        let mut after = work.cursor().as_i64().unwrap_or(0);
        loop {
            let (ids, total) = self.engine.rows_of_scope(&scope, after, FADED_PER_STEP)?;
            let Some(&last) = ids.last() else { return Ok(()) };
            self.commit_part(work, total as u64, |tx, changes, part| {
                for &id in &ids {
                    if let Some(row) = tx.decay_row(id)?
                        && row.scope == scope
                    {
                        part.count("faded", u64::from(fade(tx, changes, &row, now)?));
                    }
                }
                Ok(Done { cursor: json!(last), done: part.counted("faded") })
            })?;
            after = last;
        }
    }
}
