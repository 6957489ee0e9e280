//! CommitTurn: store a finished step, and queue the job that takes memories out of it.

use super::{Engine, Result, Run};
use crate::api::{ApiError, CommitTurn, CommitTurnRequest, CommitTurnResponse};

impl Run<CommitTurn> for Engine {
    fn run(&self, request: CommitTurnRequest) -> Result<CommitTurnResponse> {
        let _ = request;
        Err(ApiError::unavailable("not there yet").into())
    }
}
