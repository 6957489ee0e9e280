//! What every part of the memory speaks of: its nouns ([`model`]), its verbs ([`api`]), every bound
//! with its reason ([`limits`]), who may do what ([`access`]) and the life of a job ([`jobs`]).
//!
//! Knows no store, no index, no clock and no ROS; does no I/O but to open a file that is named to it.

#![warn(missing_docs)]

pub mod access;
pub mod api;
pub mod event;
pub mod jobs;
mod json;
pub mod limits;
pub mod model;
mod record;
pub mod regular_file;
pub mod signature;
