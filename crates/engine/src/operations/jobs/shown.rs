//! What of jobs is shown to those who follow them without asking for each.

use super::waits_for;
use crate::{Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{ApiError, ShownJob};
use robot_memory_core::model::{JobChange, JobScope};

/// What everybody on the network can hear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnTopic<T> {
    /// What is told, but for the scope that it has.
    pub content: T,
    /// Whether it is told which one of its kind the scope is; for its id may be that of a session, which is
    /// nobody else's.
    pub names_scope: bool,
}

impl Operations {
    /// A job as it is now, for who had it queued.
    ///
    /// # Errors
    /// `not_found` when there is none, or no more.
    pub fn job(&self, job_id: i64) -> Result<ShownJob, ApiError> {
        let now = self.machine_now();
        let shown: Result<ShownJob> = self.store.read(|tx| {
            let job = tx
                .job(job_id)?
                .ok_or_else(|| ApiError::not_found(format!("job_id: there is no job {job_id}")))?;
            let waits_for = waits_for(tx, &job, &self.config.jobs, now)?;
            Ok(ShownJob { job, waits_for })
        });
        Ok(shown?)
    }

    /// A change of a job as topics show it: whose it is, what it is told and what came of it only when the
    /// policy lets topics read something of its scope.
    pub fn change_on_topics(&self, mut change: JobChange) -> OnTopic<JobChange> {
        let names_scope = self.shows_on_topics(&change.job.scope);
        if !names_scope {
            change.job.turn_id.clear();
            change.job.agent.clear();
            change.job.payload.clear();
            change.job.result.clear();
        }
        OnTopic { content: change, names_scope }
    }

    /// Whether topics tell what is done in a scope.
    pub(crate) fn shows_on_topics(&self, scope: &JobScope) -> bool {
        let shown = self.access.policy.topics();
        match scope {
            JobScope::Of(scope) => !shown.of(scope).is_empty(),
            JobScope::All => matches!(shown, Visibility::Everything),
        }
    }
}
