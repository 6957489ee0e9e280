//! Looks after the memories of a scope, or of each scope after the other: never across.

mod complete;
mod conflicts;
mod fade;
mod judge;
mod learn;
mod merge;
mod part;
mod place;
mod week;

pub(in crate::engine) use part::{Done, ScopePart};

use super::{Committed, Fault, JobRun};
use crate::api::MaintenanceMode;
use crate::engine::Result;
use crate::index::Change;
use crate::model::{JobProgress, JobScope, Scope, Stamp, text_enum};
use crate::store::WriteTx;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

text_enum! {
    /// One step of maintenance, in the order in which they are done.
    MaintenanceStep {
        /// What is missing is filled in.
        Complete = "complete",
        /// What says the same is merged.
        Merge = "merge",
        /// What may say the same is judged.
        Judge = "judge",
        /// Rows of unknown origin get a scope.
        Place = "place",
        /// Contradictions are settled or reported.
        Conflicts = "conflicts",
        /// Task logs become knowledge.
        Learn = "learn",
        /// Belief fades; what is not worth keeping is archived.
        Fade = "fade",
        /// Each week gets its summary.
        Week = "week",
    }
}

impl Default for MaintenanceStep {
    fn default() -> Self {
        Self::Complete
    }
}

impl MaintenanceStep {
    /// Whether it is done in a run of this mode.
    const fn is_of(self, mode: MaintenanceMode) -> bool {
        match self {
            Self::Complete | Self::Merge | Self::Judge | Self::Place => true,
            Self::Conflicts | Self::Learn | Self::Fade | Self::Week => {
                matches!(mode, MaintenanceMode::Weekly)
            }
        }
    }
}

/// What a run is asked to do.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Payload {
    mode: MaintenanceMode,
    #[serde(default)]
    dry_run: bool,
    /// Whether a person ordered it, who so says that the clock is right.
    #[serde(default)]
    accept_clock: bool,
}

/// From where the job goes on.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Position {
    /// The scope that is being looked after; empty before the first.
    scope: String,
    /// The step that is being done there.
    step: MaintenanceStep,
    /// From where that step goes on.
    cursor: Value,
    /// What was done in that scope.
    part: ScopePart,
}

/// One scope while it is being looked after.
pub(in crate::engine) struct ScopeWork {
    /// Which.
    pub scope: Scope,
    /// How much is done.
    pub mode: MaintenanceMode,
    /// When the run looked at the clock.
    pub now: Stamp,
    position: Position,
}

impl ScopeWork {
    /// From where the step goes on; null at its beginning.
    pub fn cursor(&self) -> &Value {
        &self.position.cursor
    }
}

impl JobRun<'_> {
    pub(super) fn maintain(&self) -> std::result::Result<(), Fault> {
        let Payload { mode, dry_run: _, accept_clock } = self.payload()?;
        // Without the time nothing can be said to have faded or to be replaced.
        let now = self.engine.now()?;
        if accept_clock {
            self.engine.accept_clock(now)?;
        }
        // What was recalled lately does not fade.
        self.engine.write_accesses()?;
        let JobScope::Of(scope) = &self.claim.job.scope else {
            return Err(Fault::Fatal("not yet".into()));
        };
        let position: Position = self.begun_with()?;
        let mut work = ScopeWork { scope: scope.clone(), mode, now, position };
        self.maintain_scope(&mut work)?;
        let part = work.position.part;
        self.commit(|_, _| Ok(json!(part)), |part| super::Step::Done(part))?;
        Ok(())
    }

    /// Does all steps of the mode in one scope, from where it was left.
    fn maintain_scope(&self, work: &mut ScopeWork) -> std::result::Result<(), Fault> {
        for &step in MaintenanceStep::ALL {
            if step < work.position.step || !step.is_of(work.mode) {
                continue;
            }
            if step != work.position.step {
                work.position.cursor = Value::Null;
            }
            work.position.step = step;
            work.position.part.at = step;
            work.position.part.step();
            match step {
                MaintenanceStep::Complete => self.complete_step(work)?,
                MaintenanceStep::Merge => self.merge_step(work)?,
                MaintenanceStep::Judge => self.judge_step(work)?,
                MaintenanceStep::Place => self.place_step(work)?,
                MaintenanceStep::Conflicts => self.conflicts_step(work)?,
                MaintenanceStep::Learn => self.learn_step(work)?,
                MaintenanceStep::Fade => self.fade_step(work)?,
                MaintenanceStep::Week => self.week_step(work)?,
            }
        }
        Ok(())
    }

    /// Commits a part of a step, with how far it came, and lets callers go first. When it fails, what
    /// `f` noted in the report is forgotten with what it changed.
    pub(in crate::engine) fn commit_part(
        &self,
        work: &mut ScopeWork,
        total: u64,
        f: impl FnOnce(&WriteTx<'_>, &mut Vec<Change>, &mut ScopePart) -> Result<Done>,
    ) -> std::result::Result<(), Fault> {
        let mut position = work.position.clone();
        position.scope = work.scope.to_string();
        let committed = self.commit(
            |tx, changes| {
                let Done { cursor, done } = f(tx, changes, &mut position.part)?;
                position.cursor = cursor;
                let step = position.step.as_str().to_owned();
                let progress = JobProgress { step, done, total: total.max(done) };
                Ok(Committed { told: json!(position), position, progress, is_done: false })
            },
            Committed::step,
        )?;
        let at = committed.position.step;
        work.position = committed.position;
        work.position.part.at = at;
        self.pause()
    }
}
