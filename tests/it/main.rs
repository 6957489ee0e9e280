//! The engine, tested on real SQLite files. One binary; a module a subject.

mod bags;
mod batch;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cli_reading;
mod conflicts;
mod contract;
mod deduplication;
mod durability;
mod end_session;
mod exactness;
mod forget;
mod idempotency;
#[cfg(feature = "cli")]
mod import;
mod indexes;
mod kill;
mod learn;
mod map_model;
mod opening;
mod oracle;
mod places;
mod ranking;
mod readme;
mod recall;
mod record;
mod recorder;
mod retention;
mod robot;
mod save_perception;
mod sessions;
mod signatures;
mod streamed;
mod tidy;
mod time;
mod update;
mod upkeep;
mod visualization;
