use super::{Wire, failure, text, time};
use r2r::robot_memory::{msg, srv};
use robot_memory_core::api::{
    ApiError, Backup, BackupInfo, BackupRequest, BackupResponse, RestoreBackup,
    RestoreBackupRequest, RestoreBackupResponse,
};

/// Backup.srv
pub(in crate::faces::ros) struct BackupWire;

impl Wire for BackupWire {
    type Op = Backup;
    type Srv = srv::Backup::Service;

    fn decode(message: srv::Backup::Request) -> Result<BackupRequest, ApiError> {
        let srv::Backup::Request { agent } = message;
        Ok(BackupRequest { agent })
    }

    fn encode(outcome: Result<BackupResponse, ApiError>) -> srv::Backup::Response {
        let BackupResponse { job_id, created } = match outcome {
            Ok(response) => response,
            Err(failed) => {
                let (error_code, error) = failure(failed);
                return srv::Backup::Response { error_code, error, ..Default::default() };
            }
        };
        srv::Backup::Response {
            success: true,
            error_code: String::new(),
            error: String::new(),
            job_id,
            created,
        }
    }
}

/// RestoreBackup.srv
pub(in crate::faces::ros) struct RestoreBackupWire;

impl Wire for RestoreBackupWire {
    type Op = RestoreBackup;
    type Srv = srv::RestoreBackup::Service;

    fn decode(message: srv::RestoreBackup::Request) -> Result<RestoreBackupRequest, ApiError> {
        let srv::RestoreBackup::Request { name, agent } = message;
        Ok(RestoreBackupRequest { name, agent })
    }

    fn encode(outcome: Result<RestoreBackupResponse, ApiError>) -> srv::RestoreBackup::Response {
        let RestoreBackupResponse { name, memory_count, kept_as, is_foreign } = match outcome {
            Ok(response) => response,
            Err(failed) => {
                let (error_code, error) = failure(failed);
                return srv::RestoreBackup::Response { error_code, error, ..Default::default() };
            }
        };
        srv::RestoreBackup::Response {
            success: true,
            error_code: String::new(),
            error: String::new(),
            name: text(name),
            memory_count,
            kept_as: text(kept_as),
            is_foreign,
        }
    }
}

/// BackupInfo.msg
pub(super) fn backup_info(info: BackupInfo) -> msg::BackupInfo {
    let BackupInfo { name, made_at, bytes, memory_count, schema_version, is_verified, is_foreign } =
        info;
    msg::BackupInfo {
        name: text(name),
        made_at: time(Some(made_at)),
        bytes,
        memory_count,
        schema_version,
        is_verified,
        is_foreign,
    }
}
