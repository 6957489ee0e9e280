//! ROS time for the engine.

use robot_memory_core::model::{Clock, Stamp};
use std::sync::{Arc, Mutex, PoisonError};

// Without the messages of rosgraph_msgs the node would compile, and silently ignore use_sim_time.
r2r::assert_compiled_with_use_sim_time_support!();

/// The node's clock: wall time, or the time of `/clock` under `use_sim_time`.
pub(super) struct RosClock(Arc<Mutex<r2r::Clock>>);

impl RosClock {
    /// The clock of this node.
    pub fn of(node: &r2r::Node) -> Self {
        Self(node.get_ros_clock())
    }
}

impl Clock for RosClock {
    fn now(&self) -> Option<Stamp> {
        let since = self.0.lock().unwrap_or_else(PoisonError::into_inner).get_now().ok()?;
        // Simulated time is zero until the first message on /clock.
        i64::try_from(since.as_nanos()).ok().filter(|nanos| *nanos > 0).map(Stamp)
    }
}
