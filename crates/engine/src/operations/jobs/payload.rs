//! What a run of maintenance is asked to do.

use robot_memory_core::api::MaintenanceMode;
use robot_memory_core::model::JobScope;
use serde::{Deserialize, Serialize};

/// What a run is asked to do.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct MaintenancePayload {
    pub mode: MaintenanceMode,
    #[serde(default)]
    pub dry_run: bool,
    /// Somebody asked for it, also during a session, and so says that the clock is right, however far it
    /// jumped.
    #[serde(default)]
    pub asked_for: bool,
}

impl MaintenancePayload {
    /// Runs that do the same are queued once.
    pub fn dedup_key(&self, scope: &JobScope) -> String {
        let dry = if self.dry_run { " dry" } else { "" };
        // What is asked for is not left to a run that makes way for a session.
        let due = if self.asked_for { "" } else { " due" };
        format!("maintain {}{dry}{due} {scope}", self.mode)
    }
}
