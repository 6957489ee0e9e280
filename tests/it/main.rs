//! The engine, tested on real SQLite files. One binary; a module a subject.

mod access;
mod any_text;
mod bags;
mod batch;
mod branches;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cli_jobs;
#[cfg(feature = "cli")]
mod cli_reading;
mod commit_turn;
mod compaction;
mod conflicts;
mod contract;
mod deduplication;
mod deletion;
mod documents;
mod durability;
mod end_session;
mod exactness;
mod forget;
mod get_memory;
mod guard;
mod guard_inputs;
mod idempotency;
#[cfg(feature = "cli")]
mod import;
mod indexes;
mod ingest_turn;
mod interplay;
mod jobs_control;
mod jobs_import;
mod jobs_kill;
mod jobs_lists;
mod kill;
mod leak_jobs;
mod leak_paths;
mod leak_probes;
mod leak_world;
mod leaks;
mod learn;
mod levels;
mod macro_quality;
mod maintenance;
mod map_model;
mod merge_branch;
mod never_store;
#[cfg(feature = "cli")]
mod never_store_import;
mod opening;
mod oracle;
mod places;
mod ranking;
mod readme;
mod rebuild;
mod recall;
mod record;
mod recorder;
mod retention;
mod robot;
mod save_perception;
mod scope_work;
mod scopes;
mod sessions;
mod signatures;
mod steps;
mod streamed;
mod tidy;
mod time;
mod turns;
mod update;
mod upkeep;
mod visualization;
mod year;
