//! Files of other programs, only read.

mod robotmem;

pub use robotmem::{RobotmemFile, RobotmemMemory, RobotmemSession};

/// Why a file of another program cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// It is another file than it should be.
    #[error("it is no database of {program}: {reason}")]
    Other {
        /// Whose it should be.
        program: &'static str,
        /// What is missing.
        reason: String,
    },
    /// It is damaged.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// A value of it is not what it should be.
    #[error("{field}: {reason}")]
    Value {
        /// Its column.
        field: &'static str,
        /// What it is, and nothing of what it holds.
        reason: String,
    },
    /// It cannot be opened or read.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
}
