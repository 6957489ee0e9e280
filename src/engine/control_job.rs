//! GetJob, RetryJob, CancelJob: one job.

use super::{Engine, Result, Run};
use crate::api::{
    ApiError, CancelJob, CancelJobRequest, GetJob, GetJobRequest, JobResponse, RetryJob,
    RetryJobRequest,
};

impl Run<GetJob> for Engine {
    fn run(&self, request: GetJobRequest) -> Result<JobResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}

impl Run<RetryJob> for Engine {
    fn run(&self, request: RetryJobRequest) -> Result<JobResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}

impl Run<CancelJob> for Engine {
    fn run(&self, request: CancelJobRequest) -> Result<JobResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}
