//! The long-term memory of one robot.
//!
//! The engine ([`engine::Engine`]) is a synchronous library that knows no ROS, no clock and no
//! environment: it is told. A face (the ROS 2 node and the command line in `faces`) decodes a
//! request into one of the plain types in [`api`], calls the engine, and encodes the answer.
//!
//! ARCHITECTURE.md says which module does what, and what each may not do.

pub mod access;
pub mod api;
pub mod bags;
pub mod chat;
pub mod config;
pub mod embedding;
pub mod engine;
pub mod experience;
#[cfg(any(feature = "cli", feature = "ros"))]
pub mod faces;
pub mod guard;
pub mod index;
pub mod inference;
mod jobs;
pub mod limits;
pub mod messages;
pub mod model;
pub mod perception;
pub mod ranking;
mod regular_file;
mod store;
pub mod webhook;
mod write_queue;
