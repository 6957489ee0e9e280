//! Looks after the memories of a scope, or of each scope after the other: never across.

mod ahead;
mod complete;
mod conflicts;
mod fade;
mod judge;
mod learn;
mod markdown;
mod merge;
mod part;
mod place;
mod rehearse;
mod report;
mod week;

pub(crate) use markdown::report_markdown;
pub(crate) use part::{Done, ScopePart};
pub(crate) use rehearse::remove_leftovers;
pub(crate) use report::Report;

use super::{Committed, Fault, JobRun, Step};
use crate::Result;
use crate::db::WriteTx;
use crate::operations::jobs::MaintenancePayload as Payload;
use ahead::Ahead;
use report::{ScopeReport, Tally};
use robot_memory_core::api::{MaintenanceMode, MaintenanceStep};
use robot_memory_core::model::{JobProgress, JobScope, Scope, Stamp};
use robot_memory_db::{self as store, MaintainedAt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// Scopes without anything to do that are noted together: a store may have thousands, of which each
/// would else be a commit.
const QUIET_SCOPES_PER_COMMIT: usize = 64;

/// What a report says of a run that was ended by a session.
const MADE_WAY: &str = "a session began: what is left is done when none is open";

/// From where the job goes on.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Position {
    /// When the run looked at the clock; `None` before it began.
    began_at: Option<Stamp>,
    /// The last scope that it is done with; empty before the first.
    after: String,
    /// The scope that is being looked after; empty between two.
    scope: String,
    /// The step that is being done there.
    step: MaintenanceStep,
    /// From where that step goes on.
    cursor: Value,
    /// What was done in that scope.
    part: ScopePart,
    /// Whether all that was begun to be compared in that scope is.
    is_compared: bool,
    /// What was done in those before it.
    tally: Tally,
}

/// A run: how far it is, and what of it is not noted in the store yet.
#[derive(Default)]
struct Round {
    position: Position,
    /// Scopes that it is done with since the last commit.
    finished: Vec<Finished>,
    /// What is known of the scopes that come next.
    ahead: Ahead,
}

/// A scope that a run is done with.
struct Finished {
    scope: String,
    /// What is told of it.
    reported: Option<ScopePart>,
    is_compared: bool,
}

/// One scope while it is being looked after.
pub(crate) struct ScopeWork {
    pub scope: Scope,
    /// How much is done.
    pub mode: MaintenanceMode,
    /// When the run looked at the clock.
    pub now: Stamp,
    round: Round,
}

impl ScopeWork {
    /// Whether something of the scope may have to be held against the others.
    pub fn may_compare(&self) -> bool {
        self.round.ahead.is_due(&self.scope.to_string())
    }

    /// Notes that all that was begun to be compared is.
    pub fn end_comparing(&mut self) {
        self.round.position.is_compared = true;
    }

    /// From where the step goes on; null at its beginning.
    pub fn cursor(&self) -> &Value {
        &self.round.position.cursor
    }

    /// What was done in the scope so far. What is noted here outlasts only what is committed later.
    pub fn part(&mut self) -> &mut ScopePart {
        &mut self.round.position.part
    }
}

impl JobRun<'_> {
    pub(super) fn maintain(&self) -> Result<(), Fault> {
        let payload: Payload = self.payload()?;
        match payload.dry_run {
            true => self.rehearse(&payload)?,
            false => {
                self.gives_way.store(true, Ordering::Relaxed);
                self.maintain_scopes(&payload)?;
            }
        }
        if let Err(error) = self.engine.tell_reports() {
            log::warn!("a report of maintenance was not published yet: {error}");
        }
        Ok(())
    }

    fn maintain_scopes(&self, payload: &Payload) -> Result<(), Fault> {
        let (mut round, now) = self.begin_round(payload)?;
        self.makes_way.store(!payload.asked_for, Ordering::Relaxed);
        match self.pause() {
            Err(Fault::SessionBegan) => return self.end_round(payload, round, now, true),
            outcome => outcome?,
        }
        // What was recalled lately does not fade.
        self.engine.write_accesses()?;
        let mode = payload.mode;
        // Of what is due the part that was done before a session began is done.
        let due_at = if payload.asked_for { None } else { self.engine.due_at(mode, now) };
        while let Some(name) = self.next_scope(&round.position) {
            let Ok(scope) = Scope::parse(&name) else {
                log::error!("maintenance skips a scope that cannot be read");
                round.position.after = name;
                continue;
            };
            let is_left = round.position.scope == name;
            if !is_left && self.is_maintained(&name, mode, due_at)? {
                round.position.after = name;
                continue;
            }
            if !is_left {
                self.look_ahead(&mut round, &name, mode)?;
            }
            round.position.scope = name;
            let mut work = ScopeWork { scope, mode, now, round };
            let outcome = self.maintain_scope(&mut work);
            round = work.round;
            match outcome.and_then(|()| self.leave_scope(&mut round, mode)) {
                Err(Fault::SessionBegan) => return self.end_round(payload, round, now, true),
                outcome => outcome?,
            }
        }
        self.end_round(payload, round, now, false)
    }

    /// Begins the run, or takes up where it was left; answers also when it looked at the clock. All of it
    /// is done as of then, also after a restart.
    fn begin_round(&self, payload: &Payload) -> Result<(Round, Stamp), Fault> {
        let mut round = Round { position: self.begun_with()?, ..Round::default() };
        if let Some(began_at) = round.position.began_at {
            return Ok((round, began_at));
        }
        // Without the time nothing can be said to have faded or to be replaced.
        let now = self.engine.now()?;
        if payload.asked_for {
            self.engine.accept_clock(now)?;
        }
        round.position = Position { began_at: Some(now), ..Position::default() };
        let job = &self.lease.job;
        self.commit(
            |tx| {
                let scope = job.scope.to_string();
                tx.begin_maintenance_run(job.id, payload.mode.as_str(), &scope, now)?;
                Ok((JobProgress::default(), json!(round.position)))
            },
            |(progress, position)| Step::More(progress, position),
        )?;
        Ok((round, now))
    }

    /// Whether a scope was looked after since the run was due.
    fn is_maintained(
        &self,
        scope: &str,
        mode: MaintenanceMode,
        due_at: Option<Stamp>,
    ) -> Result<bool> {
        let Some(due_at) = due_at else { return Ok(false) };
        let MaintainedAt { daily, weekly } =
            self.engine.store.read(|tx| tx.maintained_at(scope))?;
        let last = match mode {
            MaintenanceMode::Daily => daily,
            MaintenanceMode::Weekly => weekly,
        };
        Ok(last.is_some_and(|last| last >= due_at))
    }

    /// The scope that is to be looked after next.
    fn next_scope(&self, position: &Position) -> Option<String> {
        if !position.scope.is_empty() {
            return Some(position.scope.clone());
        }
        match &self.lease.job.scope {
            JobScope::Of(scope) => position.after.is_empty().then(|| scope.to_string()),
            JobScope::All => {
                self.engine.derived().rows.scope_after(&position.after).map(str::to_owned)
            }
        }
    }

    /// Does all steps of the mode in one scope, from where it was left. What a step refuses ends that step
    /// only; the report says so.
    fn maintain_scope(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        for &step in MaintenanceStep::ALL {
            let position = &mut work.round.position;
            // What other robots told is theirs to change.
            let is_theirs = work.scope == Scope::Fleet && step != MaintenanceStep::Complete;
            if step < position.step || !step.is_of(work.mode) || is_theirs {
                continue;
            }
            if step != position.step {
                position.cursor = Value::Null;
            }
            position.step = step;
            position.part.at = step;
            position.part.step();
            let outcome = match step {
                MaintenanceStep::Complete => self.complete_step(work),
                MaintenanceStep::Merge => self.merge_step(work),
                MaintenanceStep::Judge => self.judge_step(work),
                MaintenanceStep::Place => self.place_step(work),
                MaintenanceStep::Conflicts => self.conflicts_step(work),
                MaintenanceStep::Learn => self.learn_step(work),
                MaintenanceStep::Fade => self.fade_step(work),
                MaintenanceStep::Week => self.week_step(work),
            };
            match outcome {
                Err(Fault::Fatal(fault)) => work.round.position.part.step().fault = fault,
                outcome => outcome?,
            }
        }
        Ok(())
    }

    /// Commits a part of a step, with how far it came, and lets callers go first. When it fails, what
    /// `f` noted in the report is forgotten with what it changed.
    pub(crate) fn commit_part(
        &self,
        work: &mut ScopeWork,
        total: u64,
        f: impl FnOnce(&WriteTx<'_>, &mut ScopePart) -> Result<Done>,
    ) -> Result<(), Fault> {
        let mut position = work.round.position.clone();
        let finished = std::mem::take(&mut work.round.finished);
        let committed = self.commit(
            |tx| {
                let Done { cursor, done } = f(tx, &mut position.part)?;
                position.cursor = cursor;
                self.note_finished(tx, &finished, work.mode)?;
                let step = self.progress_of(&position);
                let progress = JobProgress { step, done, total: total.max(done) };
                Ok(Committed { report: json!(position), position, progress, is_done: false })
            },
            Committed::step,
        );
        let committed = match committed {
            Ok(committed) => committed,
            Err(fault) => {
                work.round.finished = finished;
                return Err(fault);
            }
        };
        work.round.position = committed.position;
        self.pause()?;
        self.give_way()
    }

    /// Goes back into the queue after a commit, when a step waits to be taken in: there may be one worker.
    fn give_way(&self) -> Result<(), Fault> {
        if self.is_wanted_elsewhere()? { Err(Fault::Yielded) } else { Ok(()) }
    }

    fn is_wanted_elsewhere(&self) -> Result<bool> {
        Ok(self.gives_way.load(Ordering::Relaxed)
            && self.engine.store.read(|tx| tx.has_waiting_turn())?)
    }

    /// Goes on to the next scope. What was done in this one is noted, at once when there was anything.
    fn leave_scope(&self, round: &mut Round, mode: MaintenanceMode) -> Result<(), Fault> {
        let left = std::mem::take(&mut round.position);
        let Position { began_at, scope, part, mut tally, is_compared, .. } = left;
        let reported = tally.add(part, matches!(self.lease.job.scope, JobScope::Of(_)));
        let is_reported = reported.is_some();
        round.position = Position { began_at, after: scope.clone(), tally, ..Position::default() };
        round.finished.push(Finished { scope, reported, is_compared });
        let is_wanted = self.is_wanted_elsewhere()?;
        if is_reported || is_wanted || round.finished.len() >= QUIET_SCOPES_PER_COMMIT {
            self.commit(
                |tx| {
                    self.note_finished(tx, &round.finished, mode)?;
                    Ok((self.progress_of_scopes(&round.position), json!(round.position)))
                },
                |(progress, position)| Step::More(progress, position),
            )?;
            round.finished.clear();
        }
        self.pause()?;
        if is_wanted { Err(Fault::Yielded) } else { Ok(()) }
    }

    /// How many scopes the run is done with.
    fn progress_of_scopes(&self, position: &Position) -> JobProgress {
        let done = position.tally.scope_count;
        let total = self.engine.derived().rows.scope_count() as u64;
        JobProgress { step: "scopes".into(), done, total: total.max(done) }
    }

    /// What the job is at, in a few words, which name no scope: not all who hear of the job see it.
    fn progress_of(&self, position: &Position) -> String {
        match self.lease.job.scope {
            JobScope::Of(_) => position.step.to_string(),
            JobScope::All => {
                let number = position.tally.scope_count + 1;
                let count = self.engine.derived().rows.scope_count() as u64;
                format!("{}, scope {number} of {}", position.step, count.max(number))
            }
        }
    }

    /// Notes scopes that the run is done with.
    fn note_finished(
        &self,
        tx: &WriteTx<'_>,
        finished: &[Finished],
        mode: MaintenanceMode,
    ) -> store::Result<()> {
        for Finished { scope, reported, is_compared } in finished {
            if *is_compared {
                tx.end_comparing(scope)?;
            }
            if let Some(part) = reported {
                tx.put_maintenance_part(self.lease.job.id, scope, &json!(part).to_string())?;
            }
            self.note_maintained(tx, scope, mode)?;
        }
        Ok(())
    }

    fn note_maintained(
        &self,
        tx: &WriteTx<'_>,
        scope: &str,
        mode: MaintenanceMode,
    ) -> store::Result<()> {
        let Some(now) = self.engine.clock.now() else { return Ok(()) };
        tx.put_maintained(scope, matches!(mode, MaintenanceMode::Weekly), now)
    }

    /// Ends the run with its report: when a session began, before it is done with all scopes. The rest is
    /// due again then.
    fn end_round(
        &self,
        payload: &Payload,
        mut round: Round,
        now: Stamp,
        makes_way: bool,
    ) -> Result<(), Fault> {
        let job = &self.lease.job;
        let mut left = None;
        if makes_way {
            let Position { scope, part, tally, .. } = &mut round.position;
            if !scope.is_empty() {
                let reported = tally.add(std::mem::take(part), false);
                left = reported.map(|part| (std::mem::take(scope), part));
            }
            tally.notes.insert(MADE_WAY.into(), 1);
        }
        let mut report = Report::of(payload, &job.scope, now);
        report.tally = round.position.tally.closed();
        let ended_at = self.engine.clock.now().unwrap_or(now);
        report.ended_at = ended_at.rfc_3339();
        self.commit(
            |tx| {
                self.note_finished(tx, &round.finished, payload.mode)?;
                if let Some((scope, part)) = &left {
                    tx.put_maintenance_part(job.id, scope, &json!(part).to_string())?;
                }
                for (scope, part) in tx.maintenance_parts(job.id)? {
                    // One that another version wrote in the middle of the run counts in the totals.
                    let ScopePart { steps, .. } = serde_json::from_str(&part).unwrap_or_default();
                    report.scopes.push(ScopeReport { scope, steps });
                }
                if makes_way && job.scope == JobScope::All {
                    self.engine.serve_again(tx, payload.mode)?;
                } else if job.scope == JobScope::All {
                    self.note_maintained(tx, JobScope::ALL, payload.mode)?;
                }
                let report = json!(report);
                tx.end_maintenance_run(job.id, ended_at, &report.to_string())?;
                Ok(report)
            },
            |report| Step::Done(report),
        )?;
        if makes_way {
            self.engine.nothing_due.forget();
            log::info!("maintenance (job {}) has made way for a session", job.id);
        }
        Ok(())
    }
}
