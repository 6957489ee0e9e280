//! What goes on in every state of the node: it tells how it is doing, and looks after its memory.

use super::diagnostics;
use super::lifecycle::Lifecycle;
use super::outcomes::ActionStatuses;
use super::parameters::SharedSettings;
use super::publish::publish;
use super::slot::StreamsSlot;
use super::stop::Stop;
use super::streams;
use crate::faces::engine_slot::EngineSlot;
use crate::faces::work_queue::WorkQueue;
use crate::memory_use::MemoryUse;
use r2r::Publisher;
use r2r::diagnostic_msgs::msg::DiagnosticArray;
use r2r::std_msgs::msg::Header;
use robot_memory_core::model::Clock;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks at how much memory the process has.
const MEMORY_PERIOD: Duration = Duration::from_secs(1);

/// Tells how the node is doing.
pub(super) struct Watch {
    pub engine: EngineSlot,
    pub node_name: String,
    pub clock: Arc<dyn Clock>,
    pub queues: [Arc<WorkQueue>; 2],
    pub settings: SharedSettings,
    pub streams: StreamsSlot,
    pub actions: ActionStatuses,
    pub lifecycle: Lifecycle,
    pub publisher: Publisher<DiagnosticArray>,
}

impl Watch {
    /// Does so until it is time to stop.
    pub fn run(self, stop: &Stop) {
        let mut memory = MemoryUse::default();
        let mut told_last: Option<Instant> = None;
        loop {
            let period = Duration::from_secs_f64(self.settings.lock().diagnostics_period_secs);
            memory.look(|| !stop.wait(Duration::ZERO));
            if told_last.is_none_or(|last| last.elapsed() >= period) {
                // A fault here must not end the thread; the panic hook has logged it.
                let _ = catch_unwind(AssertUnwindSafe(|| self.tell()));
                told_last = Some(Instant::now());
            }
            let left = told_last.map_or(period, |last| period.saturating_sub(last.elapsed()));
            if stop.wait(left.min(MEMORY_PERIOD)) {
                return;
            }
        }
    }

    fn tell(&self) {
        let name = &self.node_name;
        let mut status = Vec::new();
        if let Some(engine) = self.engine.get() {
            let loads: Vec<_> = self.queues.iter().map(|queue| queue.load()).collect();
            let (components, health) = (engine.components(), engine.health());
            let (path, workers) = (engine.store_path(), self.settings.lock().job_workers);
            status.extend(diagnostics::statuses(name, path, components, health, &loads, workers));
        }
        status.push(diagnostics::life_cycle(name, &self.lifecycle));
        if let Some(streams) = self.streams.get() {
            status.push(diagnostics::topics(name, &streams.unserved()));
            status.extend(streams.statuses().iter().map(|stream| streams::status(name, stream)));
        }
        status.extend(self.actions.diagnoses(name));
        for own in &mut status {
            own.values.push(diagnostics::value("package", "robot_memory"));
        }
        let (sec, nanosec) = self.clock.now().map(|now| now.to_parts()).unwrap_or_default();
        let stamp = r2r::builtin_interfaces::msg::Time { sec, nanosec };
        let header = Header { stamp, frame_id: String::new() };
        publish(&self.publisher, "/diagnostics", &DiagnosticArray { header, status });
    }
}
