//! Queues what is due by the clock on the wall: maintenance and backups.
//!
//! Up to which time each kind of work was queued is kept in the store, in the transaction that queues it:
//! a date is served once, whatever is restarted, and what was missed is done once, not once a day missed.

use crate::db::{Outcome, WriteTx};
use crate::operations::jobs::MaintenancePayload;
use crate::{Engine, Result};
use robot_memory_core::api::{ApiError, MaintenanceMode};
use robot_memory_core::jobs::DueTimes;
use robot_memory_core::model::{JobScope, JobType, Stamp};
use robot_memory_db::{self as store, JobDraft, Locked, MaintainedAt, ReadTx};
use serde_json::json;
use std::sync::Mutex;

/// Days by which the last time that was served may be ahead of the clock: one that is put right a little
/// serves no date twice, one that went back further begins anew.
const SERVED_AHEAD_DAYS_MAX: f64 = 1.0;

/// Work that is due by the clock, in the order in which it is queued: a backup holds what was there before
/// maintenance changed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Backup,
    Weekly,
    Daily,
}

impl Work {
    const ALL: [Self; 3] = [Self::Backup, Self::Weekly, Self::Daily];

    const fn of(mode: MaintenanceMode) -> Self {
        match mode {
            MaintenanceMode::Daily => Self::Daily,
            MaintenanceMode::Weekly => Self::Weekly,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Backup => "backup",
            Self::Weekly => "weekly",
            Self::Daily => "daily",
        }
    }
}

/// From when until when nothing is due, as of the last look.
#[derive(Debug, Default)]
pub(super) struct NothingDue(Mutex<QuietSpan>);

/// The times between which nothing is due, as long as nothing comes to be due meanwhile.
#[derive(Debug, Default)]
struct QuietSpan {
    quiet: Option<(Stamp, Stamp)>,
    /// How often something came to be due again: a look that began before such a time says nothing.
    forgotten: u64,
}

impl NothingDue {
    fn holds(&self, now: Stamp) -> bool {
        self.0.locked().quiet.is_some_and(|(from, until)| (from..until).contains(&now))
    }

    /// Something is due again.
    pub(super) fn forget(&self) {
        let mut look = self.0.locked();
        (look.quiet, look.forgotten) = (None, look.forgotten + 1);
    }

    /// What a look that begins now hands to [`NothingDue::set`].
    fn begin(&self) -> u64 {
        self.0.locked().forgotten
    }

    fn set(&self, begun: u64, from: Stamp, until: Stamp) {
        let mut look = self.0.locked();
        if look.forgotten == begun {
            look.quiet = Some((from, until));
        }
    }
}

/// When maintenance was done and is due, and when the next backup is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScheduleState {
    /// When the last run over all scopes ended, of either mode; `None`: never.
    pub last_daily_at: Option<Stamp>,
    /// When the last weekly run over all scopes ended.
    pub last_weekly_at: Option<Stamp>,
    /// When the next daily run is due, or has been since; `None`: it is off.
    pub next_daily_at: Option<Stamp>,
    /// So the weekly one.
    pub next_weekly_at: Option<Stamp>,
    /// So the backup.
    pub next_backup_at: Option<Stamp>,
}

/// What is to be done about one kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Nothing until then.
    NotDue,
    /// It is to be queued.
    Due,
    /// It begins with the next time: it was never served, or the clock went back.
    FromNow,
}

/// What is to be done about work that was due last then, and of which what was due up to `served` was
/// queued.
fn verdict(served: Option<Stamp>, last: Stamp, now: Stamp) -> Verdict {
    match served {
        None => Verdict::FromNow,
        Some(served) if served.days_since(now) > SERVED_AHEAD_DAYS_MAX => Verdict::FromNow,
        Some(served) if served < last => Verdict::Due,
        Some(_) => Verdict::NotDue,
    }
}

impl Engine {
    /// Queues maintenance and backups that are due, once each time that they are; what was missed while
    /// the robot was off, once. Maintenance waits for the end of sessions of this run. To be called each
    /// second or so: it is cheap when nothing is due.
    ///
    /// # Errors
    /// When the store cannot be written, or when too many jobs wait; the next call tries again.
    pub fn schedule(&self) -> Result<(), ApiError> {
        self.tell_reports_left()?;
        Ok(self.queue_due()?)
    }

    /// When maintenance was done and is due. Works due now are shown with when they became so.
    pub fn schedule_state(&self) -> Result<ScheduleState, ApiError> {
        let now = self.clock.now();
        let state: Result<ScheduleState> = self.store.read(|tx| {
            let next = |work| -> Result<Option<Stamp>> {
                let Some(now) = now else { return Ok(None) };
                let Some(DueTimes { last, next }) = self.due_times(work, now) else {
                    return Ok(None);
                };
                let Some(last) = last else { return Ok(next) };
                let is_due = verdict(tx.served_until(work.as_str())?, last, now) == Verdict::Due;
                Ok(if is_due { Some(last) } else { next })
            };
            let MaintainedAt { daily, weekly } = tx.maintained_at(JobScope::ALL)?;
            Ok(ScheduleState {
                last_daily_at: daily,
                last_weekly_at: weekly,
                next_daily_at: next(Work::Daily)?,
                next_weekly_at: next(Work::Weekly)?,
                next_backup_at: next(Work::Backup)?,
            })
        });
        Ok(state?)
    }

    fn queue_due(&self) -> Result<()> {
        if !self.config.jobs.has_workers {
            return Ok(());
        }
        let Some(now) = self.clock.now() else { return Ok(()) };
        if self.nothing_due.holds(now) {
            return Ok(());
        }
        // By a clock that jumped nothing is due; the next call asks again.
        if !self.clock_state().is_steady() {
            return Ok(());
        }
        let begun = self.nothing_due.begin();
        let (plan, is_busy) = self.store.read(|tx| {
            let is_busy = tx.has_open_session()?;
            Ok::<_, store::Error>((self.verdicts(tx, now)?, is_busy))
        })?;
        let waits = |work: Work| is_busy && work != Work::Backup;
        let is_waiting =
            plan.iter().any(|(work, _, verdict)| *verdict == Verdict::Due && waits(*work));
        let plan: Vec<_> = plan
            .into_iter()
            .filter(|(work, _, verdict)| match verdict {
                Verdict::NotDue => false,
                Verdict::Due => !waits(*work),
                Verdict::FromNow => true,
            })
            .collect();
        if !plan.is_empty() {
            self.write(|tx| {
                self.serve(tx, &plan)?;
                Ok(Outcome::Changed(()))
            })?;
        }
        if !is_waiting {
            let next = Work::ALL.iter().filter_map(|work| self.due_times(*work, now)?.next).min();
            self.nothing_due.set(begun, now, next.unwrap_or(Stamp(i64::MAX)));
        }
        Ok(())
    }

    /// When a kind of work is due around `now`; `None`: never.
    fn due_times(&self, work: Work, now: Stamp) -> Option<DueTimes> {
        let settings = &self.config.maintenance;
        let zone = &settings.time_zone;
        match work {
            Work::Backup => self.config.backups.daily_at.map(|at| at.due(now, zone)),
            Work::Weekly => settings.weekly_at.map(|at| at.due(now, zone)),
            Work::Daily => settings.daily_at.map(|at| at.due(now, zone)),
        }
    }

    /// What is to be done now about each kind of work that is on, and when it was due last.
    fn verdicts(&self, tx: &ReadTx<'_>, now: Stamp) -> store::Result<Vec<(Work, Stamp, Verdict)>> {
        let mut plan = Vec::new();
        for work in Work::ALL {
            if let Some(DueTimes { last: Some(last), .. }) = self.due_times(work, now) {
                plan.push((work, last, verdict(tx.served_until(work.as_str())?, last, now)));
            }
        }
        Ok(plan)
    }

    /// Queues what is due, and notes up to when it is served.
    fn serve(&self, tx: &WriteTx<'_>, plan: &[(Work, Stamp, Verdict)]) -> Result<()> {
        let has_weekly =
            plan.iter().any(|(work, _, verdict)| *work == Work::Weekly && *verdict == Verdict::Due);
        for (work, last, verdict) in plan {
            if *verdict == Verdict::Due {
                match work {
                    Work::Backup => drop(self.queue_backup(tx, "")?),
                    Work::Weekly => self.queue_maintenance(tx, MaintenanceMode::Weekly)?,
                    // The weekly run does all that the daily does.
                    Work::Daily if has_weekly => {}
                    Work::Daily => self.queue_maintenance(tx, MaintenanceMode::Daily)?,
                }
            }
            tx.put_served_until(work.as_str(), *last)?;
        }
        Ok(())
    }

    /// When maintenance of this mode was due last; `None`: it is off, or never was.
    pub(super) fn due_at(&self, mode: MaintenanceMode, now: Stamp) -> Option<Stamp> {
        self.due_times(Work::of(mode), now)?.last
    }

    /// Lets maintenance be due again that was queued but not done; when that is committed,
    /// [`NothingDue::forget`] is to be called.
    pub(super) fn serve_again(&self, tx: &WriteTx<'_>, mode: MaintenanceMode) -> store::Result<()> {
        let work = Work::of(mode);
        match tx.served_until(work.as_str())? {
            Some(served) => tx.put_served_until(work.as_str(), Stamp(served.0.saturating_sub(1))),
            None => Ok(()),
        }
    }

    fn queue_maintenance(&self, tx: &WriteTx<'_>, mode: MaintenanceMode) -> Result<()> {
        let payload = MaintenancePayload { mode, dry_run: false, asked_for: false };
        self.enqueue(
            tx,
            &JobDraft {
                dedup_key: payload.dedup_key(&JobScope::All),
                payload: json!(payload),
                ..JobDraft::of(&JobScope::All, JobType::Maintenance, "")
            },
        )?;
        Ok(())
    }
}
