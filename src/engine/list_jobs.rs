//! ListJobs and ListScopes: what work there is, and how far each scope is.

use super::{Engine, Result, Run};
use crate::api::{
    ApiError, ListJobs, ListJobsRequest, ListJobsResponse, ListScopes, ListScopesRequest,
    ListScopesResponse,
};

impl Run<ListJobs> for Engine {
    fn run(&self, request: ListJobsRequest) -> Result<ListJobsResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}

impl Run<ListScopes> for Engine {
    fn run(&self, request: ListScopesRequest) -> Result<ListScopesResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}
