//! `~/jobs`: each change of a job's state.

use crate::faces::ros::publish::{PublisherQos, publish};
use crate::faces::ros::stop::Task;
use crate::faces::ros::wire::job_event;
use r2r::robot_memory::msg::JobEvent;
use r2r::{Publisher, QosProfile};
use robot_memory_engine::Engine;
use std::sync::Arc;
use std::time::Duration;

/// Messages that the middleware keeps for a subscriber that is slow: a job goes through four states,
/// so this is some dozens of jobs.
const DEPTH: usize = 300;
/// Changes that may wait for being published.
const WAITING_MAX: usize = 10_000;
/// How late the stop may be seen.
const WAIT: Duration = Duration::from_millis(200);

/// The topic.
pub(in crate::faces::ros) struct JobEvents(Publisher<JobEvent>);

impl JobEvents {
    /// Offers it.
    ///
    /// # Errors
    /// When there can be no such publisher.
    pub fn offer(node: &mut r2r::Node, overrides: &PublisherQos) -> r2r::Result<Self> {
        let qos = QosProfile::default().reliable().keep_last(DEPTH);
        overrides.create_publisher("~/jobs", node, qos).map(Self)
    }

    /// Publishes what becomes of jobs, from now on.
    pub fn task(&self, engine: &Arc<Engine>) -> Task {
        let (publisher, engine) = (self.0.clone(), Arc::clone(engine));
        let changes = engine.job_changes(WAITING_MAX);
        Box::new(move |stop| {
            loop {
                // What is there when it is time to stop is still published.
                let is_over = stop.wait(Duration::ZERO);
                let waiting = changes.next(if is_over { Duration::ZERO } else { WAIT });
                if is_over && waiting.is_empty() {
                    return;
                }
                for change in waiting {
                    let change = engine.change_on_topics(change);
                    publish(&publisher, "~/jobs", &job_event(change, changes.dropped()));
                }
            }
        })
    }
}
