//! The endpoint that may do by a language model what rules do else.

use super::{Engine, PoisonError};
use robot_memory_chat::Chat;
use std::sync::Arc;

impl Engine {
    /// Lets an endpoint take facts out of steps and sum them up; what it cannot do, and with `None` all of
    /// it, is done by rules.
    pub fn set_chat(&self, chat: Option<Arc<dyn Chat>>) {
        *self.chat.write().unwrap_or_else(PoisonError::into_inner) = chat;
    }

    pub(super) fn chat(&self) -> Option<Arc<dyn Chat>> {
        self.chat.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
