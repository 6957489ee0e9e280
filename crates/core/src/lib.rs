//! What every part of the memory speaks of: its nouns ([`model`]), its verbs ([`api`]), every bound
//! with its reason ([`limits`]), who may do what ([`access`]) and the life of a job ([`jobs`]).
//!
//! Knows no store, no index, no clock and no ROS; does no I/O but to open a file that is named to it.
//!
//! ```
//! use robot_memory_core::model::{MemType, Scope, Stamp};
//!
//! assert_eq!(Stamp::from_secs(1_750_000_000).rfc_3339(), "2025-06-15T15:06:40Z");
//! assert_eq!(Scope::parse("session:7")?.to_string(), "session:7");
//! assert_eq!(MemType::parse("task_log"), Some(MemType::TaskLog));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub mod access;
pub mod api;
pub mod claim;
pub mod event;
pub mod jobs;
mod json;
pub mod limits;
pub mod model;
pub mod object;
pub mod parallel;
pub mod picture;
mod record;
pub mod regular_file;
mod schema;
pub mod signature;
pub mod site;

#[cfg(feature = "schema")]
#[doc(hidden)]
pub use utoipa;
