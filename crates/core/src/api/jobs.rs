use super::operation;
use crate::model::Job;
use serde::{Deserialize, Serialize};

operation!(
    /// List background jobs.
    ListJobs, "list_jobs", ListJobsRequest => ListJobsResponse
);

/// Which page of which jobs. Times are milliseconds of the machine's clock since 1970.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListJobsRequest {
    /// Kind of scope; empty: all.
    pub scope: String,
    /// Which one of its kind, with `scope`; empty: all.
    pub scope_id: String,
    /// Spelling of a [`JobType`](crate::model::JobType); empty: all.
    pub job_type: String,
    /// Spelling of a [`JobStatus`](crate::model::JobStatus); empty: all.
    pub status: String,
    /// The step that it belongs to; empty: all.
    pub turn_id: String,
    /// Queued then or later; 0: no bound.
    pub created_from: i64,
    /// Queued then or earlier; 0: no bound.
    pub created_to: i64,
    /// Available then or later; 0: no bound.
    pub available_from: i64,
    /// Available then or earlier; 0: no bound.
    pub available_to: i64,
    /// `created_at`, `updated_at` or `available_at`.
    pub sort_by: String,
    /// `asc` or `desc`.
    pub sort_order: String,
    /// 1 to 100.
    pub limit: u32,
    /// Rows to skip.
    pub offset: u32,
    /// Who asks; empty for the operator.
    pub agent: String,
}

impl Default for ListJobsRequest {
    fn default() -> Self {
        Self {
            scope: String::new(),
            scope_id: String::new(),
            job_type: String::new(),
            status: String::new(),
            turn_id: String::new(),
            created_from: 0,
            created_to: 0,
            available_from: 0,
            available_to: 0,
            sort_by: "created_at".into(),
            sort_order: "desc".into(),
            limit: 50,
            offset: 0,
            agent: String::new(),
        }
    }
}

/// A page of jobs.
#[derive(Debug, Clone, PartialEq)]
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

/// A job, and why it is where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownJob {
    /// The job.
    pub job: Job,
    /// What it waits for, for a person to read; empty when it waits for nothing.
    pub waits_for: String,
}

operation!(
    /// Show one job.
    GetJob, "get_job", GetJobRequest => JobResponse
);

/// Which job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GetJobRequest {
    /// Greater than 0.
    pub job_id: i64,
    /// Who asks; empty for the operator.
    pub agent: String,
}

/// The job as it is now.
pub type JobResponse = ShownJob;

operation!(
    /// Put a job back into the queue that failed for good or was cancelled.
    RetryJob, "retry_job", RetryJobRequest => JobResponse
);

/// Which job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryJobRequest {
    /// Greater than 0.
    pub job_id: i64,
    /// Who asks; empty for the operator.
    pub agent: String,
}

operation!(
    /// Take a job out of the queue that no worker has.
    CancelJob, "cancel_job", CancelJobRequest => JobResponse
);

/// Which job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CancelJobRequest {
    /// Greater than 0.
    pub job_id: i64,
    /// Who asks; empty for the operator.
    pub agent: String,
}
