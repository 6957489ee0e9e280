//! RebuildScope, Maintain, Import: queue work on a scope, or on a bag.

use super::{Engine, Result, Run};
use crate::api::{
    ApiError, Import, ImportRequest, Maintain, MaintainRequest, QueuedResponse, RebuildScope,
    RebuildScopeRequest,
};

impl Run<RebuildScope> for Engine {
    fn run(&self, request: RebuildScopeRequest) -> Result<QueuedResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}

impl Run<Maintain> for Engine {
    fn run(&self, request: MaintainRequest) -> Result<QueuedResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}

impl Run<Import> for Engine {
    fn run(&self, request: ImportRequest) -> Result<QueuedResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}
