//! What is said of each part: pure, from what was found.

use crate::api::{ComponentStatus, StatusLevel};
use crate::engine::{EmbedderState, EventsHealth, Health, JobsHealth};
use crate::model::Stamp;

/// What was found.
pub(super) struct Findings<'a> {
    pub health: &'a Health,
    /// Why the store could not be read.
    pub read_fault: Option<String>,
    /// Whether another process writes the store: what is in its memory is not known here.
    pub is_reading_only: bool,
    /// Whether jobs are done in this process.
    pub has_workers: bool,
    /// The time now, when it is known.
    pub now: Option<Stamp>,
    /// Of daily maintenance.
    pub daily: Due,
    /// Of weekly maintenance.
    pub weekly: Due,
}

/// Something that is done again and again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due {
    /// Whether it is done at all.
    pub is_on: bool,
    /// When it was done last.
    pub last: Option<Stamp>,
    /// Since when there is something to be done it for.
    pub since: Option<Stamp>,
    pub period_days: f64,
}

impl Due {
    /// Whether it was left undone for more than twice its period.
    fn is_late(&self, now: Option<Stamp>) -> bool {
        let (Some(now), Some(from)) = (now, self.last.max(self.since)) else { return false };
        self.is_on && now.days_since(from) > 2.0 * self.period_days
    }
}

use StatusLevel::{Error, Ok, Warn};

/// Each part, in a fixed order.
pub(super) fn components(found: &Findings<'_>) -> Vec<ComponentStatus> {
    vec![
        store(found),
        embedder(found),
        indexes(found),
        jobs(found),
        maintenance(found),
        clock(found),
        events(&found.health.events, found.is_reading_only),
    ]
}

/// The only part of a store of which nothing can be found.
pub(super) fn unreadable(fault: &str) -> ComponentStatus {
    part("store", Error, "unreadable", format!("the store cannot be read: {fault}"))
}

fn part(
    name: &str,
    level: StatusLevel,
    state: &str,
    message: impl Into<String>,
) -> ComponentStatus {
    ComponentStatus { name: name.to_owned(), level, state: state.to_owned(), message: message.into() }
}

/// What only the process knows that writes the store.
fn elsewhere(name: &str) -> ComponentStatus {
    part(name, Ok, "unknown", "only the node knows: call its status service")
}

fn store(found: &Findings<'_>) -> ComponentStatus {
    if let Some(fault) = &found.read_fault {
        return unreadable(fault);
    }
    if found.is_reading_only {
        return part("store", Ok, "readable", "opened for reading only");
    }
    match &found.health.writes_blocked {
        None => part("store", Ok, "open", "reads and writes"),
        Some(reason) => part(
            "store",
            Error,
            "blocked",
            format!("writes are refused: {reason}. Make room on the disk, or lower disk_free_bytes_min"),
        ),
    }
}

fn embedder(found: &Findings<'_>) -> ComponentStatus {
    let name = "embedder";
    match &found.health.embedder {
        _ if found.is_reading_only => elsewhere(name),
        EmbedderState::Loading => {
            part(name, Ok, "loading", "the model is being loaded; words only until then")
        }
        EmbedderState::Off => part(name, Ok, "off", "words only, as model_dir says"),
        EmbedderState::Ready(model) => part(name, Ok, "ready", format!("model {model}")),
        EmbedderState::Failed(reason) => part(
            name,
            Warn,
            "failed",
            format!(
                "no vectors are made, searches go by words only: {reason}. See model_dir; what is \
                 stored meanwhile gets its vectors later"
            ),
        ),
    }
}

fn indexes(found: &Findings<'_>) -> ComponentStatus {
    let name = "indexes";
    if found.is_reading_only {
        return elsewhere(name);
    }
    match found.health.indexes_ready {
        true => part(name, Ok, "ready", "words and vectors are searched in memory"),
        false => part(
            name,
            Ok,
            "building",
            "not all are in memory: searches are exact and slower. When it stays so, \
             index_bytes_max is too small for them",
        ),
    }
}

fn jobs(found: &Findings<'_>) -> ComponentStatus {
    let name = "jobs";
    let JobsHealth { pending, held, retry_waiting, dead_letter, untold: _ } = found.health.jobs;
    let waiting = pending + retry_waiting;
    if dead_letter > 0 {
        let message = format!(
            "{dead_letter} failed for good: look at them with list_jobs, status dead_letter, then \
             retry_job or cancel_job"
        );
        return part(name, Warn, "dead_letter", message);
    }
    if !found.has_workers {
        let message = format!("job_workers is 0: {waiting} wait, and none is done");
        return part(name, if waiting > 0 { Warn } else { Ok }, "off", message);
    }
    match (held, waiting) {
        (0, 0) => part(name, Ok, "idle", "none waits"),
        _ => part(name, Ok, "working", format!("{held} are being done, {waiting} wait")),
    }
}

fn maintenance(found: &Findings<'_>) -> ComponentStatus {
    let name = "maintenance";
    let Findings { daily, weekly, now, .. } = found;
    if !daily.is_on && !weekly.is_on {
        let message = "maintenance_daily_at and maintenance_weekly_at are empty: none is done by itself";
        return part(name, Ok, "off", message);
    }
    for (due, mode) in [(daily, "daily"), (weekly, "weekly")] {
        if due.is_late(*now) {
            let last = match due.last {
                Some(last) => format!("was done last at {}", last.rfc_3339()),
                None => "was never done".to_owned(),
            };
            let message = format!(
                "{mode} maintenance {last}. It waits for sessions to end and needs job_workers; \
                 run_maintenance does it now"
            );
            return part(name, Warn, "late", message);
        }
    }
    match daily.last.max(weekly.last) {
        Some(last) => part(name, Ok, "ready", format!("done last at {}", last.rfc_3339())),
        None => part(name, Ok, "ready", "not done yet"),
    }
}

fn clock(found: &Findings<'_>) -> ComponentStatus {
    match found.now {
        Some(_) => part("clock", Ok, "steady", "as it should be"),
        None => part(
            "clock",
            Warn,
            "unknown",
            "no message on /clock so far: what needs the time waits for it",
        ),
    }
}

fn events(events: &EventsHealth, is_reading_only: bool) -> ComponentStatus {
    let name = "events";
    if is_reading_only {
        return elsewhere(name);
    }
    if events.over_bound {
        let message = "more than events_bytes_max, and nothing of it may be deleted: raise it, or \
             delete protected events";
        return part(name, Warn, "over_bound", message);
    }
    part(name, Ok, "kept", format!("{} kept", events.count))
}
