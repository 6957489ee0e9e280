//! RestoreMemory

use super::{Engine, Result, Run};
use crate::api::{ApiError, RestoreMemory, RestoreMemoryRequest, RestoreMemoryResponse};

impl Run<RestoreMemory> for Engine {
    fn run(&self, request: RestoreMemoryRequest) -> Result<RestoreMemoryResponse> {
        self.check_agent(&request.agent)?;
        Err(ApiError::unavailable("not yet").into())
    }
}
