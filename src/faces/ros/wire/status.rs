use super::backup::backup_info;
use super::{Wire, failure, key_counts, text, time};
use r2r::robot_memory::{msg, srv::Status as srv};
use robot_memory_core::api::{ApiError, ComponentStatus, GetStatus, StatusRequest, StatusResponse};

/// Status.srv
pub(in crate::faces::ros) struct StatusWire;

impl Wire for StatusWire {
    type Op = GetStatus;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<StatusRequest, ApiError> {
        let srv::Request { agent } = message;
        Ok(StatusRequest { agent })
    }

    fn encode(outcome: Result<StatusResponse, ApiError>) -> srv::Response {
        let StatusResponse {
            level,
            components,
            memory_count,
            by_status,
            by_type,
            by_level,
            by_scope,
            by_mem_type,
            by_category,
            jobs,
            open_sessions,
            missing_vectors,
            conflict_count,
            store_bytes,
            index_bytes,
            clip_bytes,
            backup_bytes,
            free_bytes,
            queued_writes,
            queued_bytes,
            replayed_writes,
            rejected_writes,
            last_daily_at,
            last_weekly_at,
            next_daily_at,
            next_weekly_at,
            last_backup_at,
            backups,
            schema_version,
            version,
        } = match outcome {
            Ok(response) => response,
            Err(failed) => {
                let (error_code, error) = failure(failed);
                return srv::Response { error_code, error, ..Default::default() };
            }
        };
        srv::Response {
            success: true,
            error_code: String::new(),
            error: String::new(),
            level: text(level.as_str()),
            components: components.into_iter().map(component).collect(),
            memory_count,
            by_status: key_counts(by_status),
            by_type: key_counts(by_type),
            by_level: key_counts(by_level),
            by_scope: key_counts(by_scope),
            by_mem_type: key_counts(by_mem_type),
            by_category: key_counts(by_category),
            jobs: key_counts(jobs),
            open_sessions,
            missing_vectors,
            conflict_count,
            store_bytes,
            index_bytes,
            clip_bytes,
            backup_bytes,
            free_bytes,
            queued_writes,
            queued_bytes,
            replayed_writes,
            rejected_writes,
            last_daily_at: time(last_daily_at),
            last_weekly_at: time(last_weekly_at),
            next_daily_at: time(next_daily_at),
            next_weekly_at: time(next_weekly_at),
            last_backup_at: time(last_backup_at),
            backups: backups.into_iter().map(backup_info).collect(),
            schema_version,
            version: text(version),
        }
    }
}

/// ComponentStatus.msg
fn component(component: ComponentStatus) -> msg::ComponentStatus {
    let ComponentStatus { name, level, state, message } = component;
    msg::ComponentStatus {
        name: text(name),
        level: text(level.as_str()),
        state: text(state),
        message: text(message),
    }
}
