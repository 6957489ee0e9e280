//! The engine, tested on real SQLite files. One binary; a module a subject.

mod contract;
mod deduplication;
mod durability;
mod end_session;
mod exactness;
mod forget;
mod idempotency;
mod kill;
mod learn;
mod map_model;
mod opening;
mod oracle;
mod ranking;
mod readme;
mod recall;
mod robot;
mod save_perception;
mod sessions;
mod tidy;
mod update;
mod upkeep;
