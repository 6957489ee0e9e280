//! `~/jobs`: each change of a job's state.

use crate::faces::ros::stop::Stop;
use crate::faces::ros::wire::job_event;
use r2r::robot_memory::msg::JobEvent;
use r2r::{Publisher, QosProfile};
use robot_memory_engine::{Engine, JobChanges};
use std::sync::Arc;
use std::time::Duration;

/// Messages that the middleware keeps for a subscriber that is slow: a job goes through four states,
/// so this is some dozens of jobs.
const DEPTH: usize = 300;
/// Changes that may wait for being published.
const WAITING_MAX: usize = 10_000;
/// How late the stop may be seen.
const WAIT: Duration = Duration::from_millis(200);

/// Publishes what becomes of jobs.
pub(in crate::faces::ros) struct JobEvents {
    engine: Arc<Engine>,
    changes: JobChanges,
    publisher: Publisher<JobEvent>,
}

impl JobEvents {
    /// Listens from now on.
    ///
    /// # Errors
    /// When there can be no such publisher.
    pub fn offer(node: &mut r2r::Node, engine: &Arc<Engine>) -> r2r::Result<Self> {
        let qos = QosProfile::default().reliable().keep_last(DEPTH);
        Ok(Self {
            engine: Arc::clone(engine),
            changes: engine.job_changes(WAITING_MAX),
            publisher: node.create_publisher("~/jobs", qos)?,
        })
    }

    /// Publishes until it is time to stop.
    pub fn run(self, stop: &Stop) {
        while !stop.wait(Duration::ZERO) {
            for change in self.changes.next(WAIT) {
                let change = self.engine.change_on_topics(change);
                if let Err(error) =
                    self.publisher.publish(&job_event(change, self.changes.dropped()))
                {
                    log::debug!("~/jobs: {error}");
                }
            }
        }
    }
}
