//! Faces: decode, call, encode.

#[cfg(feature = "cli")]
pub mod cli;
mod embedder;
mod engine;
mod import;
mod installed;
mod listening;
mod paths;
mod patterns;
#[cfg(feature = "ros")]
pub mod ros;
pub mod topics;
mod wall_clock;
