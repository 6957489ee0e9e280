//! What the thread `store` does with objects.

use super::detector::StoredObjects;
use super::outbox::Outbox;
use super::status::ThrottledCount;
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_core::object::SeenObjects;
use robot_memory_engine::Engine;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Before the next attempt, when the store cannot be written.
const REST: Duration = Duration::from_secs(1);
/// Attempts at what fails for another reason: it may be the objects themselves.
const ATTEMPTS_MAX: u32 = 3;

/// What it remembers of them.
#[derive(Default)]
pub(super) struct ObjectNotes {
    refused_count: u64,
    refused: ThrottledCount,
    is_blocked: bool,
    /// Objects of which something seen was not stored.
    lost_count: u64,
}

impl ObjectNotes {
    fn lose(&mut self, seen: &SeenObjects, error: &ApiError) {
        let count = seen.objects.len();
        self.lost_count += count as u64;
        log::warn!(
            "what was seen of {count} objects was not stored, of {} until now: {error}",
            self.lost_count
        );
    }
}

/// Reads the objects that are stored, for a recorder that begins, or that knows those of another generation.
pub(super) fn stored_objects(
    engine: &Arc<Engine>,
) -> Box<dyn Fn(Option<u64>) -> Option<StoredObjects> + Send> {
    let engine = Arc::clone(engine);
    Box::new(move |known| {
        // Before the objects are read: what changes meanwhile is read again.
        let generation = engine.objects_generation();
        if known == Some(generation) {
            return None;
        }
        let objects = engine.known_objects().inspect_err(|error| {
            log::warn!("the objects that are stored are not known to the detector: {error}");
        });
        Some(StoredObjects { generation, objects: objects.ok()? })
    })
}

/// Stores what became known of objects; while the store cannot be written it waits, and what becomes known
/// meanwhile waits in the outbox as one.
pub(super) fn store_objects(
    engine: &Engine,
    outbox: &Outbox,
    seen: SeenObjects,
    notes: &mut ObjectNotes,
) {
    let mut attempts = 0;
    loop {
        match engine.record_objects(seen.clone()) {
            Ok(refused_count) => {
                if std::mem::take(&mut notes.is_blocked) {
                    log::info!("objects are stored again");
                }
                notes.refused_count += refused_count;
                if refused_count > 0
                    && let Some(more) = notes.refused.more(notes.refused_count, Instant::now())
                {
                    log::warn!(
                        "{more} objects were not stored: a label holds what is never stored"
                    );
                }
                return;
            }
            Err(error) if error.kind == ErrorKind::Unavailable => {
                if !std::mem::replace(&mut notes.is_blocked, true) {
                    log::warn!("objects wait: {error}");
                }
                if outbox.rest(REST) {
                    return notes.lose(&seen, &error);
                }
            }
            Err(error) => {
                attempts += 1;
                if attempts >= ATTEMPTS_MAX || outbox.rest(REST) {
                    return notes.lose(&seen, &error);
                }
            }
        }
    }
}
