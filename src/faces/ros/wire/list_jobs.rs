use super::job::job;
use super::{Wire, failure, text};
use r2r::robot_memory::srv::ListJobs as srv;
use robot_memory_core::api::{ApiError, ListJobs, ListJobsRequest, ListJobsResponse};

/// ListJobs.srv
pub(in crate::faces::ros) struct ListJobsWire;

impl Wire for ListJobsWire {
    type Op = ListJobs;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<ListJobsRequest, ApiError> {
        let srv::Request {
            scope,
            scope_id,
            job_type,
            status,
            turn_id,
            created_from,
            created_to,
            available_from,
            available_to,
            sort_by,
            sort_order,
            limit,
            offset,
            agent,
        } = message;
        Ok(ListJobsRequest {
            scope,
            scope_id,
            job_type,
            status,
            turn_id,
            created_from,
            created_to,
            available_from,
            available_to,
            sort_by,
            sort_order,
            limit,
            offset,
            agent,
        })
    }

    fn encode(outcome: Result<ListJobsResponse, ApiError>) -> srv::Response {
        let ListJobsResponse { jobs, total, has_more, limit, offset, sort_by, sort_order } =
            match outcome {
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
            jobs: jobs.into_iter().map(job).collect(),
            total,
            has_more,
            limit,
            offset,
            sort_by: text(sort_by),
            sort_order: text(sort_order),
        }
    }
}
