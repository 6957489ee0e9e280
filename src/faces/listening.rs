//! What the parameters say about listening, the same for topics and for bags.

use crate::config::Settings;
use crate::perception::{PoseSettings, RecorderSettings};

/// How far `/clock` may go back before time has begun anew, ns. One that goes back by less is one of
/// several that are not quite together, as some simulators have them.
pub const CLOCK_BACK_NANOS_MAX: i64 = 1_000_000_000;

/// The recorder's settings.
pub fn recorder_settings(settings: &Settings) -> RecorderSettings {
    let pose = (!settings.pose_topic.is_empty()).then(|| PoseSettings {
        pose_frame: settings.pose_frame.clone(),
        base_frame: settings.base_frame.clone(),
        map_id: settings.map_id.clone(),
        age_secs_max: settings.pose_age_secs_max,
        std_dev_m_max: settings.pose_std_dev_m_max,
    });
    RecorderSettings { reorder_secs: settings.reorder_secs, pose, ..RecorderSettings::default() }
}

/// The topic of the transforms that hold from then on, beside a pose topic of transforms: `/tf_static`
/// beside `/tf`. `None` beside topics of other types.
pub fn static_topic(pose_topic: &str) -> Option<String> {
    (pose_topic.rsplit('/').next() == Some("tf")).then(|| format!("{pose_topic}_static"))
}

/// `context.env.sim_or_real` of events: as the parameter says, else by whether time is that of
/// `/clock`.
pub fn sim_or_real(settings: &Settings, has_clock: bool) -> &str {
    match settings.sim_or_real.as_str() {
        "" if has_clock => "sim",
        "" => "real",
        told => told,
    }
}
