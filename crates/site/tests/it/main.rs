//! The store of a site against a real Postgres with pgvector.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod claims;
mod hostile;
mod isolation;
mod kill;
mod opening;
mod oracle;
mod provenance;
mod server;
mod take;
mod words;
