//! Steps of goals on their way to the store.

use super::tracker::GoalStep;
use robot_memory_core::limits::GOAL_STEPS_MAX;
use robot_memory_core::model::Stamp;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A step of a goal of an action.
#[derive(Debug, Clone)]
pub(super) struct QueuedStep {
    pub action: Arc<str>,
    /// Empty when it is not known.
    pub type_name: Arc<str>,
    pub step: GoalStep,
    /// When its status came, in ROS time; `None`: there was none yet.
    pub received_at: Option<Stamp>,
    /// The same by the clock of the machine.
    pub received: Instant,
}

/// Bounded: what does not fit stays with who receives it.
#[derive(Default)]
pub(super) struct GoalQueue {
    steps: Mutex<VecDeque<QueuedStep>>,
    changed: Condvar,
}

impl GoalQueue {
    /// Puts a step at the end. Answers whether there was room.
    pub fn put(&self, step: QueuedStep) -> bool {
        let mut steps = self.lock();
        let has_room = steps.len() < GOAL_STEPS_MAX;
        if has_room {
            steps.push_back(step);
            self.changed.notify_one();
        }
        has_room
    }

    /// The oldest step, which stays; waits for one at most so long.
    pub fn first(&self, wait_max: Duration) -> Option<QueuedStep> {
        let steps = self.lock();
        let waited = self.changed.wait_timeout_while(steps, wait_max, |steps| steps.is_empty());
        waited.unwrap_or_else(PoisonError::into_inner).0.front().cloned()
    }

    /// Takes the oldest step away.
    pub fn remove_first(&self) {
        self.lock().pop_front();
    }

    pub fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<QueuedStep>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
