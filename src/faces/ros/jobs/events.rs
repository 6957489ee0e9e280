//! `~/jobs`: each change of a job's state.

use crate::faces::ros::publish::publish;
use crate::faces::ros::stop::Task;
use crate::faces::ros::wire::job_event;
use r2r::QosProfile;
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

/// Publishes what becomes of jobs, from now on.
///
/// # Errors
/// When there can be no such publisher.
pub(in crate::faces::ros) fn job_events(
    node: &mut r2r::Node,
    engine: &Arc<Engine>,
) -> r2r::Result<Task> {
    let qos = QosProfile::default().reliable().keep_last(DEPTH);
    let publisher = node.create_publisher("~/jobs", qos)?;
    let engine = Arc::clone(engine);
    let changes = engine.job_changes(WAITING_MAX);
    Ok(Box::new(move |stop| {
        while !stop.wait(Duration::ZERO) {
            for change in changes.next(WAIT) {
                let change = engine.change_on_topics(change);
                publish(&publisher, "~/jobs", &job_event(change, changes.dropped()));
            }
        }
    }))
}
