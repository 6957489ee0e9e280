//! Faces: decode, call, encode.

#[cfg(feature = "cli")]
pub mod cli;
mod model;
mod paths;
#[cfg(feature = "ros")]
pub mod ros;
