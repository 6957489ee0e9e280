//! `~/events`: each memory as it is stored.

use super::publish::publish;
use super::stop::Task;
use super::wire::memory_event;
use r2r::QosProfile;
use robot_memory_engine::Engine;
use std::sync::Arc;
use std::time::Duration;

/// Messages that the middleware keeps for a subscriber that is slow.
const DEPTH: usize = 100;
/// Memories that may wait for being published: batches are stored by the thousand.
const WAITING_MAX: usize = 10_000;
/// How late the stop may be seen.
const WAIT: Duration = Duration::from_millis(200);
/// After a fault, which the next memory would most likely meet again.
const REST_AFTER_FAULT: Duration = Duration::from_secs(1);

/// Publishes new memories, from now on.
///
/// # Errors
/// When there can be no such publisher.
pub(super) fn offer(node: &mut r2r::Node, engine: &Arc<Engine>) -> r2r::Result<Task> {
    let qos = QosProfile::default().reliable().keep_last(DEPTH);
    let publisher = node.create_publisher("~/events", qos)?;
    let engine = Arc::clone(engine);
    let memories = engine.new_memories(WAITING_MAX);
    Ok(Box::new(move |stop| {
        let mut rest = Duration::ZERO;
        while !stop.wait(rest) {
            rest = Duration::ZERO;
            match memories.next(&engine, WAIT) {
                Ok(new) => {
                    for memory in new {
                        publish(&publisher, "~/events", &memory_event(memory));
                    }
                }
                Err(error) => {
                    log::debug!("~/events: {error}");
                    rest = REST_AFTER_FAULT;
                }
            }
        }
    }))
}
