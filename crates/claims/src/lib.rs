//! What robots of a fleet tell each other: claims, signed by who tells and checked by who reads.
//!
//! The form is described in `docs/claims.md`, and `test_vectors/` has examples of it for other readers. Knows no
//! store and no network; does no I/O but on the files of keys that are named to it.

#![warn(missing_docs)]

mod check;
mod envelope;
mod key;
mod known;
mod refused;

#[cfg(test)]
mod tests;

pub use check::check_robot_name;
pub use envelope::{canonical, encode, verify};
pub use key::{Key, KeyError};
pub use known::{KnownRobots, KnownRobotsError};
pub use refused::{Cause, Refused};
