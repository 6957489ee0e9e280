//! Faces: decode, call, encode.

#[cfg(feature = "http")]
mod calls;
#[cfg(feature = "cli")]
pub mod cli;
mod embedder;
mod engine;
#[cfg(any(feature = "http", feature = "ros"))]
mod engine_slot;
#[cfg(feature = "http")]
mod figures;
#[cfg(feature = "fleet")]
#[cfg_attr(not(feature = "ros"), allow(dead_code))]
pub mod fleet;
#[cfg(feature = "http")]
pub mod http;
mod import;
mod installed;
mod listening;
#[cfg(feature = "mcp")]
mod mcp;
mod paths;
mod patterns;
#[cfg(feature = "ros")]
pub mod ros;
pub mod topics;
mod wall_clock;
// Without the node nobody asks how a queue is doing, or drains it.
#[cfg(any(feature = "http", feature = "ros"))]
#[cfg_attr(not(feature = "ros"), allow(dead_code))]
mod work_queue;
