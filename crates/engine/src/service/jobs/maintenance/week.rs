//! What happened in a week becomes one summary.

use super::{Done, ScopeWork};
use crate::service::jobs::{Fault, JobRun};
use serde_json::Value;

impl JobRun<'_> {
    /// Tells of the weeks of the scope that have ended, and again of those of which something came later.
    pub(super) fn week_step(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        let (engine, now) = (self.engine, work.now);
        // What was told before a restart is found told.
        let due = engine.due_weeks(&work.scope, now)?;
        for (done, week) in (1..).zip(&due) {
            let summary = engine.summarize_week(week)?;
            self.commit_part(work, due.len() as u64, |tx, part| {
                if let Some(summary) = summary {
                    match engine.put_week(tx, week, summary, now)? {
                        Some((id, true)) => part.find("told", &[id], "the week has ended"),
                        Some((id, false)) => part.find("renewed", &[id], "more came later"),
                        None => part.count("left_out", 1),
                    }
                }
                part.step().judged_by = "rules".into();
                Ok(Done { cursor: Value::Null, done })
            })?;
        }
        Ok(())
    }
}
