//! CompactScope: queue the job that makes one long summary of a scope's short ones.

use super::{Engine, Result, Run};
use crate::api::{ApiError, CompactScope, CompactScopeRequest, CompactScopeResponse};

impl Run<CompactScope> for Engine {
    fn run(&self, request: CompactScopeRequest) -> Result<CompactScopeResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}
