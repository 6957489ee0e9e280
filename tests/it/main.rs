//! The engine, tested on real SQLite files. One binary; a module a subject.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod access;
#[cfg(all(feature = "cli", feature = "fleet"))]
mod adopt;
mod any_text;
mod attempts;
mod attempts_recall;
mod backup;
mod bags;
mod batch;
mod begin_attempt;
mod branches;
mod brief;
mod briefing_examples;
mod calls;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cli_backups;
#[cfg(all(feature = "cli", feature = "fleet"))]
mod cli_fleet;
#[cfg(feature = "cli")]
mod cli_jobs;
#[cfg(feature = "cli")]
mod cli_reading;
mod clock;
mod colors;
mod commit_turn;
mod compaction;
mod compare;
mod conflict_pairs;
mod conflicts;
mod contract;
mod copies;
mod damage;
mod deduplication;
mod deletion;
mod disk;
mod diversity;
mod documents;
mod durability;
mod elsewhere;
mod end_session;
mod event_questions;
mod events_stream;
mod exactness;
mod experience;
mod facts;
mod fading;
mod fleet;
#[cfg(feature = "fleet")]
mod fleet_link;
mod fleet_pictures;
mod fleet_rules;
mod fleet_rulings;
mod fleet_unlearning;
mod forget;
mod forgetting;
mod full_disk;
mod get_memory;
mod goals;
mod guard;
mod guard_cases;
mod guard_inputs;
mod guard_spellings;
mod hostile;
mod hostile_answers;
mod hostile_parts;
mod hostile_requests;
mod http;
mod idempotency;
mod identity;
#[cfg(feature = "cli")]
mod import;
mod import_definitions;
#[cfg(feature = "cli")]
mod import_objects;
mod import_pose;
mod imported_ages;
mod in_use;
mod indexes;
mod ingest_turn;
mod interfering;
mod interplay;
mod jobs_api;
mod jobs_control;
mod jobs_import;
mod jobs_kill;
mod jobs_lists;
mod jsonl;
mod judging;
mod kill;
mod leak_faces;
mod leak_jobs;
mod leak_paths;
mod leak_probes;
mod leak_world;
mod leaks;
mod leaks_over_faces;
mod learn;
mod lessons;
mod levels;
#[cfg(feature = "cli")]
mod load_from;
mod localization;
mod locate;
mod locate_simulated;
mod locked;
mod long_texts;
mod lost_log;
mod macro_quality;
mod maintenance;
mod maintenance_dry;
mod maintenance_run;
mod map_model;
mod mcp;
mod mcp_resources;
mod merge_branch;
mod metrics;
mod mounts;
mod names;
mod never_store;
mod never_store_examples;
mod never_store_faces;
#[cfg(feature = "cli")]
mod never_store_import;
mod openapi;
mod opening;
mod oracle;
mod order_lengths;
mod order_phrases;
#[cfg(feature = "cli")]
mod order_questions;
mod page;
mod page_bounds;
mod page_browser;
mod page_fleet;
mod page_store;
mod pairs;
mod pictures;
mod places;
mod profiles;
mod profiles_robotmem;
mod ranking;
mod read_only;
mod readme;
mod rebuild;
mod recall;
mod recall_order;
mod record;
mod recorded_answers;
mod recorder;
#[cfg(feature = "cli")]
mod reference;
mod reference_python;
mod relevance;
mod removed_files;
#[cfg(feature = "cli")]
mod report;
mod rest;
mod restore_backup;
mod restore_memory;
mod retention;
mod robot;
mod robot_questions;
mod rows_that_ask;
mod rust_types;
mod sampled;
mod save_perception;
mod schedule;
mod scope_work;
mod scopes;
mod session_context;
mod sessions;
mod signatures;
#[cfg(feature = "fleet")]
mod site;
#[cfg(feature = "fleet")]
mod site_answers;
mod status;
mod steps;
mod streamed;
mod sweep;
mod tidy;
mod time;
mod timeline;
mod together;
mod turns;
mod uncertain_places;
mod unlearn;
mod unlearn_program;
mod update;
mod upkeep;
mod visualization;
mod waiting;
mod webhook;
mod week;
mod write_queue;
mod write_queue_kill;
mod year;

// Of the tests of the transport.
#[allow(dead_code, reason = "the transport's tests use all of it")]
#[path = "../../crates/fleet/tests/it/configs.rs"]
mod configs;
#[allow(dead_code, reason = "the transport's tests use all of it")]
#[path = "../../crates/fleet/tests/it/proxy.rs"]
mod proxy;
#[allow(dead_code, reason = "the transport's tests use all of it")]
#[path = "../../crates/fleet/tests/it/server.rs"]
mod server;

// Of the tests of the store of a site.
#[cfg(feature = "site")]
#[allow(dead_code, reason = "the store's tests use all of it")]
#[path = "../../crates/site/tests/it/server.rs"]
mod postgres_server;
