//! Background jobs in the node: who works on them, and who is told.

mod events;
mod importer;
mod workers;

pub(super) use events::JobEvents;
pub(super) use importer::BagImporter;
pub(super) use workers::Workers;

use crate::config::Settings;
use robot_memory_core::limits::JOB_ATTEMPTS_MAX;
use robot_memory_engine::{CompactionSettings, JobSettings};

/// What the parameters say of jobs.
pub(super) fn job_settings(settings: &Settings) -> JobSettings {
    let millis = |secs: f64| (secs * 1e3).round() as i64;
    let count = |value: i64| usize::try_from(value).unwrap_or(usize::MAX);
    JobSettings {
        has_workers: settings.job_workers > 0,
        lease_millis: millis(settings.job_lease_secs),
        attempts_max: u32::try_from(settings.job_attempts_max).unwrap_or(JOB_ATTEMPTS_MAX),
        backoff_base_millis: millis(settings.job_backoff_base_secs),
        backoff_max_millis: millis(settings.job_backoff_max_secs),
        compaction: CompactionSettings {
            count_min: count(settings.compact_count_min),
            tokens_min: u64::try_from(settings.compact_tokens_min).unwrap_or(u64::MAX),
            turn_gap_min: u32::try_from(settings.compact_turn_gap_min).unwrap_or(u32::MAX),
            keep_newest: count(settings.compact_keep_newest),
            sources_min: count(settings.compact_sources_min),
            sources_max: count(settings.compact_sources_max),
        },
        ..JobSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_have_the_defaults_of_the_engine() {
        let (by_parameters, own) = (job_settings(&Settings::default()), JobSettings::default());
        assert_eq!(
            (by_parameters.lease_millis, by_parameters.attempts_max),
            (own.lease_millis, own.attempts_max)
        );
        assert_eq!(
            (by_parameters.backoff_base_millis, by_parameters.backoff_max_millis),
            (own.backoff_base_millis, own.backoff_max_millis)
        );
        assert_eq!(by_parameters.compaction, own.compaction);
        assert!(by_parameters.has_workers);
        let none = Settings { job_workers: 0, ..Settings::default() };
        assert!(!job_settings(&none).has_workers);
    }
}
