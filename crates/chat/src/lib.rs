//! A language model that is asked, and not believed.
//!
//! An OpenAI-compatible endpoint may take the facts out of a turn ([`facts_by_chat`]), summarize
//! ([`summary_by_chat`]) and judge whether two statements say the same ([`judged_by_chat`]) in the place of
//! rules. What it answers is held against what it was asked about:
//! a number or a name that is not there, or what is denied there and affirmed here, drops the statement,
//! and the drops are counted. Every failure is an error by which the caller falls back to the rules.
//!
//! [`ChatEndpoint::read`] reads the parameters; [`OpenAiChat::new`] makes what asks.
//!
//! ```
//! use robot_memory_chat::{Chat, ChatError, summary_by_chat};
//!
//! struct Fixed(&'static str);
//! impl Chat for Fixed {
//!     fn id(&self) -> &str {
//!         "fixed"
//!     }
//!     fn complete(&self, _system: &str, _user: &str) -> Result<String, ChatError> {
//!         Ok(self.0.to_owned())
//!     }
//! }
//!
//! let said = ["The red cup slips below 12.5 N."];
//! let summary = summary_by_chat(&Fixed(r#"{"summary": "The red cup slips below 12.5 N."}"#), &said, 200)?;
//! assert_eq!((summary.text.as_str(), summary.dropped_count), ("The red cup slips below 12.5 N.", 0));
//! // What nobody said is dropped; then nothing is left.
//! assert!(summary_by_chat(&Fixed(r#"{"summary": "The red cup slips below 15 N."}"#), &said, 200).is_err());
//! # Ok::<(), ChatError>(())
//! ```

#![warn(missing_docs)]

mod answer;
mod clauses;
#[cfg(feature = "http")]
mod endpoint;
mod facts;
mod grounded;
mod judge;
#[cfg(feature = "http")]
mod open_ai;
mod prompts;
mod summary;
mod words;

#[cfg(feature = "http")]
pub use endpoint::{ChatEndpoint, ChatEndpointError};
pub use facts::{ChatFact, ChatFacts, facts_by_chat};
pub use judge::{ChatJudgment, judged_by_chat};
#[cfg(feature = "http")]
pub use open_ai::OpenAiChat;
pub use summary::{ChatSummary, summary_by_chat};

/// Answers a prompt with text.
pub trait Chat: Send + Sync {
    /// Names model and endpoint for logs and reports, without the key.
    fn id(&self) -> &str;

    /// One answer to what `user` says, under the rules that `system` gives. It is asked once, without a
    /// repeat after a failure, and takes at most the time that the endpoint was made with.
    ///
    /// # Errors
    /// When there is no answer, or none that can be read.
    fn complete(&self, system: &str, user: &str) -> Result<String, ChatError>;
}

/// Why a chat endpoint gave nothing. None holds a text that was sent or answered, or the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// The whole answer was not there in time.
    #[error("the chat endpoint did not answer in time (chat_timeout_secs)")]
    Timeout,
    /// No connection, or it broke.
    #[error("the chat endpoint cannot be reached: {0}")]
    Unreachable(String),
    /// An answer of HTTP that is no success; redirects are none.
    #[error("the chat endpoint answered with HTTP status {0}")]
    Status(u16),
    /// The answer is longer than [`CHAT_ANSWER_BYTES_MAX`](robot_memory_core::limits::CHAT_ANSWER_BYTES_MAX).
    #[error(
        "the chat endpoint answered more than {} bytes",
        robot_memory_core::limits::CHAT_ANSWER_BYTES_MAX
    )]
    TooLong,
    /// The text to ask about is longer than
    /// [`CHAT_PROMPT_BYTES_MAX`](robot_memory_core::limits::CHAT_PROMPT_BYTES_MAX); nothing was sent.
    #[error(
        "a text of {0} bytes is too long to ask a chat endpoint about; at most {max} are sent",
        max = robot_memory_core::limits::CHAT_PROMPT_BYTES_MAX
    )]
    PromptTooLong(usize),
    /// The answer is no JSON; where, and what was expected.
    #[error("the chat endpoint's answer is no JSON: {0}")]
    NotJson(String),
    /// The answer is JSON, but not of the form that was asked for: the field that is amiss.
    #[error("the chat endpoint's answer has no usable field {0}")]
    Shape(&'static str),
    /// Nothing of the answer held.
    #[error("nothing of the chat endpoint's answer is in what it was asked about")]
    Nothing,
}
