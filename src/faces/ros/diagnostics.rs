//! `/diagnostics`: how the store, the embedder and the queues are doing.

use super::lifecycle::Lifecycle;
use super::wire::text;
use crate::faces::work_queue::Load;
use r2r::diagnostic_msgs::msg::{DiagnosticStatus, KeyValue};
use robot_memory_core::api::{ApiError, ComponentStatus, StatusLevel};
use robot_memory_engine::{EmbedderState, Health};
use std::path::Path;

/// Levels of a `DiagnosticStatus`.
pub(super) const OK: u8 = 0;
pub(super) const WARN: u8 = 1;
pub(super) const ERROR: u8 = 2;

/// The state of a managed node, and why it is not the one that was asked for.
pub(super) fn life_cycle(node_name: &str, lifecycle: &Lifecycle) -> DiagnosticStatus {
    let (state, fault) = lifecycle.status();
    let (level, message) = match fault.as_str() {
        "" => (OK, state.label().to_owned()),
        fault => (ERROR, format!("{}: {fault}", state.label())),
    };
    let name = text(full_name(node_name, "life cycle"));
    DiagnosticStatus { level, name, message: text(message), ..Default::default() }
}

/// Whether everybody receives the topics that the node publishes.
pub(super) fn topics(node_name: &str, unserved: &[String]) -> DiagnosticStatus {
    let (level, message) = match unserved {
        [] => (OK, "everybody who subscribes receives them".to_owned()),
        unserved => (WARN, unserved.join("; ")),
    };
    let name = text(full_name(node_name, "topics"));
    DiagnosticStatus { level, name, message: text(message), ..Default::default() }
}

/// One status for each component, as the status service tells them, with the numbers behind it; and one
/// for the queues of requests.
pub(super) fn statuses(
    node_name: &str,
    store_path: &Path,
    components: Vec<ComponentStatus>,
    health: Result<Health, ApiError>,
    loads: &[Load],
    workers: i64,
) -> Vec<DiagnosticStatus> {
    let path = store_path.display().to_string();
    let status = |part: &str, (level, message): (u8, String), values| DiagnosticStatus {
        level,
        name: text(full_name(node_name, part)),
        message: text(message),
        hardware_id: text(path.as_str()),
        values,
    };
    let health = health.ok();
    let mut all = Vec::with_capacity(components.len() + 1);
    for ComponentStatus { name, level, state, message } in components {
        let values = values_of(&name, &path, health.as_ref(), workers);
        all.push(status(&name, (level_of(level), format!("{state}: {message}")), values));
    }
    let requests_values = loads.iter().flat_map(load_values).collect();
    all.push(status("requests", requests_verdict(loads), requests_values));
    all
}

fn full_name(node_name: &str, part: &str) -> String {
    format!("{}: {part}", node_name.trim_start_matches('/'))
}

const fn level_of(level: StatusLevel) -> u8 {
    match level {
        StatusLevel::Ok => OK,
        StatusLevel::Warn => WARN,
        StatusLevel::Error => ERROR,
    }
}

/// The numbers behind a component.
fn values_of(name: &str, path: &str, health: Option<&Health>, workers: i64) -> Vec<KeyValue> {
    let Some(health) = health else { return vec![value("path", path)] };
    match name {
        "store" => vec![
            value("path", path),
            value("bytes", health.store_bytes),
            value("active memories", health.active_count),
            value("dropped access counts", health.dropped_accesses),
            value("writes", health.store.as_str()),
        ],
        "indexes" => vec![value("bytes in memory", health.index_bytes)],
        "embedder" => {
            let mut values = vec![value("memories without a vector", health.missing_vectors)];
            if health.pictures.embedder != EmbedderState::Off {
                values.extend([
                    value("pictures with a vector", health.pictures.made),
                    value("pictures without a vector", health.pictures.missing),
                    value("pictures that failed", health.pictures.failed),
                ]);
            }
            values
        }
        "write_queue" => vec![
            value("writes that wait", health.write_queue.queued),
            value("their bytes", health.write_queue.bytes),
            value("space reserved", health.write_queue.is_reserved),
            value("writes stored out of it", health.write_queue.replayed),
            value("writes that could not be stored", health.write_queue.rejected),
        ],
        "events" => vec![
            value("events", health.events.count),
            value("bytes, with rows and clips", health.events.bytes),
            value("bytes of clips", health.events.clip_bytes),
            value("events deleted by events_bytes_max", health.events.deleted_count),
            value("bytes of deleted events", health.events.deleted_bytes),
            value("clips deleted by clips_bytes_max", health.events.deleted_clip_count),
            value("events protected when last deleting", health.events.protected_count),
            value("new memories left out of ~/events", health.unpublished_memories),
        ],
        "jobs" => vec![
            value("workers", workers),
            value("pending", health.jobs.pending),
            value("leased or running", health.jobs.held),
            value("retry_waiting", health.jobs.retry_waiting),
            value("dead_letter", health.jobs.dead_letter),
            value("changes left out of ~/jobs", health.jobs.unpublished),
        ],
        _ => Vec::new(),
    }
}

fn requests_verdict(loads: &[Load]) -> (u8, String) {
    match loads.iter().find(|load| load.waiting >= load.waiting_max) {
        None => (OK, "taken".to_owned()),
        Some(full) => (WARN, format!("{} are refused: too many wait", full.name)),
    }
}

fn load_values(load: &Load) -> [KeyValue; 3] {
    let Load { name, waiting, waiting_max, done_count, refused_count } = *load;
    [
        value(&format!("{name} waiting"), format!("{waiting} of {waiting_max}")),
        value(&format!("{name} answered"), done_count),
        value(&format!("{name} refused with unavailable"), refused_count),
    ]
}

/// One line of a status.
pub(super) fn value(key: &str, value: impl ToString) -> KeyValue {
    KeyValue { key: text(key), value: text(value.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, level: StatusLevel) -> ComponentStatus {
        let (state, message) = ("late".to_owned(), "look at it".to_owned());
        ComponentStatus { name: name.to_owned(), level, state, message }
    }

    fn load(waiting: usize) -> Load {
        Load { name: "reads", waiting, waiting_max: 2, done_count: 5, refused_count: 1 }
    }

    #[test]
    fn each_part_tells_its_trouble() {
        let parts = vec![
            part("store", StatusLevel::Ok),
            part("backups", StatusLevel::Warn),
            part("clock", StatusLevel::Error),
        ];
        let unread = Err(ApiError::unavailable("locked"));
        let published = statuses("/ns/memory", Path::new("/m.db"), parts, unread, &[load(2)], 1);
        let lines: Vec<_> =
            published.iter().map(|it| (it.level, it.name.clone(), it.message.clone())).collect();
        let line = |level, name: &str, message: &str| (level, text(name), text(message));
        assert_eq!(
            lines,
            [
                line(OK, "ns/memory: store", "late: look at it"),
                line(WARN, "ns/memory: backups", "late: look at it"),
                line(ERROR, "ns/memory: clock", "late: look at it"),
                line(WARN, "ns/memory: requests", "reads are refused: too many wait"),
            ]
        );
    }
}
