//! The context that all nodes of the process share.

use super::RclError;
use r2r_rcl::rcl_context_t;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The context of the process, which r2r made and never gives up.
///
/// A second one would be a second participant of DDS. Fast DDS 2 delivers between participants of one
/// process by calls from one into the other, and deadlocks when a reader or a participant is deleted
/// in such a call (its issue 6193).
pub(super) struct SharedContext(r2r::Context);

/// What `r2r::Context` holds, of which it shows nothing: one pointer, to a box behind its mutex.
type ContextInside = Arc<Mutex<Box<rcl_context_t>>>;

impl SharedContext {
    /// # Errors
    /// When there is none, since the command line cannot be read.
    pub fn of_process() -> Result<Self, RclError> {
        r2r::Context::create().map(Self).map_err(|error| RclError(error.to_string()))
    }

    /// Keeps r2r and others from making and ending nodes meanwhile, for which rcl is not made.
    pub fn lock(&self) -> MutexGuard<'_, Box<rcl_context_t>> {
        const { assert!(size_of::<r2r::Context>() == size_of::<ContextInside>()) };
        // SAFETY: in the one version of r2r that may be linked (`Cargo.toml`), `Context` has one field,
        // and that is `ContextInside` but for a struct around the box, which has no other field.
        let inside = unsafe { &*(&raw const self.0).cast::<ContextInside>() };
        inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
