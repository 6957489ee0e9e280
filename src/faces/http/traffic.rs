//! What goes over the listener: connections, answers, streams of events; counted and bounded.

use super::problem::Problem;
use axum::http::StatusCode;
use robot_memory_core::limits::{
    HTTP_CONNECTIONS_MAX, HTTP_EVENT_STREAMS_MAX, HTTP_EVENT_STREAMS_PER_CALLER_MAX,
};
use robot_memory_core::model::Kind;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// The first status, and how many there can be.
const STATUS_MIN: u16 = 100;
const STATUSES: usize = 500;

/// What goes over the listener since the start.
pub(super) struct Traffic {
    /// Connections that there may still be.
    pub connections: Arc<Semaphore>,
    pub streams: Arc<Places>,
    /// Answers by their status.
    answers: Box<[AtomicU64]>,
    /// Events that were sent, by the place of their kind.
    events: Box<[AtomicU64]>,
    gaps: AtomicU64,
}

impl Default for Traffic {
    fn default() -> Self {
        let counters = |count| (0..count).map(|_| AtomicU64::new(0)).collect();
        Self {
            connections: Arc::new(Semaphore::new(HTTP_CONNECTIONS_MAX)),
            streams: Arc::default(),
            answers: counters(STATUSES),
            events: counters(Kind::ALL.len()),
            gaps: AtomicU64::new(0),
        }
    }
}

impl Traffic {
    pub fn count_answer(&self, status: StatusCode) {
        let place = usize::from(status.as_u16().saturating_sub(STATUS_MIN));
        if let Some(count) = self.answers.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn count_event(&self, kind: Kind) {
        let place = Kind::ALL.iter().position(|one| *one == kind);
        if let Some(count) = place.and_then(|place| self.events.get(place)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn count_gap(&self) {
        self.gaps.fetch_add(1, Ordering::Relaxed);
    }

    /// Connections that there are.
    pub fn open_connections(&self) -> usize {
        HTTP_CONNECTIONS_MAX.saturating_sub(self.connections.available_permits())
    }

    /// Answers by those statuses that there were.
    pub fn answers(&self) -> impl Iterator<Item = (u16, u64)> {
        let counts = self.answers.iter().map(|count| count.load(Ordering::Relaxed));
        (STATUS_MIN..).zip(counts).filter(|(_, count)| *count > 0)
    }

    /// What was sent over streams: events by kind, and gaps.
    pub fn sent_events(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let names = Kind::ALL.iter().map(|kind| kind.as_str()).chain(["gap"]);
        let counts = self.events.iter().chain([&self.gaps]);
        names.zip(counts.map(|count| count.load(Ordering::Relaxed)))
    }
}

/// Streams that there are, by their callers' names.
#[derive(Debug, Default)]
pub(super) struct Places(Mutex<HashMap<String, usize>>);

/// Room for a stream, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    of: Arc<Places>,
    name: String,
}

impl Places {
    /// Room for one more of this caller.
    ///
    /// # Errors
    /// When it has as many as it may, or all together have.
    pub fn take(places: &Arc<Self>, name: &str) -> Result<Place, Problem> {
        let full = |status, what, max| {
            Problem::new(status, "unavailable", format!("{what} {max} streams of events; end one"))
        };
        let mut taken = places.0.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.get(name).is_some_and(|count| *count >= HTTP_EVENT_STREAMS_PER_CALLER_MAX) {
            let (status, max) = (StatusCode::TOO_MANY_REQUESTS, HTTP_EVENT_STREAMS_PER_CALLER_MAX);
            return Err(full(status, "a caller may have", max));
        }
        if taken.values().sum::<usize>() >= HTTP_EVENT_STREAMS_MAX {
            let (status, max) = (StatusCode::SERVICE_UNAVAILABLE, HTTP_EVENT_STREAMS_MAX);
            return Err(full(status, "there may be", max));
        }
        *taken.entry(name.to_owned()).or_default() += 1;
        Ok(Place { of: Arc::clone(places), name: name.to_owned() })
    }

    /// Streams that there are.
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.of.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.name) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_and_all_together_have_so_many_streams() {
        let places: Arc<Places> = Arc::default();
        let take = |name: &str| Places::take(&places, name).map_err(|problem| problem.to_string());
        let mut taken: Vec<Place> =
            (0..HTTP_EVENT_STREAMS_PER_CALLER_MAX).map(|_| take("a").unwrap()).collect();
        assert!(take("a").unwrap_err().contains("a caller may have 8"));
        while taken.len() < HTTP_EVENT_STREAMS_MAX {
            taken.push(take(&format!("b{}", taken.len())).unwrap());
        }
        assert!(take("c").unwrap_err().contains("there may be 32"));
        assert_eq!(places.count(), HTTP_EVENT_STREAMS_MAX);
        taken.clear();
        assert_eq!(places.count(), 0);
        assert!(places.0.lock().unwrap().is_empty());
        take("a").unwrap();
    }
}
