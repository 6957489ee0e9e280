//! The actions: work on a job that the caller waits for.

use super::job::job;
use super::{failure, text};
use crate::faces::paths::Folders;
use r2r::robot_memory::{action, msg};
use r2r::{WrappedActionTypeSupport, WrappedServiceTypeSupport};
use robot_memory_core::api::{
    ApiError, ErrorKind, Import, ImportRequest, Operation, QueuedResponse, RebuildScope,
    RebuildScopeRequest, RunMaintenance, RunMaintenanceRequest, ShownJob,
};
use robot_memory_core::model::{JobProgress, JobStatus};

/// An operation that queues a job, as a ROS 2 action.
pub(in crate::faces::ros) trait ActionWire: 'static {
    /// What is asked of the engine.
    type Op: Operation<Request: Send, Response = QueuedResponse>;
    /// The action's type.
    type Action: WrappedActionTypeSupport<
            Goal: Send,
            Result: Clone + Send,
            Feedback: Send,
            FeedbackMessage: 'static,
            SendGoal: WrappedServiceTypeSupport<Request: Send, Response: Send> + 'static,
            GetResult: WrappedServiceTypeSupport<Request: Send, Response: Send> + 'static,
        > + 'static;
    /// Its name in the node's private namespace.
    const NAME: &'static str;

    /// From a goal to the engine's request.
    fn decode(goal: Goal<Self>) -> <Self::Op as Operation>::Request;

    /// From parts to a result.
    fn result(parts: ResultParts) -> ActionResult<Self>;

    /// From parts to feedback.
    fn feedback(job_id: i64, progress: JobProgress) -> Feedback<Self>;
}

/// An action's goal.
pub(in crate::faces::ros) type Goal<W> =
    <<W as ActionWire>::Action as WrappedActionTypeSupport>::Goal;
/// An action's result.
pub(in crate::faces::ros) type ActionResult<W> =
    <<W as ActionWire>::Action as WrappedActionTypeSupport>::Result;
/// An action's feedback.
pub(in crate::faces::ros) type Feedback<W> =
    <<W as ActionWire>::Action as WrappedActionTypeSupport>::Feedback;

/// The result that all actions have.
#[derive(Debug, Clone, Default)]
pub(in crate::faces::ros) struct ResultParts {
    success: bool,
    error_code: String,
    error: String,
    job: msg::Job,
}

impl ResultParts {
    /// What became of a job that has ended, or is left.
    pub fn of(shown: ShownJob) -> Self {
        let error = match shown.job.status {
            JobStatus::Succeeded => None,
            JobStatus::DeadLetter => Some(ApiError {
                kind: ErrorKind::Internal,
                message: format!("the job failed for good: {}", shown.job.last_error),
            }),
            JobStatus::Cancelled => Some(ApiError::invalid_state("the job was cancelled")),
            _ => Some(ApiError::invalid_state("the job goes on, since another goal waits for it")),
        };
        Self { job: job(shown), ..error.map_or_else(Self::good, Self::failed) }
    }

    /// Nothing is known of a job.
    pub fn failed(error: ApiError) -> Self {
        let (error_code, error) = failure(error);
        Self { success: false, error_code, error, job: msg::Job::default() }
    }

    fn good() -> Self {
        Self { success: true, ..Self::default() }
    }
}

/// Maintain.action
pub(in crate::faces::ros) struct MaintainWire;

impl ActionWire for MaintainWire {
    type Op = RunMaintenance;
    type Action = action::Maintain::Action;
    const NAME: &'static str = "maintain";

    fn decode(goal: Goal<Self>) -> RunMaintenanceRequest {
        let action::Maintain::Goal { mode, scope, scope_id, dry_run, agent } = goal;
        RunMaintenanceRequest { mode, scope, scope_id, dry_run, agent }
    }

    fn result(parts: ResultParts) -> ActionResult<Self> {
        let ResultParts { success, error_code, error, job } = parts;
        action::Maintain::Result { success, error_code, error, job }
    }

    fn feedback(job_id: i64, progress: JobProgress) -> Feedback<Self> {
        let JobProgress { step, done, total } = progress;
        action::Maintain::Feedback { job_id, step: text(step), done, total }
    }
}

/// Rebuild.action
pub(in crate::faces::ros) struct RebuildWire;

impl ActionWire for RebuildWire {
    type Op = RebuildScope;
    type Action = action::Rebuild::Action;
    const NAME: &'static str = "rebuild";

    fn decode(goal: Goal<Self>) -> RebuildScopeRequest {
        let action::Rebuild::Goal { scope, scope_id, trigger_turn_id, force_compaction, agent } =
            goal;
        RebuildScopeRequest { scope, scope_id, trigger_turn_id, force_compaction, agent }
    }

    fn result(parts: ResultParts) -> ActionResult<Self> {
        let ResultParts { success, error_code, error, job } = parts;
        action::Rebuild::Result { success, error_code, error, job }
    }

    fn feedback(job_id: i64, progress: JobProgress) -> Feedback<Self> {
        let JobProgress { step, done, total } = progress;
        action::Rebuild::Feedback { job_id, step: text(step), done, total }
    }
}

/// Import.action
pub(in crate::faces::ros) struct ImportWire;

impl ActionWire for ImportWire {
    type Op = Import;
    type Action = action::Import::Action;
    const NAME: &'static str = "import";

    fn decode(goal: Goal<Self>) -> ImportRequest {
        let action::Import::Goal { path, collection, agent } = goal;
        // Without a home folder `~` stays, and is refused.
        let expanded = Folders::from_environment().expand(&path);
        let path = expanded.map_or(path, |path| path.to_string_lossy().into_owned());
        ImportRequest { path, collection, agent }
    }

    fn result(parts: ResultParts) -> ActionResult<Self> {
        let ResultParts { success, error_code, error, job } = parts;
        action::Import::Result { success, error_code, error, job }
    }

    fn feedback(job_id: i64, progress: JobProgress) -> Feedback<Self> {
        let JobProgress { step, done, total } = progress;
        action::Import::Feedback { job_id, step: text(step), done, total }
    }
}
