//! Why a claim is not taken.

use robot_memory_core::limits::CLAIM_BYTES_MAX;
use robot_memory_core::model::{quoted, text_enum};

text_enum! {
    /// By what refused claims are counted.
    Cause {
        /// It has too many bytes to be read.
        TooLarge = "too_large",
        /// It is no claim, or one with a field that its version does not have.
        Malformed = "malformed",
        /// Of a version that this program does not read.
        UnknownVersion = "unknown_version",
        /// Its origin has no key here.
        UnknownRobot = "unknown_robot",
        /// It was not signed by its origin, or changed since.
        BadSignature = "bad_signature",
        /// Its origin signed it, but a field is out of its bound.
        Invalid = "invalid",
    }
}

/// A claim that is not taken. Only of one that is [`Invalid`](Refused::Invalid) it is proven who told it.
/// No message quotes what is remembered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// See [`Cause::TooLarge`].
    #[error("a claim{}: must have at most {CLAIM_BYTES_MAX} bytes, got {given}", of(.origin))]
    TooLarge {
        /// Empty when it was not read.
        origin: String,
        /// Its bytes.
        given: usize,
    },
    /// See [`Cause::Malformed`].
    #[error("a claim{}: {fault}", of(.origin))]
    Malformed {
        /// Empty when there is none.
        origin: String,
        /// What is wrong, and where.
        fault: String,
    },
    /// See [`Cause::UnknownVersion`].
    #[error("a claim{}: version: must be memory.claim.v1, got {}", of(.origin), quoted(.version))]
    UnknownVersion {
        /// Empty when there is none.
        origin: String,
        /// The version.
        version: String,
    },
    /// See [`Cause::UnknownRobot`].
    #[error("a claim{}: origin: must be a known robot or authority", of(.origin))]
    UnknownRobot {
        /// The name that has no key.
        origin: String,
    },
    /// See [`Cause::BadSignature`].
    #[error("a claim{}: signature: is not by the key that is known of it", of(.origin))]
    BadSignature {
        /// Who is said to have signed.
        origin: String,
    },
    /// See [`Cause::Invalid`].
    #[error("a claim{}: {field}: {bound}, got {given}", of(.origin))]
    Invalid {
        /// Who signed it.
        origin: String,
        /// Which field, as `statement.roots`.
        field: &'static str,
        /// What it must be.
        bound: String,
        /// What it is.
        given: String,
    },
}

/// Whose it is, as far as it says so.
fn of(origin: &str) -> String {
    if origin.is_empty() { String::new() } else { format!(" of {}", quoted(origin)) }
}

impl Refused {
    /// By what it is counted.
    pub const fn cause(&self) -> Cause {
        match self {
            Self::TooLarge { .. } => Cause::TooLarge,
            Self::Malformed { .. } => Cause::Malformed,
            Self::UnknownVersion { .. } => Cause::UnknownVersion,
            Self::UnknownRobot { .. } => Cause::UnknownRobot,
            Self::BadSignature { .. } => Cause::BadSignature,
            Self::Invalid { .. } => Cause::Invalid,
        }
    }

    /// The robot or authority that it names as its origin; empty when it could not be read.
    pub fn origin(&self) -> &str {
        match self {
            Self::TooLarge { origin, .. }
            | Self::Malformed { origin, .. }
            | Self::UnknownVersion { origin, .. }
            | Self::UnknownRobot { origin }
            | Self::BadSignature { origin }
            | Self::Invalid { origin, .. } => origin,
        }
    }
}
