//! GetStatus

use super::{Engine, Result, Run};
use crate::api::{ApiError, GetStatus, StatusRequest, StatusResponse};

impl Run<GetStatus> for Engine {
    fn run(&self, request: StatusRequest) -> Result<StatusResponse> {
        self.check_agent(&request.agent)?;
        Err(ApiError::unavailable("not yet").into())
    }
}
