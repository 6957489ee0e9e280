//! GetStatus: what the store holds, and how each part is doing.

mod components;
mod fleet;

use crate::operations::jobs::JobVisibility;
use crate::operations::visibility::VisibleRows;
use crate::{Engine, Error, FleetStanding, Health, Result, Run, ScheduleState};
use components::{Due, Findings};
use robot_memory_core::access::{SessionsAccess, Visibility};
use robot_memory_core::api::{
    ApiError, BackupInfo, ComponentStatus, GetStatus, KeyCount, StatusLevel, StatusRequest,
    StatusResponse,
};
use robot_memory_core::limits::STATUS_SCOPES_MAX;
use robot_memory_core::model::{JobStatus, Stamp, Status};
use robot_memory_db::ReadTx;
use robot_memory_index::{ClassCounts, Derived, RowSelection};
use std::cmp::Reverse;
use std::collections::BTreeMap;

impl Run<GetStatus> for Engine {
    fn run(&self, request: StatusRequest) -> Result<StatusResponse> {
        let StatusRequest { agent } = request;
        self.check_agent(&agent)?;
        self.status(&agent)
    }
}

/// What is counted of the active memories that a caller sees, in the indexes.
#[derive(Default)]
struct Active {
    classes: ClassCounts,
    scopes: Vec<KeyCount>,
    missing_vectors: u64,
}

/// What is read from the store.
#[derive(Default)]
struct Stored {
    inactive: BTreeMap<Status, u64>,
    jobs: BTreeMap<JobStatus, u64>,
    open_sessions: u64,
    conflict_count: u64,
    schema_version: i64,
    clip_bytes: Option<u64>,
    /// Of an engine that only reads, which has no index of vectors.
    vector_count: Option<u64>,
}

impl Engine {
    /// How each part is doing: what `/diagnostics` shows, without a count of what is stored.
    pub fn components(&self) -> Vec<ComponentStatus> {
        let read = self.store.read(|tx| Ok::<_, Error>(tx.first_stored_at()?));
        let health = match self.health() {
            Ok(health) => health,
            Err(error) => return vec![components::unreadable(&error.message)],
        };
        let schedule = self.schedule_state().unwrap_or_default();
        let first_stored = read.as_ref().ok().copied().flatten();
        self.found(&health, &schedule, &self.backups(), first_stored, read.err().as_ref())
    }

    /// What the store holds in all, for who watches the program and is shown no memory.
    ///
    /// # Errors
    /// When nothing can be told of it; what cannot be read is left out, and the component `store` says so.
    pub fn totals(&self) -> Result<StatusResponse, ApiError> {
        self.status("").map_err(ApiError::from)
    }

    pub(super) fn status(&self, agent: &str) -> Result<StatusResponse> {
        let visibility = self.full_visibility(agent);
        let read = self.view(|tx, derived| {
            let active = self.active(derived, &visibility);
            Ok((active, self.stored(tx, derived, agent, &visibility)?, tx.first_stored_at()?))
        });
        let ((active, stored, first_stored), fault) = match read {
            Ok(read) => (read, None),
            // What the indexes know is told all the same.
            Err(fault) => {
                let active = self.active(&self.derived(), &visibility);
                ((active, Stored::default(), None), Some(fault))
            }
        };
        let health = self.health().map_err(Error::Api)?;
        let schedule = self.schedule_state().unwrap_or_default();
        let mut backups = self.backups();
        let components = self.found(&health, &schedule, &backups, first_stored, fault.as_ref());
        if !matches!(visibility, Visibility::Everything) {
            // How many memories there are in all is for who sees all.
            for backup in &mut backups {
                backup.memory_count = 0;
            }
        }
        let Active { classes, scopes, missing_vectors } = active;
        let mut by_status = stored.inactive;
        if classes.count > 0 {
            by_status.insert(Status::Active, classes.count);
        }
        let vectors = stored.vector_count;
        Ok(StatusResponse {
            level: components.iter().map(|part| part.level).max().unwrap_or(StatusLevel::Ok),
            components,
            memory_count: by_status.values().sum(),
            by_status: keyed(by_status, Status::as_str),
            by_type: keyed(classes.kinds, |kind| kind.as_str()),
            by_level: keyed(classes.levels, |level| level.as_str()),
            by_scope: scopes,
            by_mem_type: keyed(classes.mem_types, |mem_type| mem_type.as_str()),
            by_category: keyed(classes.categories, |category| category.as_str()),
            jobs: keyed(stored.jobs, JobStatus::as_str),
            open_sessions: stored.open_sessions,
            missing_vectors: vectors
                .map_or(missing_vectors, |vectors| classes.count.saturating_sub(vectors)),
            conflict_count: stored.conflict_count,
            store_bytes: health.store_bytes,
            index_bytes: health.index_bytes,
            clip_bytes: stored.clip_bytes.unwrap_or(health.events.clip_bytes),
            backup_bytes: backups.iter().map(|backup| backup.bytes).sum(),
            free_bytes: self.store.free_bytes(),
            queued_writes: health.write_queue.queued,
            queued_bytes: health.write_queue.bytes,
            replayed_writes: health.write_queue.replayed,
            rejected_writes: health.write_queue.rejected,
            last_daily_at: schedule.last_daily_at,
            last_weekly_at: schedule.last_weekly_at,
            next_daily_at: schedule.next_daily_at,
            next_weekly_at: schedule.next_weekly_at,
            last_backup_at: backups
                .iter()
                .filter(|backup| !backup.is_foreign)
                .map(|backup| backup.made_at)
                .max(),
            backups,
            schema_version: stored.schema_version,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    fn active(&self, derived: &Derived, visibility: &Visibility) -> Active {
        let rows = &derived.rows;
        let seen = match visibility {
            // The set of all is there already.
            Visibility::Everything => None,
            visibility => {
                Some(VisibleRows::of(visibility, rows).allowed(derived, &RowSelection::default()))
            }
        };
        let seen = seen.as_ref().unwrap_or(rows.live());
        let classes = rows.count_by_class(seen);
        let with_vector =
            derived.vectors.as_ref().map(|vectors| vectors.present().intersection_count(seen));
        Active {
            missing_vectors: with_vector.map_or(0, |count| classes.count.saturating_sub(count)),
            classes,
            scopes: greatest(rows.count_by_scope(seen).into_iter().filter_map(
                |(number, count)| {
                    Some(KeyCount { key: rows.names().name(number)?.to_owned(), count })
                },
            )),
        }
    }

    fn stored(
        &self,
        tx: &ReadTx<'_>,
        derived: &Derived,
        agent: &str,
        visibility: &Visibility,
    ) -> Result<Stored> {
        let mut stored =
            Stored { schema_version: tx.schema_version()?.into(), ..Stored::default() };
        if matches!(visibility, Visibility::Everything) {
            stored.inactive = tx.inactive_status_totals()?.into_iter().collect();
        } else {
            for total in tx.inactive_totals()? {
                if visibility.sees(&total.scope, total.mem_type) {
                    *stored.inactive.entry(total.status).or_default() += total.count;
                }
            }
        }
        stored.jobs = self.seen_jobs(tx, agent, visibility)?;
        stored.open_sessions = match self.access.policy.sessions(agent) {
            SessionsAccess::All => tx.open_session_count(None)?,
            SessionsAccess::Own | SessionsAccess::Passed => tx.open_session_count(Some(agent))?,
            SessionsAccess::None => 0,
        };
        let seen = VisibleRows::of(visibility, &derived.rows);
        let is_seen = |id: i64| {
            let facts = derived.rows.slot(id).and_then(|slot| derived.rows.facts(slot));
            facts.is_some_and(|facts| seen.sees(&facts))
        };
        let pairs = tx.all_conflict_pairs()?.into_iter();
        let pairs = pairs.filter(|(one, other)| is_seen(*one) && is_seen(*other));
        stored.conflict_count = pairs.count() as u64;
        if self.store.is_reading_only() {
            stored.clip_bytes = Some(tx.clip_bytes()?);
            let vectors = match visibility {
                Visibility::Everything => tx.vector_totals()?,
                visibility => {
                    tx.vector_totals_of(|scope, mem_type| visibility.sees(scope, mem_type))?
                }
            };
            stored.vector_count = Some(vectors.into_values().sum());
        }
        Ok(stored)
    }

    fn seen_jobs(
        &self,
        tx: &ReadTx<'_>,
        agent: &str,
        visibility: &Visibility,
    ) -> Result<BTreeMap<JobStatus, u64>> {
        if matches!(visibility, Visibility::Everything) {
            return Ok(tx.job_status_totals()?.into_iter().collect());
        }
        let mut jobs = BTreeMap::new();
        for total in tx.job_totals()? {
            if self.job_visibility(tx, agent, visibility, &total.scope)? != JobVisibility::Nothing {
                *jobs.entry(total.status).or_default() += total.count;
            }
        }
        Ok(jobs)
    }

    fn found(
        &self,
        health: &Health,
        schedule: &ScheduleState,
        backups: &[BackupInfo],
        first_stored: Option<Stamp>,
        fault: Option<&Error>,
    ) -> Vec<ComponentStatus> {
        let maintenance = &self.config.maintenance;
        let due = |is_on: bool, last: Option<Stamp>, period_days: f64| Due {
            is_on,
            last,
            since: first_stored,
            period_days,
        };
        let own = || backups.iter().filter(|backup| !backup.is_foreign);
        let made_at = own().map(|backup| backup.made_at).max();
        components::components(&Findings {
            health,
            clock: self.clock_state(),
            repaired: self.repair_note().map(|note| (note.text, note.is_lossy)),
            finding: self.store.finding(),
            looked_over_at: Some(self.looked_over_at())
                .filter(|at| *at > 0)
                .map(|at| Stamp(at.saturating_mul(1_000_000))),
            read_fault: fault.map(ToString::to_string),
            is_reading_only: self.store.is_reading_only(),
            has_workers: self.config.jobs.has_workers,
            now: self.clock.now(),
            machine_now: Stamp(self.machine_now().saturating_mul(1_000_000)),
            daily: due(maintenance.daily_at.is_some(), schedule.last_daily_at, 1.0),
            weekly: due(maintenance.weekly_at.is_some(), schedule.last_weekly_at, 7.0),
            webhook_fault: self.webhook_fault(),
            backup: due(self.config.backups.daily_at.is_some(), made_at, 1.0),
            unverified_backups: own().filter(|backup| !backup.is_verified).count(),
            fleet: self.found_of_fleet(),
        })
    }
}

impl Engine {
    /// What is found of the fleet, when the robot is in one.
    fn found_of_fleet(&self) -> Option<FleetStanding> {
        self.config.fleet.as_ref()?;
        self.fleet_standing().ok()
    }
}

/// Those with the most, as many as are told; in order of the key.
fn greatest(counts: impl Iterator<Item = KeyCount>) -> Vec<KeyCount> {
    let mut counts: Vec<KeyCount> = counts.collect();
    if counts.len() > STATUS_SCOPES_MAX {
        counts.sort_by(|one, other| {
            (Reverse(one.count), &one.key).cmp(&(Reverse(other.count), &other.key))
        });
        counts.truncate(STATUS_SCOPES_MAX);
    }
    counts.sort_by(|one, other| one.key.cmp(&other.key));
    counts
}

/// In order of the key.
fn keyed<T>(counts: BTreeMap<T, u64>, name: impl Fn(T) -> &'static str) -> Vec<KeyCount> {
    let named: BTreeMap<&str, u64> =
        counts.into_iter().map(|(key, count)| (name(key), count)).collect();
    named.into_iter().map(|(key, count)| KeyCount { key: key.to_owned(), count }).collect()
}
