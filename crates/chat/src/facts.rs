//! A turn's facts, by an endpoint.

use super::grounded::{self, Grounds};
use super::{Chat, ChatError, answer, prompts};
use robot_memory_core::limits::{CHAT_DATA_BYTES_MAX, CHAT_FACTS_MAX, CONTENT_CHARS_MAX};
use serde_json::Value;

/// What an endpoint took out of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChatFacts {
    /// In the order of their sentences, those of one sentence as they were answered; at most
    /// [`CHAT_FACTS_MAX`].
    pub facts: Vec<ChatFact>,
    /// Facts that were answered and not kept: they say what the turn does not, name no sentence or no known
    /// kind, are too long, come twice or are too many.
    pub dropped_count: u64,
}

/// One fact of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatFact {
    /// `outcome`, `parameter`, `object`, `place`, `cause` or `rule`.
    pub kind: String,
    /// A statement of at most [`CONTENT_CHARS_MAX`] characters.
    pub text: String,
    /// The sentence that says it, from 1.
    pub sentence_number: usize,
}

/// The kinds of facts.
const KINDS: [&str; 6] = ["outcome", "parameter", "object", "place", "cause", "rule"];
const RULE: &str = "rule";

/// Asks for the facts of a turn: its `sentences` in order, and what was reported with it as JSON. Each fact
/// comes from a sentence; what the data alone say is not taken, but numbers and names of the data may stand
/// in a fact. Data of more than [`CHAT_DATA_BYTES_MAX`] bytes are not looked at. Sentences and data that
/// speak to the model are not shown to it, and give nothing.
///
/// # Errors
/// When the endpoint fails, when its answer cannot be read, and when the turn is too long to be sent. That
/// every fact was dropped is no error.
pub fn facts_by_chat(
    chat: &dyn Chat,
    sentences: &[&str],
    data: Option<&Value>,
) -> Result<ChatFacts, ChatError> {
    prompts::check_len(sentences)?;
    let data = data.filter(|data| {
        data.to_string().len() <= CHAT_DATA_BYTES_MAX && !grounded::holds_order(data)
    });
    let grounds = Grounds::of(sentences, data);
    let prompt = prompts::facts(sentences, data, |index| !grounds.is_order(index));
    let answer: Value = answer::read(&chat.complete(prompts::FACTS_SYSTEM, &prompt)?)?;
    let answered =
        answer.get("facts").and_then(Value::as_array).ok_or(ChatError::Shape("facts"))?;
    let mut kept = ChatFacts::default();
    for fact in answered {
        match read(fact, &grounds) {
            Some(fact) if kept.facts.len() < CHAT_FACTS_MAX && !kept.facts.contains(&fact) => {
                kept.facts.push(fact);
            }
            _ => kept.dropped_count += 1,
        }
    }
    kept.facts.sort_by_key(|fact| fact.sentence_number);
    Ok(kept)
}

/// The fact, when it is one and the turn says it.
fn read(fact: &Value, grounds: &Grounds) -> Option<ChatFact> {
    let kind = fact.get("kind")?.as_str()?;
    let text = fact.get("text")?.as_str()?.trim();
    let sentence_number = usize::try_from(fact.get("sentence")?.as_u64()?).ok()?;
    let is_short = text.chars().nth(CONTENT_CHARS_MAX).is_none();
    let is_plain = !text.is_empty() && !text.contains(char::is_control);
    let is_said = || grounds.sentence_says(sentence_number.wrapping_sub(1), text, kind == RULE);
    (KINDS.contains(&kind) && is_short && is_plain && is_said()).then(|| ChatFact {
        kind: kind.to_owned(),
        text: text.to_owned(),
        sentence_number,
    })
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod tests;
