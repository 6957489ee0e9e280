//! How the store is looked after: what the parameters say of it, and who is told.

mod reports;

pub(super) use reports::{Reports, posts};

use super::StartError;
use crate::config::Settings;
use crate::faces::paths::Folders;
use jiff::tz::TimeZone;
use robot_memory_core::jobs::{DailyAt, WeeklyAt};
use robot_memory_engine::{BackupSettings, MaintenanceSettings, WriteQueueSettings};
use std::path::PathBuf;

/// What the parameters say of maintenance. Local times are of the machine's zone.
pub(super) fn maintenance_settings(settings: &Settings) -> MaintenanceSettings {
    MaintenanceSettings {
        time_zone: TimeZone::system(),
        daily_at: DailyAt::parse(&settings.maintenance_daily_at).ok(),
        weekly_at: WeeklyAt::parse(&settings.maintenance_weekly_at).ok(),
        merge_similarity_min: settings.merge_similarity_min,
        judge_similarity_min: settings.judge_similarity_min,
        archive_retention_min: settings.archive_retention_min,
        clock_jump_days_max: settings.clock_jump_days_max,
    }
}

/// What the parameters say of backups.
///
/// # Errors
/// When their folder is below a home folder that is not known.
pub(super) fn backup_settings(
    settings: &Settings,
    folders: &Folders,
) -> Result<BackupSettings, StartError> {
    Ok(BackupSettings {
        folder: path_of(folders, "backup_path", &settings.backup_path)?,
        daily_at: DailyAt::parse(&settings.backup_daily_at).ok(),
        keep_days: u32::try_from(settings.backup_keep_days).unwrap_or(u32::MAX),
    })
}

/// What the parameters say of writes that the store cannot take.
///
/// # Errors
/// When their file is below a home folder that is not known.
pub(super) fn write_queue_settings(
    settings: &Settings,
    folders: &Folders,
) -> Result<WriteQueueSettings, StartError> {
    Ok(WriteQueueSettings {
        path: path_of(folders, "write_queue_path", &settings.write_queue_path)?,
        bytes_max: u64::try_from(settings.write_queue_bytes_max).unwrap_or(0),
    })
}

/// The path that a parameter gives; `None` when it is empty.
///
/// # Errors
/// When it is below a home folder that is not known.
pub(super) fn path_of(
    folders: &Folders,
    parameter: &'static str,
    path: &str,
) -> Result<Option<PathBuf>, StartError> {
    if path.is_empty() {
        return Ok(None);
    }
    folders.expand(path).map(Some).ok_or(StartError::NoHome(parameter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_have_the_defaults_of_the_engine() {
        let given = maintenance_settings(&Settings::default());
        assert!(given.daily_at.is_some() && given.weekly_at.is_some());
        let unscheduled = MaintenanceSettings {
            time_zone: TimeZone::UTC,
            daily_at: None,
            weekly_at: None,
            ..given
        };
        assert_eq!(unscheduled, MaintenanceSettings::default());
        let folders = Folders::default();
        let backups = backup_settings(&Settings::default(), &folders).expect("no home is needed");
        assert!(backups.daily_at.is_some());
        assert_eq!(BackupSettings { daily_at: None, ..backups }, BackupSettings::default());
        let queue = write_queue_settings(&Settings::default(), &folders).expect("no home");
        assert_eq!((queue.path, queue.bytes_max), (None, 16 << 20));
    }
}
