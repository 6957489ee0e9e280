use super::operation;
use crate::model::Job;
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// List background jobs.
    ListJobs, "list_jobs", ListJobsRequest => ListJobsResponse
);

request! {
    /// Which page of which jobs. Times are milliseconds of the machine's clock since 1970.
    pub struct ListJobsRequest {
        /// Kind of scope; empty: all.
        pub scope: String as lookup,
        /// Which one of its kind, with `scope`; empty: all.
        pub scope_id: String as lookup,
        /// Spelling of a [`JobType`](crate::model::JobType); empty: all.
        pub job_type: String as lookup,
        /// Spelling of a [`JobStatus`](crate::model::JobStatus); empty: all.
        pub status: String as lookup,
        /// The step that it belongs to; empty: all.
        pub turn_id: String as lookup,
        /// Queued then or later; 0: no bound.
        pub created_from: i64,
        /// Queued then or earlier; 0: no bound.
        pub created_to: i64,
        /// Available then or later; 0: no bound.
        pub available_from: i64,
        /// Available then or earlier; 0: no bound.
        pub available_to: i64,
        /// `created_at`, `updated_at` or `available_at`.
        pub sort_by: String as lookup = "created_at".into(),
        /// `asc` or `desc`.
        pub sort_order: String as lookup = "desc".into(),
        /// 1 to 100.
        pub limit: u32 = 50,
        /// Rows to skip.
        pub offset: u32,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

record! {
    /// A page of jobs.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct ListJobsResponse {
        /// In the order that was asked for; equals by id in the same order.
        pub jobs: Vec<ShownJob>,
        /// All that match.
        pub total: u64,
        /// Whether there are more after this page.
        pub has_more: bool,
        /// As asked for.
        pub limit: u32,
        /// As asked for.
        pub offset: u32,
        /// As asked for.
        pub sort_by: String,
        /// As asked for.
        pub sort_order: String,
    }
}

/// A job, and why it is where it is.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ShownJob {
    #[serde(flatten)]
    pub job: Job,
    /// What it waits for, for a person to read; empty when it waits for nothing.
    pub waits_for: String,
}

operation!(
    /// Show one job.
    GetJob, "get_job", GetJobRequest => JobResponse
);

request! {
    /// Which job.
    pub struct GetJobRequest {
        /// Greater than 0.
        pub job_id: i64,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

/// The job as it is now.
pub type JobResponse = ShownJob;

operation!(
    /// Put a job back into the queue that failed for good or was cancelled.
    RetryJob, "retry_job", RetryJobRequest => JobResponse
);

request! {
    /// Which job.
    pub struct RetryJobRequest {
        /// Greater than 0.
        pub job_id: i64,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

operation!(
    /// Take a job out of the queue that no worker has.
    CancelJob, "cancel_job", CancelJobRequest => JobResponse
);

request! {
    /// Which job.
    pub struct CancelJobRequest {
        /// Greater than 0.
        pub job_id: i64,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}
