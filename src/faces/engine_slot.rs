//! Room for an engine, which is there only in some states of a program.

use robot_memory_core::api::ApiError;
use robot_memory_engine::Engine;
use std::sync::{Arc, PoisonError, RwLock};

/// What callers are told while no store is open.
pub(super) const UNCONFIGURED: &str =
    "the node is unconfigured: configure and activate it first (~/change_state)";

/// Room for one, shared by those that use what is in it.
pub(super) struct Slot<T>(Arc<RwLock<Option<Arc<T>>>>);

/// The engine of a program that has the store open.
pub(super) type EngineSlot = Slot<Engine>;

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
    /// `unavailable` while the store is not open.
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
