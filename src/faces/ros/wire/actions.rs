//! The actions: work on a job that the caller waits for.

use super::convert::{ToMessage, failure};
use crate::faces::paths::Folders;
use r2r::robot_memory::{action, msg};
use r2r::{WrappedActionTypeSupport, WrappedServiceTypeSupport};
use robot_memory_core::api::{self, ApiError, ErrorKind, Operation, QueuedResponse, ShownJob};
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
        Self { job: shown.to_message(), ..error.map_or_else(Self::good, Self::failed) }
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

macro_rules! actions {
    ($($(#[$meta:meta])* $wire:ident: $action:ident $name:literal = $op:ident($request:ident)
        $(then $then:ident)?;)+) => { $(
        $(#[$meta])*
        pub(in crate::faces::ros) struct $wire;

        impl ActionWire for $wire {
            type Op = api::$op;
            type Action = action::$action::Action;
            const NAME: &'static str = $name;

            fn decode(goal: Goal<Self>) -> api::$request {
                let request = robot_memory_core::$request! { decode goal $action $request };
                $(let request = $then(request);)?
                request
            }

            fn result(parts: ResultParts) -> ActionResult<Self> {
                let ResultParts { success, error_code, error, job } = parts;
                action::$action::Result { success, error_code, error, job }
            }

            fn feedback(job_id: i64, progress: JobProgress) -> Feedback<Self> {
                let JobProgress { step, done, total } = progress;
                action::$action::Feedback { job_id, step: step.to_message(), done, total }
            }
        }
    )+ };
}

macro_rules! decode {
    ($goal:ident $action:ident $request:ident { $($field:ident $kind:tt),+ }) => {{
        let action::$action::Goal { $($field),+ } = $goal;
        api::$request { $($field),+ }
    }};
}

actions! {
    /// Maintain.action
    MaintainWire: Maintain "maintain" = RunMaintenance(RunMaintenanceRequest);
    /// Rebuild.action
    RebuildWire: Rebuild "rebuild" = RebuildScope(RebuildScopeRequest);
    /// Import.action
    ImportWire: Import "import" = Import(ImportRequest) then with_folder;
}

/// With the path that a `~` stands for. Without a home folder it stays, and is refused.
fn with_folder(request: api::ImportRequest) -> api::ImportRequest {
    let expanded = Folders::from_environment().expand(&request.path);
    let path = expanded.map(|path| path.to_string_lossy().into_owned());
    api::ImportRequest { path: path.unwrap_or(request.path), ..request }
}
