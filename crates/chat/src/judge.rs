//! Whether two statements say the same, by an endpoint.

use super::grounded::Grounds;
use super::{Chat, ChatError, answer, prompts};
use serde::Deserialize;

/// What an endpoint says of two statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatJudgment {
    /// They say the same.
    Same,
    /// They say two things.
    Apart,
    /// They cannot both hold.
    Contradict,
}

#[derive(Deserialize)]
struct Answer {
    verdict: String,
}

/// Asks whether two statements say the same. `None`: one of them speaks to the model, which is not asked
/// then.
///
/// # Errors
/// When the endpoint fails, when its answer is none of the three, and when the statements are too long to
/// be sent.
pub fn judged_by_chat(
    chat: &dyn Chat,
    statements: [&str; 2],
) -> Result<Option<ChatJudgment>, ChatError> {
    prompts::check_len(&statements)?;
    let grounds = Grounds::of(&statements, None);
    if grounds.is_order(0) || grounds.is_order(1) {
        return Ok(None);
    }
    let prompt = prompts::pair(statements);
    let answer: Answer = answer::read(&chat.complete(prompts::JUDGE_SYSTEM, &prompt)?)?;
    match answer.verdict.trim() {
        "yes" => Ok(Some(ChatJudgment::Same)),
        "no" => Ok(Some(ChatJudgment::Apart)),
        "contradict" => Ok(Some(ChatJudgment::Contradict)),
        _ => Err(ChatError::Shape("verdict")),
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
