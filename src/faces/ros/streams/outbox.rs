//! Events on their way from the thread that makes them to the one that stores them.

use robot_memory_core::api::{ApiError, CaptureResponse};
use robot_memory_core::object::SeenObjects;
use robot_memory_perception::Event;
use std::collections::VecDeque;
use std::sync::mpsc::SyncSender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a capture brought, once it is stored.
pub(super) type Captured = Result<CaptureResponse, ApiError>;

/// What is to be done with the store, in this order.
#[derive(Debug)]
pub(super) enum Outgoing {
    Event(Box<Event>),
    /// What became known of objects.
    Objects(Box<SeenObjects>),
    /// All events of a capture are stored by now; who asked for it waits.
    Captured(String, SyncSender<Captured>),
}

impl Outgoing {
    fn bytes(&self) -> usize {
        match self {
            Self::Event(event) => {
                let texts = event.data.len() + event.metadata.len() + event.description.len();
                let clip: usize = event.clip.iter().map(|message| message.bytes.len()).sum();
                size_of::<Event>() + texts + clip
            }
            Self::Objects(seen) => seen.bytes(),
            // They are bounded by how many there are.
            Self::Captured(..) => 0,
        }
    }
}

/// Bounded: while the store is not to be written, the oldest events make room.
pub(super) struct Outbox {
    bytes_max: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Outgoing>,
    bytes: usize,
    is_closed: bool,
    /// Until then what waits may still be stored.
    deadline: Option<Instant>,
}

impl Outbox {
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Puts something in. Answers the events that were dropped for it.
    pub fn put(&self, outgoing: Outgoing) -> Vec<Event> {
        let mut dropped = Vec::new();
        let mut state = self.state();
        let mut outgoing = outgoing;
        if let Outgoing::Objects(later) = outgoing {
            let is_objects = |waits: &Outgoing| matches!(waits, Outgoing::Objects(_));
            let waiting = state.waiting.iter().position(is_objects);
            let waiting = waiting.and_then(|place| state.waiting.remove(place));
            outgoing = match waiting {
                Some(Outgoing::Objects(mut known)) => {
                    state.bytes -= known.bytes();
                    known.add(*later);
                    Outgoing::Objects(known)
                }
                _ => Outgoing::Objects(later),
            };
        }
        state.bytes += outgoing.bytes();
        state.waiting.push_back(outgoing);
        while state.bytes > self.bytes_max && state.waiting.len() > 1 {
            let is_event = |outgoing: &Outgoing| matches!(outgoing, Outgoing::Event(_));
            let Some(oldest) = state.waiting.iter().position(is_event) else { break };
            let Some(oldest) = state.waiting.remove(oldest) else { break };
            state.bytes -= oldest.bytes();
            if let Outgoing::Event(event) = oldest {
                dropped.push(*event);
            }
        }
        drop(state);
        self.changed.notify_all();
        dropped
    }

    /// Says that nothing more will come.
    pub fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// Says until when what waits may still be stored.
    pub fn set_deadline(&self, deadline: Instant) {
        self.state().deadline = Some(deadline);
        self.changed.notify_all();
    }

    /// Up to so many, as soon as there are any. `None` when nothing more will come and all was taken,
    /// or at the deadline.
    pub fn take(&self, count_max: usize) -> Option<Vec<Outgoing>> {
        let mut state = self.state();
        while state.waiting.is_empty() && !state.is_closed && !state.is_late() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.waiting.is_empty() || state.is_late() {
            return None;
        }
        let count = count_max.min(state.waiting.len());
        let taken: Vec<_> = state.waiting.drain(..count).collect();
        state.bytes -= taken.iter().map(Outgoing::bytes).sum::<usize>();
        Some(taken)
    }

    /// Rests for a while, or until the deadline. Answers whether that has come.
    pub fn rest(&self, sleep: Duration) -> bool {
        let mut state = self.state();
        let end = Instant::now() + sleep;
        loop {
            let now = Instant::now();
            if now >= end || state.is_late() {
                return state.is_late();
            }
            let until = state.deadline.map_or(end, |deadline| deadline.min(end));
            let woken = self.changed.wait_timeout(state, until.saturating_duration_since(now));
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What was never taken.
    pub fn rest_of(&self) -> Vec<Outgoing> {
        self.state().waiting.drain(..).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_memory_core::model::{PerceptionType, Stamp};
    use robot_memory_perception::TriggerKind;
    use std::sync::mpsc::sync_channel;

    fn event(key: &str, data_bytes: usize) -> Event {
        Event {
            key: key.to_owned(),
            event_id: key.to_owned(),
            stamp: Stamp(1),
            end: Stamp(2),
            stream: "wrist".to_owned(),
            topic: "/wrist".to_owned(),
            trigger: TriggerKind::Contact,
            perception_type: PerceptionType::Tactile,
            description: String::new(),
            data: "x".repeat(data_bytes),
            metadata: String::new(),
            context: String::new(),
            importance: 0.5,
            collection: String::new(),
            signature: None,
            clip: Vec::new(),
        }
    }

    fn put(outbox: &Outbox, key: &str) -> Vec<String> {
        let dropped = outbox.put(Outgoing::Event(Box::new(event(key, 10_000))));
        dropped.into_iter().map(|event| event.key).collect()
    }

    fn taken(outbox: &Outbox) -> Option<Vec<String>> {
        let taken = outbox.take(2)?;
        let name = |outgoing: Outgoing| match outgoing {
            Outgoing::Event(event) => event.key,
            Outgoing::Objects(seen) => format!("{} objects", seen.objects.len()),
            Outgoing::Captured(id, _) => format!("captured {id}"),
        };
        Some(taken.into_iter().map(name).collect())
    }

    #[test]
    fn the_oldest_events_make_room() {
        let outbox = Outbox::new(25_000);
        let (reply, _replied) = sync_channel(1);
        assert!(outbox.put(Outgoing::Captured("z".to_owned(), reply)).is_empty());
        assert_eq!(put(&outbox, "a"), [""; 0]);
        assert_eq!(put(&outbox, "b"), [""; 0]);
        assert_eq!(put(&outbox, "c"), ["a"]);
        outbox.close();
        assert_eq!(taken(&outbox).unwrap(), ["captured z", "b"]);
        assert_eq!(taken(&outbox).unwrap(), ["c"]);
        assert_eq!(taken(&outbox), None);
    }

    #[test]
    fn at_the_deadline_nothing_more_is_taken() {
        let outbox = Outbox::new(1 << 20);
        put(&outbox, "a");
        assert!(!outbox.rest(Duration::from_millis(1)));
        outbox.set_deadline(Instant::now());
        assert!(outbox.rest(Duration::from_secs(60)));
        assert_eq!(taken(&outbox), None);
        assert_eq!(outbox.rest_of().len(), 1);
    }
}
