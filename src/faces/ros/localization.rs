//! Where the robot is, for the engine: what parameters and topics tell.

use super::parameters::SharedSettings;
use super::slot::StreamsSlot;
use robot_memory_engine::{FrameTransform, Localization};
use std::fmt;

/// Asks the streams, while there are any.
pub(super) struct RobotLocalization {
    pub settings: SharedSettings,
    pub streams: StreamsSlot,
}

impl Localization for RobotLocalization {
    fn map_id(&self) -> Option<String> {
        let (map_id, map_topic) = {
            let settings = self.settings.lock();
            (settings.map_id.clone(), settings.map_topic.clone())
        };
        if map_topic.is_empty() {
            return Some(map_id).filter(|map_id| !map_id.is_empty());
        }
        Some(self.streams.get().map(|streams| streams.map_id()).unwrap_or_default())
    }

    fn transform(&self, from: &str, to: &str) -> Option<FrameTransform> {
        self.streams.get()?.transform(from, to)
    }
}

impl fmt::Debug for RobotLocalization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RobotLocalization").field(&self.map_id()).finish()
    }
}
