//! What is there only in some states of the node.

use super::streams::Streams;
use robot_memory_core::api::ApiError;
use robot_memory_engine::Engine;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// How often the spinning thread has gone round: a count that does not change tells that it hangs.
#[derive(Clone, Default)]
pub(super) struct Rounds(Arc<AtomicU64>);

impl Rounds {
    /// One more.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What callers are told while no store is open.
pub(super) const UNCONFIGURED: &str =
    "the node is unconfigured: configure and activate it first (~/change_state)";

/// Room for one, shared by those that use what is in it. Services are made once and before there is an
/// engine, since r2r takes none of them away.
pub(super) struct Slot<T>(Arc<RwLock<Option<Arc<T>>>>);

/// The engine of a configured node.
pub(super) type EngineSlot = Slot<Engine>;
/// The streams of an active node that has any.
pub(super) type StreamsSlot = Slot<Streams>;

impl<T> Slot<T> {
    /// What is in it now.
    pub fn get(&self) -> Option<Arc<T>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts something in, or takes it away.
    pub fn set(&self, value: Option<Arc<T>>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = value;
    }
}

impl EngineSlot {
    /// The engine.
    ///
    /// # Errors
    /// `unavailable` while the node is unconfigured.
    pub fn engine(&self) -> Result<Arc<Engine>, ApiError> {
        self.get().ok_or_else(|| ApiError::unavailable(UNCONFIGURED))
    }
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}
