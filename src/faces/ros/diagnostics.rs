//! `/diagnostics`: how the store, the embedder and the queues are doing.

use super::lane::Load;
use super::wire::text;
use crate::api::ApiError;
use crate::engine::{EmbedderState, EventsHealth, Health, JobsHealth};
use r2r::diagnostic_msgs::msg::{DiagnosticStatus, KeyValue};
use std::path::Path;

/// Levels of a `DiagnosticStatus`.
pub(super) const OK: u8 = 0;
pub(super) const WARN: u8 = 1;
pub(super) const ERROR: u8 = 2;

/// One status each for the store, the indexes, the embedder, the events, the jobs of so many workers and
/// the queues.
pub(super) fn statuses(
    node_name: &str,
    store_path: &Path,
    health: Result<Health, ApiError>,
    loads: &[Load],
    workers: i64,
) -> Vec<DiagnosticStatus> {
    let path = store_path.display().to_string();
    let status = |part: &str, (level, message): (u8, String), values| DiagnosticStatus {
        level,
        name: text(format!("{}: {part}", node_name.trim_start_matches('/'))),
        message: text(message),
        hardware_id: text(path.as_str()),
        values,
    };
    let mut all = Vec::with_capacity(3);
    match health {
        Err(error) => {
            all.push(status("store", (ERROR, error.to_string()), vec![value("path", &path)]));
        }
        Ok(health) => {
            let Health {
                embedder,
                active_count,
                missing_vectors,
                indexes_ready,
                index_bytes,
                store_bytes,
                writes_blocked,
                dropped_accesses,
                untold_memories,
                events,
                jobs,
            } = health;
            let store_values = vec![
                value("path", &path),
                value("bytes", store_bytes),
                value("active memories", active_count),
                value("dropped access counts", dropped_accesses),
                value("writes", if writes_blocked.is_some() { "refused" } else { "taken" }),
            ];
            all.push(status("store", store_verdict(writes_blocked), store_values));
            let embedder_values = vec![value("memories without a vector", missing_vectors)];
            let index_values = vec![value("bytes in memory", index_bytes)];
            all.push(status("indexes", indexes_verdict(indexes_ready), index_values));
            all.push(status("embedder", embedder_verdict(embedder), embedder_values));
            let mut events_values = event_values(&events).to_vec();
            events_values.push(value("new memories left out of ~/events", untold_memories));
            all.push(status("events", events_verdict(&events), events_values));
            all.push(status(
                "jobs",
                jobs_verdict(&jobs, workers),
                job_values(&jobs, workers).into(),
            ));
        }
    }
    let requests_values = loads.iter().flat_map(load_values).collect();
    all.push(status("requests", requests_verdict(loads), requests_values));
    all
}

fn store_verdict(writes_blocked: Option<String>) -> (u8, String) {
    match writes_blocked {
        None => (OK, "open".to_owned()),
        Some(reason) => (ERROR, format!("writes are refused: {reason}")),
    }
}

fn indexes_verdict(ready: bool) -> (u8, String) {
    let told = if ready { "in memory" } else { "not all in memory: searches are exact and slower" };
    (OK, told.to_owned())
}

fn embedder_verdict(state: EmbedderState) -> (u8, String) {
    match state {
        EmbedderState::Loading => (OK, "loading the model; words only until then".to_owned()),
        EmbedderState::Off => (OK, "off: words only".to_owned()),
        EmbedderState::Ready(model_id) => (OK, format!("ready: {model_id}")),
        EmbedderState::Failed(reason) => (WARN, format!("no model, words only: {reason}")),
    }
}

fn events_verdict(events: &EventsHealth) -> (u8, String) {
    if events.over_bound {
        let told = "more than events_bytes_max, and nothing of it may be deleted";
        return (WARN, told.to_owned());
    }
    (OK, format!("{} kept", events.count))
}

fn event_values(events: &EventsHealth) -> [KeyValue; 7] {
    let EventsHealth {
        count,
        bytes,
        clip_bytes,
        deleted_count,
        deleted_bytes,
        deleted_clip_count,
        protected_count,
        over_bound: _,
    } = *events;
    [
        value("events", count),
        value("bytes, with rows and clips", bytes),
        value("bytes of clips", clip_bytes),
        value("events deleted by events_bytes_max", deleted_count),
        value("bytes of deleted events", deleted_bytes),
        value("clips deleted by clips_bytes_max", deleted_clip_count),
        value("events protected when last deleting", protected_count),
    ]
}

/// A job that failed for good waits for somebody to look at it.
fn jobs_verdict(jobs: &JobsHealth, workers: i64) -> (u8, String) {
    let JobsHealth { pending, held, retry_waiting, dead_letter, untold: _ } = *jobs;
    let waiting = pending + retry_waiting;
    if dead_letter > 0 {
        return (WARN, format!("{dead_letter} failed for good (dead_letter): see list_jobs"));
    }
    match workers {
        0 => (OK, format!("off (job_workers is 0), {waiting} wait")),
        _ => (OK, format!("{held} are done, {waiting} wait")),
    }
}

fn job_values(jobs: &JobsHealth, workers: i64) -> [KeyValue; 6] {
    let JobsHealth { pending, held, retry_waiting, dead_letter, untold } = *jobs;
    [
        value("workers", workers),
        value("pending", pending),
        value("leased or running", held),
        value("retry_waiting", retry_waiting),
        value("dead_letter", dead_letter),
        value("changes left out of ~/jobs", untold),
    ]
}

fn requests_verdict(loads: &[Load]) -> (u8, String) {
    match loads.iter().find(|load| load.waiting >= load.waiting_max) {
        None => (OK, "taken".to_owned()),
        Some(full) => (WARN, format!("{} are turned away: too many wait", full.name)),
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

    fn health() -> Health {
        Health {
            embedder: EmbedderState::Ready("use".to_owned()),
            active_count: 3,
            missing_vectors: 1,
            indexes_ready: true,
            index_bytes: 1024,
            store_bytes: 4096,
            writes_blocked: None,
            dropped_accesses: 0,
            untold_memories: 0,
            events: EventsHealth { count: 7, ..Default::default() },
            jobs: JobsHealth { pending: 3, held: 1, retry_waiting: 2, ..Default::default() },
        }
    }

    fn load(waiting: usize) -> Load {
        Load { name: "reads", waiting, waiting_max: 2, done_count: 5, refused_count: 1 }
    }

    /// Level and message of each part.
    fn verdicts(health: Result<Health, ApiError>, waiting: usize) -> Vec<(u8, String)> {
        statuses("/ns/memory", Path::new("/m.db"), health, &[load(waiting)], 1)
            .into_iter()
            .map(|status| (status.level, format!("{} {}", status.name, status.message)))
            .collect()
    }

    #[test]
    fn each_part_tells_its_trouble() {
        let line = |level, text: &str| (level, text.to_owned());
        assert_eq!(
            verdicts(Ok(health()), 0),
            [
                line(OK, "ns/memory: store open"),
                line(OK, "ns/memory: indexes in memory"),
                line(OK, "ns/memory: embedder ready: use"),
                line(OK, "ns/memory: events 7 kept"),
                line(OK, "ns/memory: jobs 1 are done, 5 wait"),
                line(OK, "ns/memory: requests taken"),
            ]
        );
        let troubled = Health {
            embedder: EmbedderState::Failed("no file".to_owned()),
            writes_blocked: Some("full".to_owned()),
            indexes_ready: false,
            events: EventsHealth { over_bound: true, ..Default::default() },
            jobs: JobsHealth { dead_letter: 2, ..Default::default() },
            ..health()
        };
        assert_eq!(
            verdicts(Ok(troubled), 2),
            [
                line(ERROR, "ns/memory: store writes are refused: full"),
                line(OK, "ns/memory: indexes not all in memory: searches are exact and slower"),
                line(WARN, "ns/memory: embedder no model, words only: no file"),
                line(
                    WARN,
                    "ns/memory: events more than events_bytes_max, and nothing of it may be deleted",
                ),
                line(WARN, "ns/memory: jobs 2 failed for good (dead_letter): see list_jobs",),
                line(WARN, "ns/memory: requests reads are turned away: too many wait"),
            ]
        );
        assert_eq!(verdicts(Err(ApiError::unavailable("locked")), 0).len(), 2);
    }

    #[test]
    fn jobs_without_workers_are_told_so() {
        let jobs = JobsHealth { pending: 4, ..Default::default() };
        assert_eq!(jobs_verdict(&jobs, 0), (OK, "off (job_workers is 0), 4 wait".to_owned()));
    }

    #[test]
    fn values_have_keys_of_their_own() {
        for status in statuses("m", Path::new("/m.db"), Ok(health()), &[load(0)], 1) {
            let mut keys: Vec<_> = status.values.iter().map(|value| &value.key).collect();
            let count = keys.len();
            keys.sort();
            keys.dedup();
            assert_eq!(keys.len(), count, "{}", status.name);
        }
    }
}
