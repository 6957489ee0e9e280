//! A summary of statements, by an endpoint.

use super::grounded::Grounds;
use super::{Chat, ChatError, answer, prompts};
use robot_memory_text::inference::sentences;
use serde::Deserialize;

/// What an endpoint made of several statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatSummary {
    /// Whole sentences, at least one.
    pub text: String,
    /// Sentences that were answered and not kept: they say what the statements do not, or do not fit in.
    pub dropped_count: u64,
}

#[derive(Deserialize)]
struct Answer {
    summary: String,
}

/// Asks for a summary of `statements` in at most `chars_max` characters. A sentence of it that says what
/// none of them does is dropped, and so is what does not fit in: no sentence is cut.
///
/// # Errors
/// When the endpoint fails, when its answer cannot be read, when the statements are too long to be sent,
/// and when no sentence is left.
pub fn summary_by_chat(
    chat: &dyn Chat,
    statements: &[&str],
    chars_max: usize,
) -> Result<ChatSummary, ChatError> {
    prompts::check_len(statements)?;
    let grounds = Grounds::of(statements, None);
    let prompt = prompts::summary(statements, chars_max, |index| !grounds.is_order(index));
    let answer: Answer = answer::read(&chat.complete(prompts::SUMMARY_SYSTEM, &prompt)?)?;
    let mut summary = ChatSummary { text: String::new(), dropped_count: 0 };
    let mut chars_left = chars_max;
    for sentence in sentences(&answer.summary).into_iter().filter_map(|at| answer.summary.get(at)) {
        let space = if summary.text.is_empty() || sentence.starts_with(is_wide) { "" } else { " " };
        let chars = sentence.chars().count() + space.len();
        if chars > chars_left || sentence.contains(char::is_control) || !grounds.say(sentence) {
            summary.dropped_count += 1;
            continue;
        }
        chars_left -= chars;
        summary.text.push_str(space);
        summary.text.push_str(sentence);
    }
    if summary.text.is_empty() { Err(ChatError::Nothing) } else { Ok(summary) }
}

/// Whether no space is written before it.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{9FFF}' | '\u{FF00}'..='\u{FFEF}')
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
