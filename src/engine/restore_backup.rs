//! RestoreBackup

use super::{Engine, Result, Run};
use crate::api::{ApiError, RestoreBackup, RestoreBackupRequest, RestoreBackupResponse};

impl Run<RestoreBackup> for Engine {
    fn run(&self, request: RestoreBackupRequest) -> Result<RestoreBackupResponse> {
        self.check_agent(&request.agent)?;
        Err(ApiError::unavailable("not yet").into())
    }
}
