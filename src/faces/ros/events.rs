//! `~/events`: each memory as it is stored.

use super::publish::{PublisherQos, publish};
use super::stop::Task;
use super::wire::memory_event;
use r2r::robot_memory::msg::MemoryEvent;
use r2r::{Publisher, QosProfile};
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

/// The topic.
pub(super) struct Events(Publisher<MemoryEvent>);

impl Events {
    /// Offers it.
    ///
    /// # Errors
    /// When there can be no such publisher.
    pub fn offer(node: &mut r2r::Node, overrides: &PublisherQos) -> r2r::Result<Self> {
        let qos = QosProfile::default().reliable().keep_last(DEPTH);
        overrides.create_publisher("~/events", node, qos).map(Self)
    }

    /// Publishes new memories, from now on.
    pub fn task(&self, engine: &Arc<Engine>) -> Task {
        let (publisher, engine) = (self.0.clone(), Arc::clone(engine));
        let memories = engine.new_memories(WAITING_MAX);
        Box::new(move |stop| {
            let mut rest = Duration::ZERO;
            loop {
                // What is there when it is time to stop is still published.
                let is_over = stop.wait(rest);
                rest = Duration::ZERO;
                match memories.next(&engine, if is_over { Duration::ZERO } else { WAIT }) {
                    Ok(new) if is_over && new.is_empty() => return,
                    Ok(new) => {
                        for memory in new {
                            publish(&publisher, "~/events", &memory_event(memory));
                        }
                    }
                    Err(error) if is_over => return log::warn!("~/events: {error}"),
                    Err(error) => {
                        log::debug!("~/events: {error}");
                        rest = REST_AFTER_FAULT;
                    }
                }
            }
        })
    }
}
