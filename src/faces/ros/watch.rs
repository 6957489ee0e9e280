//! What is looked at again and again: room on the disk, and the node's own state.

use super::diagnostics;
use super::disk::{DiskGuard, folder_of};
use super::memory_use::GivingBack;
use super::outcomes::ActionStatuses;
use super::parameters::SharedSettings;
use super::publish::publish;
use super::stop::Stop;
use super::streams::{self, Streams};
use super::work_queue::WorkQueue;
use r2r::Publisher;
use r2r::diagnostic_msgs::msg::DiagnosticArray;
use r2r::std_msgs::msg::Header;
use robot_memory_core::model::Clock;
use robot_memory_engine::Engine;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Looks after the disk and tells how the node is doing.
pub(super) struct Watch {
    pub engine: Arc<Engine>,
    pub store_path: PathBuf,
    pub node_name: String,
    pub clock: Arc<dyn Clock>,
    pub queues: [Arc<WorkQueue>; 2],
    pub settings: SharedSettings,
    /// `None`: no topics are listened to.
    pub streams: Option<Arc<Streams>>,
    pub actions: ActionStatuses,
    pub publisher: Publisher<DiagnosticArray>,
}

impl Watch {
    const DISK_PERIOD: Duration = Duration::from_secs(1);

    /// Does so until it is time to stop.
    pub fn run(self, stop: &Stop) {
        let mut disk = DiskGuard::new(folder_of(&self.store_path));
        let mut disk_next = Instant::now();
        let mut memory = GivingBack::default();
        let mut logged_last: Option<Instant> = None;
        loop {
            let (free_bytes_min, period) = {
                let settings = self.settings.lock();
                let period = Duration::from_secs_f64(settings.diagnostics_period_secs);
                (u64::try_from(settings.disk_free_bytes_min).unwrap_or(0), period)
            };
            let now = Instant::now();
            if now >= disk_next {
                self.look_at(&mut disk, free_bytes_min);
                disk_next = now + Self::DISK_PERIOD;
                memory.look();
            }
            if logged_last.is_none_or(|last| now >= last + period) {
                // A fault here must not end the watch on the disk; the panic hook has logged it.
                let _ = catch_unwind(AssertUnwindSafe(|| self.tell()));
                logged_last = Some(now);
            }
            let tell_next = logged_last.map_or(now, |last| last + period);
            if stop.wait(tell_next.min(disk_next).saturating_duration_since(Instant::now())) {
                return;
            }
        }
    }

    fn look_at(&self, disk: &mut DiskGuard, free_bytes_min: u64) {
        let Some(change) = disk.check(free_bytes_min) else { return };
        match &change {
            Some(reason) => log::error!("writes are refused: {reason}"),
            None => log::info!("there is room on the disk again, writes are taken"),
        }
        self.engine.block_writes(change);
    }

    fn tell(&self) {
        let loads: Vec<_> = self.queues.iter().map(|queue| queue.load()).collect();
        let health = self.engine.health();
        let workers = self.settings.lock().job_workers;
        let components = self.engine.components();
        let (name, path) = (&self.node_name, &self.store_path);
        let mut status = diagnostics::statuses(name, path, components, health, &loads, workers);
        let streams = self.streams.iter().flat_map(|streams| streams.statuses());
        status.extend(streams.map(|stream| streams::status(&self.node_name, &stream)));
        status.extend(self.actions.diagnoses(&self.node_name));
        for own in &mut status {
            own.values.push(diagnostics::value("package", "robot_memory"));
        }
        let (sec, nanosec) = self.clock.now().map(|now| now.to_parts()).unwrap_or_default();
        let stamp = r2r::builtin_interfaces::msg::Time { sec, nanosec };
        let header = Header { stamp, frame_id: String::new() };
        publish(&self.publisher, "/diagnostics", &DiagnosticArray { header, status });
    }
}
