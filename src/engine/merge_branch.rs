//! MergeBranch: the attempt that won is seen by more.

use super::{Engine, Result, Run};
use crate::api::{ApiError, MergeBranch, MergeBranchRequest, MergeBranchResponse};

impl Run<MergeBranch> for Engine {
    fn run(&self, request: MergeBranchRequest) -> Result<MergeBranchResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}
