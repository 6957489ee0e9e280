//! From what happened inside to what the caller can do about it.

use robot_memory_core::access::AccessError;
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_db as store;
use robot_memory_text::inference::SynonymError;

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request cannot be done as it is.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// The store could not do its part.
    #[error(transparent)]
    Store(#[from] store::Error),
}

macro_rules! refusals {
    ($($kind:ident),+) => {
        impl Error {
            $(pub(crate) fn $kind(message: impl Into<String>) -> Self {
                ApiError::$kind(message).into()
            })+
        }
    };
}

refusals!(invalid_argument, invalid_state, not_found, unavailable);

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let store = match error {
            Error::Api(error) => return error,
            Error::Store(error) => error,
        };
        let kind = match &store {
            store::Error::Full(_)
            | store::Error::Busy(_)
            | store::Error::ReadOnly(_)
            | store::Error::Waiting
            | store::Error::Removed(_)
            | store::Error::Changed
            | store::Error::RolledBack
            | store::Error::Closed => ErrorKind::Unavailable,
            store::Error::Corrupt(_)
            | store::Error::BadCopy { .. }
            | store::Error::InUse { .. }
            | store::Error::NewerSchema { .. }
            | store::Error::OlderSchema { .. }
            | store::Error::OtherWords { .. }
            | store::Error::ReadingOnly
            | store::Error::NotReadingOnly
            | store::Error::Foreign { .. }
            | store::Error::NoStore { .. }
            | store::Error::Mounted(_)
            | store::Error::Io { .. }
            | store::Error::Sql(_)
            | store::Error::Row { .. } => ErrorKind::Internal,
        };
        Self { kind, message: store.to_string() }
    }
}

/// Why an engine could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The store could not be opened.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The synonyms cannot be read.
    #[error("synonyms: {0}")]
    Synonyms(#[from] SynonymError),
    /// The access policy cannot be read.
    #[error("access policy: {0}")]
    Access(#[from] AccessError),
}

impl OpenError {
    /// Whether the store's file is at fault, and not what the program was told.
    pub fn is_damage(&self) -> bool {
        use store::Error::{Corrupt, Row, Sql};
        matches!(self, Self::Store(Corrupt(_) | Row { .. } | Sql(_)))
    }

    /// Whether another process has the store.
    pub fn is_in_use(&self) -> bool {
        matches!(self, Self::Store(store::Error::InUse { .. }))
    }
}

/// The result of anything the engine does.
pub type Result<T, E = Error> = std::result::Result<T, E>;
