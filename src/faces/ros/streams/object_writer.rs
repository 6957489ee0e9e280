//! What the thread `store` does with objects.

use super::outbox::Outbox;
use super::status::ThrottledCount;
use robot_memory_core::api::ErrorKind;
use robot_memory_core::object::{SeenObjects, TrackedObject};
use robot_memory_engine::Engine;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Before the next attempt, when the store cannot be written.
const REST: Duration = Duration::from_secs(1);

/// What it remembers of them.
#[derive(Default)]
pub(super) struct ObjectNotes {
    refused_count: u64,
    refused: ThrottledCount,
    is_blocked: bool,
}

/// Reads the objects that are stored, for a recorder that begins.
pub(super) fn stored_objects(engine: &Arc<Engine>) -> Box<dyn Fn() -> Vec<TrackedObject> + Send> {
    let engine = Arc::clone(engine);
    Box::new(move || {
        engine.known_objects().unwrap_or_else(|error| {
            log::warn!("the objects that are stored are not known to the detector: {error}");
            Vec::new()
        })
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
                    log::warn!("what was seen of {} objects was not stored", seen.objects.len());
                    return;
                }
            }
            Err(error) => {
                log::warn!(
                    "what was seen of {} objects was not stored: {error}",
                    seen.objects.len()
                );
                return;
            }
        }
    }
}
