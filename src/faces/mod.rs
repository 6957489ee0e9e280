//! Faces: decode, call, encode.

#[cfg(feature = "cli")]
pub mod cli;
mod embedder;
mod paths;
#[cfg(feature = "ros")]
pub mod ros;
