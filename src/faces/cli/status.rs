//! `memory status`

use super::arguments::{StatusArguments, StoreArguments};
use super::failure::Outcome;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::{rfc_3339_secs, visible};
use robot_memory_core::api::{GetStatus, StatusRequest, StatusResponse};

/// Shows how the memory is doing.
pub fn run(arguments: StatusArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let request = StatusRequest { agent: arguments.agent.unwrap_or_default() };
    let response = open_engine(store)?.call::<GetStatus>(request)?;
    output.answer(&response, shown)
}

fn shown(response: &StatusResponse) -> String {
    let mut parts = Table::new(["part", "level", "state", "message"]);
    for part in &response.components {
        let cells = [&part.name, part.level.as_str(), &part.state, &part.message];
        parts.row(cells.map(visible));
    }
    let mut counts = Table::new(["", "", "#"]);
    counts.total("memory_count", response.memory_count);
    for (name, of) in [
        ("by_status", &response.by_status),
        ("by_type", &response.by_type),
        ("by_level", &response.by_level),
        ("by_scope", &response.by_scope),
        ("by_mem_type", &response.by_mem_type),
        ("by_category", &response.by_category),
        ("jobs", &response.jobs),
    ] {
        counts.counts(name, of);
    }
    for (name, value) in [
        ("open_sessions", response.open_sessions),
        ("missing_vectors", response.missing_vectors),
        ("conflict_count", response.conflict_count),
        ("store_bytes", response.store_bytes),
        ("clip_bytes", response.clip_bytes),
        ("backup_bytes", response.backup_bytes),
        ("free_bytes", response.free_bytes),
        ("queued_writes", response.queued_writes),
    ] {
        counts.total(name, value);
    }
    let times = [
        ("last_daily_at", response.last_daily_at),
        ("last_weekly_at", response.last_weekly_at),
        ("next_daily_at", response.next_daily_at),
        ("next_weekly_at", response.next_weekly_at),
        ("last_backup_at", response.last_backup_at),
    ];
    for (name, at) in times {
        counts.total(name, at.map_or_else(|| "-".to_owned(), rfc_3339_secs));
    }
    format!("{}\n{}\n{}", response.level, parts.render(0), counts.render(0))
}
