//! The transport against real NATS servers: a hub and leaves that are killed, cut off and wiped.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod cluster;
mod configs;
mod credentials;
mod deployed;
mod journal;
mod outages;
mod proxy;
mod refusals;
mod server;
mod storm;
