use super::job::job as job_message;
use super::{Wire, failure};
use r2r::robot_memory::srv::GetJob as srv;
use robot_memory_core::api::{ApiError, GetJob, GetJobRequest, JobResponse};

/// GetJob.srv
pub(in crate::faces::ros) struct GetJobWire;

impl Wire for GetJobWire {
    type Op = GetJob;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<GetJobRequest, ApiError> {
        let srv::Request { job_id, agent } = message;
        Ok(GetJobRequest { job_id, agent })
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
