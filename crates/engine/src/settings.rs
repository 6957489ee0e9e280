//! How the store is looked after, as the engine is told once.

use jiff::tz::TimeZone;
use robot_memory_core::jobs::{DailyAt, WeeklyAt};
use std::path::PathBuf;

/// How memories are looked after.
#[derive(Debug, Clone, PartialEq)]
pub struct MaintenanceSettings {
    /// The zone of local times.
    pub time_zone: TimeZone,
    /// When the daily run is due; `None`: never.
    pub daily_at: Option<DailyAt>,
    /// When the weekly run is due; `None`: never.
    pub weekly_at: Option<WeeklyAt>,
    /// Cosine similarity from which two memories are merged that nothing tells apart.
    pub merge_similarity_min: f64,
    /// Cosine similarity from which two memories are judged.
    pub judge_similarity_min: f64,
    /// Retention below which a memory that fades is archived.
    pub archive_retention_min: f64,
    /// Days by which the clock may be ahead of what was stored last.
    pub clock_jump_days_max: f64,
}

impl Default for MaintenanceSettings {
    fn default() -> Self {
        Self {
            time_zone: TimeZone::UTC,
            daily_at: None,
            weekly_at: None,
            merge_similarity_min: 0.92,
            judge_similarity_min: 0.85,
            archive_retention_min: 0.1,
            clock_jump_days_max: 366.0,
        }
    }
}

/// When backups are made, where they are, and for how long they are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct BackupSettings {
    /// `None`: a folder beside the store.
    pub folder: Option<PathBuf>,
    /// When the daily one is due, in the zone of maintenance; `None`: never.
    pub daily_at: Option<DailyAt>,
    /// The newest always stays.
    pub keep_days: u32,
}

impl Default for BackupSettings {
    fn default() -> Self {
        Self { folder: None, daily_at: None, keep_days: 7 }
    }
}

/// Where writes wait that the store cannot take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteQueueSettings {
    /// `None`: a file beside the store.
    pub path: Option<PathBuf>,
    /// Bytes that are reserved for it; 0: none wait, all are refused.
    pub bytes_max: u64,
}
