//! The two programs of robot_memory, the ROS 2 node `memory_node` and the command line `memory`:
//! their parameters ([`config`]) and their faces ([`faces`]).
//!
//! A face decodes a request into one of the plain types of [`robot_memory_core::api`], calls
//! [`robot_memory_engine::Engine`], and encodes the answer.

#![warn(missing_docs)]

pub mod config;
#[cfg(any(feature = "cli", feature = "http", feature = "ros"))]
pub mod faces;
mod huge_pages;
pub mod memory_use;
pub mod webhook;
