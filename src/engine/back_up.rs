//! Backup

use super::{Engine, Result, Run};
use crate::api::{ApiError, Backup, BackupRequest, BackupResponse};

impl Run<Backup> for Engine {
    fn run(&self, request: BackupRequest) -> Result<BackupResponse> {
        self.check_agent(&request.agent)?;
        Err(ApiError::unavailable("not yet").into())
    }
}
