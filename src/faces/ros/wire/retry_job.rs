use super::job::job as job_message;
use super::{Wire, failure};
use r2r::robot_memory::srv::RetryJob as srv;
use robot_memory_core::api::{ApiError, JobResponse, RetryJob, RetryJobRequest};

/// RetryJob.srv
pub(in crate::faces::ros) struct RetryJobWire;

impl Wire for RetryJobWire {
    type Op = RetryJob;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<RetryJobRequest, ApiError> {
        let srv::Request { job_id, agent } = message;
        Ok(RetryJobRequest { job_id, agent })
    }

    fn encode(outcome: Result<JobResponse, ApiError>) -> srv::Response {
        let shown = match outcome {
            Ok(response) => response,
            Err(failed) => {
                let (error_code, error) = failure(failed);
                return srv::Response { error_code, error, ..Default::default() };
            }
        };
        srv::Response {
            success: true,
            error_code: String::new(),
            error: String::new(),
            job: job_message(shown),
        }
    }
}
