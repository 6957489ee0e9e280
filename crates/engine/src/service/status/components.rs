//! What is said of each part: pure, from what was found.

use super::fleet::fleet;
use crate::{
    ClockState, EmbedderState, EventsHealth, FleetStanding, Health, JobsHealth, PicturesHealth,
    StoreState, WriteQueueHealth,
};
use robot_memory_core::api::{ComponentStatus, StatusLevel};
use robot_memory_core::model::Stamp;

/// What was found.
pub(super) struct Findings<'a> {
    pub health: &'a Health,
    /// Whether the clock can be believed.
    pub clock: ClockState,
    /// What came of damage, while the damaged file is there, and whether anything was lost by it.
    pub repaired: Option<(String, bool)>,
    /// What the last check of the store found to be damaged.
    pub finding: Option<String>,
    /// When the store was looked over last.
    pub looked_over_at: Option<Stamp>,
    /// Why the store could not be read.
    pub read_fault: Option<String>,
    /// Whether another process writes the store: what is in its memory is not known here.
    pub is_reading_only: bool,
    /// Whether jobs are done in this process.
    pub has_workers: bool,
    /// The time now, when it is known.
    pub now: Option<Stamp>,
    /// The same on the machine's clock, which backups go by.
    pub machine_now: Stamp,
    /// Of daily maintenance.
    pub daily: Due,
    /// Of weekly maintenance.
    pub weekly: Due,
    /// Why the last report of maintenance was not posted.
    pub webhook_fault: Option<String>,
    /// Of backups.
    pub backup: Due,
    /// Backups that were not read through when they were made.
    pub unverified_backups: usize,
    /// `None`: the robot is in no fleet.
    pub fleet: Option<FleetStanding>,
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
    let mut parts = vec![
        store(found),
        embedder(found),
        indexes(found),
        write_queue(found),
        jobs(found),
        maintenance(found),
        backups(found),
        clock(found),
        events(&found.health.events, found.is_reading_only),
    ];
    parts.extend(found.fleet.as_ref().map(fleet));
    parts
}

/// The only part of a store of which nothing can be found.
pub(super) fn unreadable(fault: &str) -> ComponentStatus {
    part("store", Error, "unreadable", format!("the store cannot be read: {fault}"))
}

pub(super) fn part(
    name: &str,
    level: StatusLevel,
    state: &str,
    message: impl Into<String>,
) -> ComponentStatus {
    ComponentStatus {
        name: name.to_owned(),
        level,
        state: state.to_owned(),
        message: message.into(),
    }
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
    let name = "store";
    let state = &found.health.store;
    let what_to_do = match state {
        StoreState::Writable => return writable(found),
        StoreState::Full => {
            "the disk or store_bytes_max is full: make room, or raise it".to_owned()
        }
        StoreState::Locked => {
            "another program holds the file: end it (lsof shows which it is)".to_owned()
        }
        StoreState::ReadOnly => {
            "the file system is read-only or the disk fails: look into the kernel's log, and mount \
             it for writing"
                .to_owned()
        }
        StoreState::Damaged => {
            let what = found.finding.as_ref().map_or(String::new(), |what| format!(" ({what})"));
            format!("the file is damaged{what} and is being repaired; see docs/operations.md")
        }
        StoreState::Blocked(reason) => {
            format!(
                "writes are refused: {reason}. Make room on the disk, or lower disk_free_bytes_min"
            )
        }
    };
    let waiting = match found.health.write_queue.is_open {
        true => "statements and events meanwhile wait in the write queue",
        false => "writes are refused meanwhile",
    };
    part(name, Error, state.as_str(), format!("{what_to_do}; {waiting}, and reading goes on"))
}

/// A store that reads and writes, and what befell it before.
fn writable(found: &Findings<'_>) -> ComponentStatus {
    let mut level = Ok;
    let mut message = "reads and writes".to_owned();
    if let Some(at) = found.looked_over_at {
        message.push_str(&format!("; checked at {}", at.rfc_3339()));
    }
    let missing_commits = found.health.missing_commits;
    if missing_commits > 0 {
        level = Warn;
        message.push_str(&format!(
            "; {missing_commits} commits that were answered before the last start are not there: the log \
             lost its end, or an earlier copy was put in the store's place. The newest backup may have them"
        ));
    }
    if let Some((text, is_lossy)) = &found.repaired {
        if *is_lossy {
            level = Warn;
        }
        message.push_str("; ");
        message.push_str(text);
    }
    part("store", level, found.health.store.as_str(), message)
}

fn write_queue(found: &Findings<'_>) -> ComponentStatus {
    let name = "write_queue";
    let WriteQueueHealth { is_open, queued, bytes, is_reserved, replayed, rejected } =
        found.health.write_queue;
    if found.is_reading_only {
        return elsewhere(name);
    }
    if !is_open {
        return part(name, Ok, "off", "what the store cannot take is refused, and does not wait");
    }
    if queued > 0 {
        let message = format!("{queued} writes wait ({bytes} bytes) until the store takes them");
        return part(name, Warn, "waiting", message);
    }
    if rejected > 0 {
        let message = format!(
            "{rejected} writes that had waited could not be stored: they are in the queue's file of \
             rejected ones"
        );
        return part(name, Warn, "rejected", message);
    }
    if !is_reserved {
        let message = "its space could not be taken on the disk: when the disk is full, writes are \
             refused. Make room for write_queue_bytes_max";
        return part(name, Warn, "not_reserved", message);
    }
    part(name, Ok, "empty", format!("none waits; {replayed} were stored out of it since the start"))
}

fn embedder(found: &Findings<'_>) -> ComponentStatus {
    let name = "embedder";
    let of_texts = match &found.health.embedder {
        _ if found.is_reading_only => return elsewhere(name),
        EmbedderState::Loading => {
            part(name, Ok, "loading", "the model is being loaded; words only until then")
        }
        EmbedderState::Off => part(name, Ok, "off", "words only"),
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
    };
    with_pictures(of_texts, &found.health.pictures)
}

/// Tells of the model of pictures, too, when one is wanted.
fn with_pictures(of_texts: ComponentStatus, pictures: &PicturesHealth) -> ComponentStatus {
    let PicturesHealth { embedder, made, missing, failed } = pictures;
    let (level, text) = match embedder {
        EmbedderState::Off => return of_texts,
        EmbedderState::Loading => (Ok, "the image model is being loaded".to_owned()),
        EmbedderState::Ready(model) => (
            Ok,
            format!("image model {model}: {made} pictures, {missing} waiting, {failed} failed"),
        ),
        EmbedderState::Failed(reason) => {
            let text = format!(
                "no picture is found by what it shows: {reason}. See image_model_dir; pictures of now \
                 get their vectors later"
            );
            (Warn, text)
        }
    };
    let message = format!("{}; {text}", of_texts.message);
    ComponentStatus { level: of_texts.level.max(level), message, ..of_texts }
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
    let JobsHealth { pending, held, retry_waiting, dead_letter, unpublished: _ } =
        found.health.jobs;
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
    let last = daily.last.max(weekly.last).map(|last| format!("done last at {}", last.rfc_3339()));
    if found.is_reading_only {
        let last = last.unwrap_or_else(|| "not done yet".to_owned());
        return part(name, Ok, "unknown", format!("{last}; when it is due, the node knows"));
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
    if let Some(fault) = &found.webhook_fault {
        let message = format!(
            "the last report was not posted: {fault}. It is in its file; see maintenance_webhook_url"
        );
        return part(name, Warn, "not_posted", message);
    }
    if !daily.is_on && !weekly.is_on {
        let message =
            "maintenance_daily_at and maintenance_weekly_at are empty: none is done by itself";
        return part(name, Ok, "off", message);
    }
    part(name, Ok, "ready", last.unwrap_or_else(|| "not done yet".to_owned()))
}

fn backups(found: &Findings<'_>) -> ComponentStatus {
    let name = "backups";
    let Findings { backup, machine_now, unverified_backups, .. } = found;
    let last = backup.last.map(|last| last.rfc_3339());
    if *unverified_backups > 0 {
        let message = format!(
            "{unverified_backups} were not read through when they were made: make another one with \
             backup, and look at the disk"
        );
        return part(name, Warn, "unverified", message);
    }
    if backup.is_late(Some(*machine_now)) {
        let last = match &last {
            Some(last) => format!("the newest is of {last}"),
            None => "there is none".to_owned(),
        };
        let message =
            format!("{last}. They need job_workers and room on the disk; backup makes one now");
        return part(name, Warn, "late", message);
    }
    match (last, backup.is_on) {
        (Some(last), _) => part(name, Ok, "ready", format!("the newest is of {last}")),
        (None, _) if found.is_reading_only => elsewhere(name),
        (None, false) => part(name, Ok, "off", "backup_daily_at is empty: none is made by itself"),
        (None, true) => part(name, Ok, "ready", "none was made yet"),
    }
}

fn clock(found: &Findings<'_>) -> ComponentStatus {
    let level = if found.clock.is_steady() { Ok } else { Warn };
    part("clock", level, found.clock.as_str(), found.clock.to_string())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_is_more_than_twice_the_period_since_the_last_or_since_the_beginning() {
        let day = |days: f64| Stamp(0).plus_days(days);
        let due = |is_on, last, since| Due { is_on, last, since, period_days: 1.0 };
        for (due, now, is_late) in [
            (due(true, Some(day(3.0)), Some(day(0.0))), 5.0, false),
            (due(true, Some(day(3.0)), Some(day(0.0))), 5.1, true),
            (due(true, None, Some(day(0.0))), 1.9, false),
            (due(true, None, Some(day(0.0))), 2.1, true),
            (due(true, None, None), 900.0, false),
            (due(false, None, Some(day(0.0))), 900.0, false),
        ] {
            assert_eq!(due.is_late(Some(day(now))), is_late, "{due:?} at {now}");
            assert!(!due.is_late(None));
        }
    }
}
