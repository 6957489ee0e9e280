//! `~/events`: each memory as it is stored.

use super::stop::Stop;
use super::wire::memory_event;
use r2r::robot_memory::msg::MemoryEvent;
use r2r::{Publisher, QosProfile};
use robot_memory_engine::{Engine, NewMemories};
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

/// Publishes new memories.
pub(super) struct Events {
    engine: Arc<Engine>,
    new: NewMemories,
    publisher: Publisher<MemoryEvent>,
}

impl Events {
    /// Listens from now on.
    ///
    /// # Errors
    /// When there can be no such publisher.
    pub fn offer(node: &mut r2r::Node, engine: &Arc<Engine>) -> r2r::Result<Self> {
        let qos = QosProfile::default().reliable().keep_last(DEPTH);
        Ok(Self {
            engine: Arc::clone(engine),
            new: engine.new_memories(WAITING_MAX),
            publisher: node.create_publisher("~/events", qos)?,
        })
    }

    /// Publishes until it is time to stop.
    pub fn run(self, stop: &Stop) {
        let mut rest = Duration::ZERO;
        while !stop.wait(rest) {
            rest = Duration::ZERO;
            match self.new.next(&self.engine, WAIT) {
                Ok(new) => {
                    for memory in new {
                        if let Err(error) = self.publisher.publish(&memory_event(memory)) {
                            log::debug!("~/events: {error}");
                        }
                    }
                }
                Err(error) => {
                    log::debug!("~/events: {error}");
                    rest = REST_AFTER_FAULT;
                }
            }
        }
    }
}
