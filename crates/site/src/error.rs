//! What can go wrong with the store of a site. No message has a password, or a text of a claim.

use robot_memory_core::api::{ApiError, ErrorKind};

/// Why the store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address is none of a database.
    #[error(
        "url: must be as postgres://user@host:5432/database, with the password in it or in the service's own file"
    )]
    Url,
    /// The database cannot be reached, or not now.
    #[error("the database {place} cannot be reached: {reason}")]
    Unreachable {
        /// Host and database, without the password.
        place: String,
        /// What the client says.
        reason: String,
    },
    /// The database is not set up for it.
    #[error("the database {place} is not set up: {reason}")]
    NotSetUp {
        /// Host and database.
        place: String,
        /// What an administrator has to do.
        reason: String,
    },
    /// A newer program made the schema.
    #[error(
        "the schema of the database has version {found}, and this program knows {known}: update it"
    )]
    NewerSchema {
        /// Of the database.
        found: i32,
        /// Of this program.
        known: i32,
    },
    /// A request that is not well formed.
    #[error("{0}")]
    Invalid(String),
    /// There is no such memory, or none that may be read.
    #[error("{0}")]
    NotFound(String),
    /// It took too long, or all connections are in use.
    #[error("{0}")]
    Busy(String),
    /// The database refused a statement.
    #[error("the database refused it: {0}")]
    Database(String),
}

/// With the error of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }
}

impl From<postgres::Error> for Error {
    /// The texts of the server can quote what is stored; its codes cannot.
    fn from(error: postgres::Error) -> Self {
        use postgres::error::SqlState;
        let Some(code) = error.code() else {
            return match error.is_closed() {
                true => {
                    Self::Busy("the connection to the database was closed: try again".to_owned())
                }
                false => Self::Busy(format!("the database does not answer: {error}")),
            };
        };
        let ended =
            [&SqlState::ADMIN_SHUTDOWN, &SqlState::CRASH_SHUTDOWN, &SqlState::CANNOT_CONNECT_NOW];
        match code {
            code if *code == SqlState::QUERY_CANCELED => Self::Busy(
                "it took longer than the store allows: narrow it with since, until or a filter"
                    .to_owned(),
            ),
            code if ended.contains(&code) => {
                Self::Busy(format!("the database is being started or stopped ({})", code.code()))
            }
            code => Self::Database(format!("SQLSTATE {}", code.code())),
        }
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Invalid(_) | Error::Url => ErrorKind::InvalidArgument,
            Error::NotFound(_) => ErrorKind::NotFound,
            Error::Unreachable { .. } | Error::Busy(_) => ErrorKind::Unavailable,
            Error::NotSetUp { .. } | Error::NewerSchema { .. } => ErrorKind::InvalidState,
            Error::Database(_) => ErrorKind::Internal,
        };
        Self { kind, message: error.to_string() }.shortened()
    }
}
