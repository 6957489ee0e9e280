//! The answer of Status as JSON: the fields of the service, by the same names.

use super::json::{Counts, Time, counts};
use robot_memory_core::api::{BackupInfo, ComponentStatus, StatusLevel, StatusResponse};
use serde::Serialize;

#[derive(Serialize)]
pub struct StatusJson {
    level: StatusLevel,
    components: Vec<ComponentJson>,
    memory_count: u64,
    by_status: Counts,
    by_type: Counts,
    by_level: Counts,
    by_scope: Counts,
    by_mem_type: Counts,
    by_category: Counts,
    jobs: Counts,
    open_sessions: u64,
    missing_vectors: u64,
    conflict_count: u64,
    store_bytes: u64,
    index_bytes: u64,
    clip_bytes: u64,
    backup_bytes: u64,
    free_bytes: u64,
    queued_writes: u64,
    queued_bytes: u64,
    replayed_writes: u64,
    rejected_writes: u64,
    last_daily_at: Option<Time>,
    last_weekly_at: Option<Time>,
    next_daily_at: Option<Time>,
    next_weekly_at: Option<Time>,
    last_backup_at: Option<Time>,
    backups: Vec<BackupJson>,
    schema_version: i64,
    version: String,
}

#[derive(Serialize)]
struct ComponentJson {
    name: String,
    level: StatusLevel,
    state: String,
    message: String,
}

#[derive(Serialize)]
struct BackupJson {
    name: String,
    made_at: Time,
    bytes: u64,
    memory_count: u64,
    schema_version: i64,
    is_verified: bool,
    is_foreign: bool,
}

impl From<ComponentStatus> for ComponentJson {
    fn from(part: ComponentStatus) -> Self {
        let ComponentStatus { name, level, state, message } = part;
        Self { name, level, state, message }
    }
}

impl From<BackupInfo> for BackupJson {
    fn from(backup: BackupInfo) -> Self {
        let BackupInfo {
            name,
            made_at,
            bytes,
            memory_count,
            schema_version,
            is_verified,
            is_foreign,
        } = backup;
        let made_at = Time(made_at);
        Self { name, made_at, bytes, memory_count, schema_version, is_verified, is_foreign }
    }
}

impl From<StatusResponse> for StatusJson {
    fn from(response: StatusResponse) -> Self {
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
        } = response;
        Self {
            level,
            components: components.into_iter().map(ComponentJson::from).collect(),
            memory_count,
            by_status: counts(by_status),
            by_type: counts(by_type),
            by_level: counts(by_level),
            by_scope: counts(by_scope),
            by_mem_type: counts(by_mem_type),
            by_category: counts(by_category),
            jobs: counts(jobs),
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
            last_daily_at: last_daily_at.map(Time),
            last_weekly_at: last_weekly_at.map(Time),
            next_daily_at: next_daily_at.map(Time),
            next_weekly_at: next_weekly_at.map(Time),
            last_backup_at: last_backup_at.map(Time),
            backups: backups.into_iter().map(BackupJson::from).collect(),
            schema_version,
            version,
        }
    }
}
