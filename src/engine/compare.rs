//! Compare

use super::{Engine, Result, Run};
use crate::api::{ApiError, Compare, CompareRequest, CompareResponse};

impl Run<Compare> for Engine {
    fn run(&self, request: CompareRequest) -> Result<CompareResponse> {
        self.check_agent(&request.agent)?;
        Err(ApiError::unavailable("not yet").into())
    }
}
