//! Messages on their way from the thread that hears to the one that understands.

use robot_memory_core::model::Stamp;
use robot_memory_messages::Interface;
use robot_memory_perception::{Received, Source, StreamSettings};
use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the recorder has to know of a stream before it gets the messages that follow.
#[derive(Debug, Clone)]
pub(super) enum StreamUpdate {
    /// The next stream, its topic in full.
    Stream(Box<StreamSettings>),
    /// Messages of a source are of this type from now on.
    Type(Source, String, Option<Interface>),
}

/// What came since the last time.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    /// To be heeded first, in this order.
    pub updates: Vec<StreamUpdate>,
    /// In the order of arrival: time that goes back means a new beginning.
    pub messages: Vec<Received>,
    /// ROS time now; all messages until then are here or were before.
    pub now: Option<Stamp>,
    /// Whether time ends here, and how.
    pub end: Option<End>,
}

/// How time ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// It stands still, and may go on.
    Pause,
    /// It begins anew.
    Reset,
}

/// The messages of one source that wait, the oldest in front.
#[derive(Debug, Default)]
struct SourceQueue {
    waiting: VecDeque<Received>,
    bytes: usize,
}

/// Until the next end of time.
#[derive(Debug, Default)]
struct Epoch {
    updates: Vec<StreamUpdate>,
    /// By source.
    queues: Vec<SourceQueue>,
    now: Option<Stamp>,
    end: Option<End>,
}

/// Bounded for each source: the oldest messages make room.
pub(super) struct Inbox {
    bytes_max: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The last is the one that goes on.
    epochs: VecDeque<Epoch>,
    is_closed: bool,
}

/// Ends of time that may wait; beyond it two become one. More come only of a clock that is broken.
const EPOCHS_MAX: usize = 4;

/// The sources in a fixed order: poses, then the streams.
pub(super) fn place(source: Source) -> usize {
    match source {
        Source::Pose => 0,
        Source::PoseStatic => 1,
        Source::PoseBeside => 2,
        Source::Covariance => 3,
        Source::Map => 4,
        Source::Stream(stream) => stream + 5,
    }
}

impl Inbox {
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Puts in what is to be known before the messages to come.
    pub fn update(&self, update: StreamUpdate) {
        self.state().current().updates.push(update);
    }

    /// Puts in messages, and the time until which all are in. Answers how many of which sources
    /// were dropped for them.
    pub fn deliver(
        &self,
        messages: impl IntoIterator<Item = Received>,
        now: Option<Stamp>,
    ) -> Vec<(Source, u64)> {
        let mut dropped = Vec::new();
        let mut state = self.state();
        let epoch = state.current();
        epoch.now = now.or(epoch.now);
        for message in messages {
            let source = message.source;
            let index = place(source);
            if epoch.queues.len() <= index {
                epoch.queues.resize_with(index + 1, SourceQueue::default);
            }
            let queue = &mut epoch.queues[index];
            queue.bytes += message.message.len();
            queue.waiting.push_back(message);
            let mut count = 0;
            // The newest stays even when it is too large alone: else such a stream would be silent.
            while queue.bytes > self.bytes_max && queue.waiting.len() > 1 {
                let oldest = queue.waiting.pop_front();
                queue.bytes -= oldest.map_or(0, |oldest| oldest.message.len());
                count += 1;
            }
            if count > 0 {
                dropped.push((source, count));
            }
        }
        drop(state);
        self.changed.notify_all();
        dropped
    }

    /// Says that time ends after what was put in.
    pub fn end_time(&self, end: End) {
        let mut state = self.state();
        if state.epochs.len() < EPOCHS_MAX {
            state.current().end = Some(end);
            state.epochs.push_back(Epoch::default());
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Says that nothing more will come.
    pub fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// What came, at once when something did, else after this time. `None` when nothing more will
    /// come, and all was taken.
    pub fn take(&self, wait_max: Duration) -> Option<Delivery> {
        let mut state = self.state();
        if state.is_empty() && !state.is_closed {
            let woken = self.changed.wait_timeout(state, wait_max);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.is_empty() && state.is_closed {
            return None;
        }
        let epoch = match state.epochs.front() {
            Some(front) if front.end.is_some() => state.epochs.pop_front().unwrap_or_default(),
            _ => {
                let epoch = take(state.current());
                state.current().now = epoch.now;
                epoch
            }
        };
        let mut messages: Vec<_> =
            epoch.queues.into_iter().flat_map(|queue| queue.waiting).collect();
        // The queue of each source is in order, so this only merges them.
        messages.sort_by_key(|message| message.received);
        Some(Delivery { updates: epoch.updates, messages, now: epoch.now, end: epoch.end })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn current(&mut self) -> &mut Epoch {
        if self.epochs.is_empty() {
            self.epochs.push_back(Epoch::default());
        }
        let last = self.epochs.len() - 1;
        &mut self.epochs[last]
    }

    fn is_empty(&self) -> bool {
        self.epochs.iter().all(|epoch| {
            epoch.end.is_none()
                && epoch.updates.is_empty()
                && epoch.queues.iter().all(|queue| queue.waiting.is_empty())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(source: Source, received: i64, bytes: usize) -> Received {
        Received { source, received: Stamp(received), message: vec![0; bytes].into() }
    }

    fn taken(inbox: &Inbox) -> Option<(Vec<i64>, Option<i64>, bool)> {
        let delivery = inbox.take(Duration::ZERO)?;
        let messages = delivery.messages.iter().map(|message| message.received.0).collect();
        Some((messages, delivery.now.map(|now| now.0), delivery.end.is_some()))
    }

    #[test]
    fn the_oldest_of_a_source_make_room() {
        let inbox = Inbox::new(100);
        let (a, b) = (Source::Stream(0), Source::Stream(1));
        let messages = [(a, 1), (b, 2), (a, 3), (a, 4), (a, 5)];
        let messages = messages.map(|(source, received)| message(source, received, 40));
        assert_eq!(inbox.deliver(messages, Some(Stamp(5))), [(a, 1), (a, 1)]);
        assert_eq!(taken(&inbox), Some((vec![2, 4, 5], Some(5), false)));
        assert_eq!(inbox.deliver([message(a, 6, 1000)], None), []);
        assert_eq!(taken(&inbox), Some((vec![6], Some(5), false)));
        assert_eq!(taken(&inbox), Some((vec![], Some(5), false)));
    }

    #[test]
    fn what_comes_after_an_end_of_time_is_taken_after_it() {
        let inbox = Inbox::new(100);
        let source = Source::Pose;
        inbox.deliver([message(source, 8, 1)], Some(Stamp(9)));
        inbox.end_time(End::Reset);
        inbox.deliver([message(source, 1, 1)], Some(Stamp(2)));
        inbox.close();
        assert_eq!(taken(&inbox), Some((vec![8], Some(9), true)));
        assert_eq!(taken(&inbox), Some((vec![1], Some(2), false)));
        assert_eq!(taken(&inbox), None);
    }

    #[test]
    fn ends_of_time_are_bounded() {
        let inbox = Inbox::new(100);
        for stamp in 0..100 {
            inbox.deliver([message(Source::Pose, stamp, 60)], None);
            inbox.end_time(End::Reset);
        }
        inbox.close();
        let mut message_count = 0;
        while let Some((messages, _, _)) = taken(&inbox) {
            message_count += messages.len();
        }
        assert!(message_count <= EPOCHS_MAX, "{message_count}");
    }
}
