use crate::limits::ERROR_CHARS_MAX;
use crate::model::text_enum;

text_enum! {
    /// What went wrong, by what the caller can do about it.
    ErrorKind {
        /// The request is not well formed: change it.
        InvalidArgument = "invalid_argument",
        /// There is no such thing: ask for another.
        NotFound = "not_found",
        /// It is there, but not in a state that allows this.
        InvalidState = "invalid_state",
        /// The caller may not do this.
        Forbidden = "forbidden",
        /// The content may never be stored.
        Refused = "refused",
        /// It cannot be done now: try again later.
        Unavailable = "unavailable",
        /// A fault of this program: report it.
        Internal = "internal",
    }
}

impl ErrorKind {
    /// What the caller can do about it: docs/reference/errors.md.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::InvalidArgument => {
                "Change the request; `error` names the field, the bound and the given value."
            }
            Self::NotFound => "Ask for another id. What the agent may not see is `not_found`, too.",
            Self::InvalidState => {
                "It is there, but not in a state that allows this; `error` names the state."
            }
            Self::Forbidden => {
                "Ask for less, change the access policy (`error` names its rule and what that allows), or \
                 name an `agent`, when `require_agent` is set."
            }
            Self::Refused => {
                "Leave it out: it is never stored (a password, a token, a key); `error` names \
                 the field, the rule and the place."
            }
            Self::Unavailable => "Try again later; `error` gives the reason.",
            Self::Internal => "Report it: a fault of the node, or of its disk.",
        }
    }
}

/// The answer to a call that failed. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct ApiError {
    /// What the caller can do about it.
    pub kind: ErrorKind,
    /// For a person to read; names the field, the bound and what was given.
    pub message: String,
}

impl ApiError {
    /// The request is not well formed.
    pub fn invalid_argument(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::InvalidArgument, message: message.into() }
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotFound, message: message.into() }
    }

    /// It is not in a state that allows this.
    pub fn invalid_state(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::InvalidState, message: message.into() }
    }

    /// With a text of [`ERROR_CHARS_MAX`] characters at most, whatever it quotes.
    pub fn shortened(mut self) -> Self {
        if let Some((end, _)) = self.message.char_indices().nth(ERROR_CHARS_MAX) {
            let count = self.message.chars().count();
            self.message.truncate(end);
            self.message.push_str(&format!("\u{2026} ({count} characters)"));
        }
        self
    }

    /// It cannot be done now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Unavailable, message: message.into() }
    }
}
