//! Who sees a job, and who may order work on a scope.
//!
//! A job holds no text of a memory. Whoever may read anything of its scope sees it; so does who may
//! see the episode to which its scope belongs, but not which memories it is about. Whoever sees the
//! jobs of a scope, and may write anything there or see its episode, may order work on it, and have
//! its jobs tried again or cancelled. What is about the whole store is for those who read all of it,
//! and those who also write all of it order it.

use crate::operations::visibility::forbidden;
use crate::{Operations, Result};
use robot_memory_core::access::{SessionsAccess, Visibility};
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_core::model::{Job, JobScope, Scope, SearchScope};
use robot_memory_db::ReadTx;

/// How much a caller sees of the jobs of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobVisibility {
    /// That there are none.
    Nothing,
    /// All but what names memories.
    Outline,
    /// All of them.
    Whole,
}

impl JobVisibility {
    /// Takes out what is not seen; `None`: the whole job.
    pub fn of(self, mut job: Job) -> Option<Job> {
        match self {
            Self::Nothing => return None,
            Self::Outline => {
                job.payload.clear();
                job.result.clear();
            }
            Self::Whole => {}
        }
        Some(job)
    }
}

impl Operations {
    /// How much a caller, whose full visibility this is, sees of the jobs of a scope.
    pub(crate) fn job_visibility(
        &self,
        tx: &ReadTx<'_>,
        agent: &str,
        visibility: &Visibility,
        scope: &JobScope,
    ) -> Result<JobVisibility> {
        if matches!(visibility, Visibility::Everything) {
            return Ok(JobVisibility::Whole);
        }
        let JobScope::Of(scope) = scope else { return Ok(JobVisibility::Nothing) };
        if !visibility.of(scope).is_empty() {
            return Ok(JobVisibility::Whole);
        }
        let sees_episode = self.sees_episode_of(tx, agent, scope)?;
        Ok(if sees_episode { JobVisibility::Outline } else { JobVisibility::Nothing })
    }

    /// Refuses a caller that may not order work on a scope. What it may not see is refused in the same
    /// words, whether it is there or not.
    pub(crate) fn check_job_order(
        &self,
        tx: &ReadTx<'_>,
        agent: &str,
        scope: &JobScope,
    ) -> Result<()> {
        if agent.is_empty() {
            return Ok(());
        }
        let JobScope::Of(scope) = scope else {
            if self.access.policy.is_unbounded(agent) {
                return Ok(());
            }
            let message =
                "agent: only who may read and write everything orders work on the whole store";
            let message = message.to_owned();
            return Err(ApiError { kind: ErrorKind::Forbidden, message }.into());
        };
        if self.sees_episode_of(tx, agent, scope)? {
            return Ok(());
        }
        self.visibility(agent, &SearchScope::In(scope.clone()))?;
        Ok(self.access.policy.check_write_some(agent, scope).map_err(forbidden)?)
    }

    /// Whether a scope is that of an episode, or of an attempt in one, that a caller may see.
    fn sees_episode_of(&self, tx: &ReadTx<'_>, agent: &str, scope: &Scope) -> Result<bool> {
        let (Scope::Session(session) | Scope::Branch { session, .. }) = scope else {
            return Ok(false);
        };
        let access = self.access.policy.sessions(agent);
        if access == SessionsAccess::None {
            return Ok(false);
        }
        let begun_by = tx.session_agent(session)?;
        Ok(begun_by.is_some_and(|begun_by| access == SessionsAccess::All || begun_by == agent))
    }
}
