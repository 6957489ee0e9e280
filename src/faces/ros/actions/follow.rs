//! The thread that follows the jobs of goals, and tells their callers.

use super::goals::{GoalId, Live, Stage};
use super::{Action, ActionWire, ResultParts};
use crate::faces::ros::stop::Stop;
use robot_memory_core::api::{ErrorKind, ShownJob};
use robot_memory_core::model::{JobProgress, JobStatus};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks at the jobs.
const LOOK: Duration = Duration::from_millis(100);
/// After so long feedback is told again, though it is the same.
const PROGRESS_PERIOD: Duration = Duration::from_millis(500);

/// An action whose goals are followed.
pub(in crate::faces::ros) trait Follow: Send {
    /// Goals can be followed from now on.
    fn open(&self);

    /// Looks at the jobs of its goals once.
    fn look(&mut self);

    /// Ends its goals.
    fn close(&self);
}

/// Every action.
pub(in crate::faces::ros) struct Followers(pub Vec<Box<dyn Follow>>);

impl Followers {
    /// Takes goals from now on.
    pub fn open(&self) {
        for action in &self.0 {
            action.open();
        }
    }

    /// Follows the goals of each until it is time to stop; those that are left then are aborted.
    pub fn run(&mut self, stop: &Stop) {
        while !stop.wait(LOOK) {
            for action in &mut self.0 {
                // A fault must not leave the others alone; the panic hook has logged it.
                let _ = catch_unwind(AssertUnwindSafe(|| action.look()));
            }
        }
        for action in &self.0 {
            action.close();
        }
    }
}

pub(super) struct Following<W: ActionWire> {
    action: Arc<Action<W>>,
    notes: BTreeMap<GoalId, Note>,
}

/// What was done about a goal.
#[derive(Default)]
struct Note {
    published: Option<(JobProgress, Instant)>,
    is_stopping: bool,
}

impl<W: ActionWire> Following<W> {
    pub fn new(action: Arc<Action<W>>) -> Self {
        Self { action, notes: BTreeMap::new() }
    }

    fn follow(&mut self, goal: Live, all: &[Live]) {
        // None is followed while the node is not active.
        let Some(engine) = self.action.engine.get() else { return };
        let note = self.notes.entry(goal.id).or_default();
        let shown = match engine.job(goal.job_id) {
            Ok(shown) => shown,
            // It is looked at again.
            Err(error) if error.kind == ErrorKind::Unavailable => return,
            Err(error) => {
                return self.action.end(goal.id, Stage::Aborted, ResultParts::failed(error));
            }
        };
        if shown.job.status.is_finished() {
            let stage = end_stage(shown.job.status, goal.is_canceling);
            return self.action.end(goal.id, stage, ResultParts::of(shown));
        }
        if goal.is_canceling && !note.is_stopping {
            if others_wait(goal, all) {
                return self.action.end(goal.id, Stage::Canceled, ResultParts::of(shown));
            }
            match engine.stop_job(goal.job_id) {
                Ok(_) => note.is_stopping = true,
                Err(error) => log::debug!("{}: not cancelled yet: {error}", W::NAME),
            }
        }
        let progress = progress(&shown);
        let is_published = note.published.as_ref().is_some_and(|(published, at)| {
            *published == progress && at.elapsed() < PROGRESS_PERIOD
        });
        if !is_published {
            note.published = Some((progress.clone(), Instant::now()));
            self.action.tell_feedback(goal.id, W::feedback(goal.job_id, progress));
        }
    }
}

impl<W: ActionWire> Follow for Following<W> {
    fn look(&mut self) {
        let live = self.action.live();
        self.notes.retain(|id, _| live.iter().any(|goal| goal.id == *id));
        for goal in &live {
            self.follow(*goal, &live);
        }
    }

    fn open(&self) {
        self.action.open();
    }

    fn close(&self) {
        self.action.close();
    }
}

/// Whether a goal that is not canceled has the same job.
fn others_wait(goal: Live, all: &[Live]) -> bool {
    all.iter().any(|other| other.job_id == goal.job_id && !other.is_canceling)
}

/// How a goal ends with its job. Only one that somebody canceled may end so.
fn end_stage(status: JobStatus, is_canceling: bool) -> Stage {
    match status {
        JobStatus::Succeeded => Stage::Succeeded,
        JobStatus::Cancelled if is_canceling => Stage::Canceled,
        _ => Stage::Aborted,
    }
}

/// How far a job is; of one that nobody has, what it waits for.
fn progress(shown: &ShownJob) -> JobProgress {
    let progress = shown.job.progress.clone();
    if shown.job.status.is_held() || shown.waits_for.is_empty() {
        return progress;
    }
    JobProgress { step: format!("waits: {}", shown.waits_for), ..progress }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_stopped_by_the_last_that_waits_for_it() {
        let live =
            |number: u8, job_id, is_canceling| Live { id: [number; 16], job_id, is_canceling };
        let all = [live(1, 10, true), live(2, 10, false), live(3, 20, true), live(4, 20, true)];
        assert_eq!(all.map(|goal| others_wait(goal, &all)), [true, true, false, false]);
    }

    #[test]
    fn a_goal_ends_with_its_job() {
        let cases = [
            (JobStatus::Succeeded, false, Stage::Succeeded),
            (JobStatus::Succeeded, true, Stage::Succeeded),
            (JobStatus::Cancelled, true, Stage::Canceled),
            (JobStatus::Cancelled, false, Stage::Aborted),
            (JobStatus::DeadLetter, true, Stage::Aborted),
        ];
        for (status, is_canceling, stage) in cases {
            assert_eq!(end_stage(status, is_canceling), stage, "{status} {is_canceling}");
        }
    }
}
