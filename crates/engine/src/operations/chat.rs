//! The endpoint that may do by a language model what rules do else.

use crate::Operations;
use robot_memory_chat::{Chat, ChatError};
use robot_memory_db::RwLocked;
use std::sync::Arc;

impl Operations {
    /// Lets an endpoint take facts out of steps and sum them up; what it cannot do, and with `None` all of
    /// it, is done by rules.
    pub fn set_chat(&self, chat: Option<Arc<dyn Chat>>) {
        *self.chat.write_locked() = chat;
    }

    pub(crate) fn chat(&self) -> Option<Arc<dyn Chat>> {
        self.chat.read_locked().clone()
    }
}

/// The kind of an error of the endpoint, for reports.
pub(crate) fn word_for(error: &ChatError) -> &'static str {
    match error {
        ChatError::Timeout => "timeout",
        ChatError::Unreachable(_) => "unreachable",
        ChatError::Status(_) => "status",
        ChatError::TooLong => "answer_too_long",
        ChatError::PromptTooLong(_) => "prompt_too_long",
        ChatError::NotJson(_) => "not_json",
        ChatError::Shape(_) => "shape",
        ChatError::Nothing => "nothing",
    }
}
