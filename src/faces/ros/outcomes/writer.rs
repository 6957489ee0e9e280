//! The thread `outcomes`, which makes attempts of goals.

use super::queue::{GoalQueue, QueuedStep};
use super::result::{measured, reason};
use super::result_client::ResultClients;
use super::status::ActionStatuses;
use super::tracker::{GoalState, GoalStep};
use crate::faces::listening::sim_or_real;
use crate::faces::ros::parameters::SharedSettings;
use crate::faces::ros::stop::Stop;
use crate::faces::ros::streams::{Owner, Streams, ThrottledCount, Usage};
use robot_memory_core::api::{ApiError, ErrorKind, Verdict};
use robot_memory_core::limits::{GOAL_AGE_SECS_MAX, GOALS_MEASURED_MAX, REORDER_SECS_MAX};
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_engine::{Engine, Goal, GoalEnd};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one wait for a step may take, which is how late the stop is seen.
const WAIT_MAX: Duration = Duration::from_millis(200);
/// Before the next attempt, when the store cannot be written.
const REST: Duration = Duration::from_secs(1);
/// After the stop steps are stored for so long; what is left is in the status of its action, and is stored
/// by the next run.
const STOP_MAX: Duration = Duration::from_secs(1);
/// A goal is where the robot is now when it was accepted so short a time ago.
const PLACE_AGE_MAX: Duration = Duration::from_secs(2);

/// Stores what is in the queue.
pub(in crate::faces::ros) struct GoalWriter {
    pub(super) queue: Arc<GoalQueue>,
    pub(super) statuses: ActionStatuses,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) owner: Owner,
}

/// What it stores into, where it asks for the robot's pose, and who says that it is to end.
struct Places<'a> {
    engine: &'a Engine,
    streams: Option<&'a Streams>,
    settings: &'a SharedSettings,
    stop: &'a Stop,
}

/// What the robot had used when goals began, by their attempts.
type UsageAtBegin = BTreeMap<i64, Usage>;

/// Who is asked for results, once one is wanted.
#[derive(Default)]
enum Results {
    #[default]
    Unasked,
    Asked(Box<ResultClients>),
    Failed,
}

impl GoalWriter {
    /// Does so until it is time to stop.
    pub fn run(
        &self,
        engine: &Engine,
        streams: Option<&Streams>,
        settings: &SharedSettings,
        stop: &Stop,
    ) {
        let places = Places { engine, streams, settings, stop };
        let (mut refused_count, mut refused) = (0, ThrottledCount::default());
        let (mut results, mut begun) = (Results::default(), UsageAtBegin::new());
        let mut stopped: Option<Instant> = None;
        loop {
            if stopped.is_none() && stop.wait(Duration::ZERO) {
                stopped = Some(Instant::now());
            }
            let is_over = stopped.is_some_and(|at| at.elapsed() >= STOP_MAX);
            let first = self.queue.first(if stopped.is_some() { Duration::ZERO } else { WAIT_MAX });
            let Some(queued) = first.filter(|_| !is_over) else {
                if stopped.is_some() {
                    break;
                }
                continue;
            };
            // A fault here must not end the thread; the panic hook has logged it.
            let stored = catch_unwind(AssertUnwindSafe(|| {
                self.store(&queued, &places, &mut results, &mut begun)
            }))
            .unwrap_or_else(|_| Err(fault()));
            match stored {
                Err(error) if error.kind == ErrorKind::Unavailable => {
                    if self.statuses.wait_for(&error.message) {
                        log::warn!("goals of actions wait: {error}");
                    }
                    if stopped.is_some() || stop.wait(REST) {
                        break;
                    }
                    continue;
                }
                Err(error) => {
                    refused_count += 1;
                    self.statuses.change(&queued.action, |status| {
                        status.refused_count += 1;
                        status.refused.clone_from(&error.message);
                    });
                    if let Some(more) = refused.more(refused_count, Instant::now()) {
                        let action = &queued.action;
                        log::warn!("{more} goals were not stored, the last of {action}: {error}");
                    }
                }
                Ok(()) => {
                    if self.statuses.wait_for("") {
                        log::info!("goals of actions are stored again");
                    }
                }
            }
            self.queue.remove_first();
        }
        let left = self.queue.len();
        if left > 0 {
            log::warn!("{left} steps of goals were not stored before the node ended");
        }
    }

    fn store(
        &self,
        queued: &QueuedStep,
        places: &Places<'_>,
        results: &mut Results,
        begun: &mut UsageAtBegin,
    ) -> Result<(), ApiError> {
        let QueuedStep { action, step, received_at, .. } = queued;
        // What came before there was any time came now.
        let now = self.clock.now();
        let Some(received_at) = received_at.or(now) else {
            return Err(ApiError::unavailable("there is no time yet: nothing came on /clock"));
        };
        let goal = goal(queued, received_at, places);
        let attempt = places.engine.begin_goal(&goal)?;
        self.statuses.change(action, |status| match attempt.is_first {
            true => status.begun_count += 1,
            // An end is told of a goal that is known.
            false if step.state == GoalState::Open || !attempt.is_open => status.known_count += 1,
            false => {}
        });
        if !attempt.is_open {
            begun.remove(&attempt.attempt_id);
            return Ok(());
        }
        match step.state {
            GoalState::Open => {
                if let Some(streams) = places.streams
                    && attempt.is_first
                    && begun.len() < GOALS_MEASURED_MAX
                {
                    begun.insert(attempt.attempt_id, streams.usage());
                }
            }
            GoalState::Ended(verdict) => {
                let end = GoalEnd {
                    attempt_id: attempt.attempt_id,
                    verdict,
                    reason: step.reason.to_owned(),
                    measured: String::new(),
                    ended_at: (!step.is_late).then_some(received_at),
                };
                let result = self.result(queued, results, places.stop);
                let before = begun.get(&attempt.attempt_id);
                let now = places.streams.map(Streams::usage);
                let used = before.zip(now).map(|(before, now)| used(before, &now));
                let ended = end_goal(places.engine, end, result.as_ref(), used);
                // What cannot be stored now is tried again, with what was used.
                if !ended.as_ref().is_err_and(|error| error.kind == ErrorKind::Unavailable) {
                    begun.remove(&attempt.attempt_id);
                }
                if ended? {
                    self.statuses.change(action, |status| status.ended_count += 1);
                }
            }
            GoalState::Gone => {
                begun.remove(&attempt.attempt_id);
                if places.engine.interrupt_goal(attempt.attempt_id, step.reason)? {
                    self.statuses.change(action, |status| status.interrupted_count += 1);
                }
            }
        }
        Ok(())
    }
}

impl GoalWriter {
    fn result(&self, queued: &QueuedStep, results: &mut Results, stop: &Stop) -> Option<Value> {
        let QueuedStep { action, type_name, step, .. } = queued;
        if type_name.is_empty() {
            return None;
        }
        if matches!(results, Results::Unasked) {
            *results = match ResultClients::create(&self.owner) {
                Ok(clients) => Results::Asked(Box::new(clients)),
                Err(error) => {
                    log::warn!("results of goals are not stored: {error}");
                    Results::Failed
                }
            };
        }
        match results {
            Results::Asked(clients) => clients.result(action, type_name, &step.id, stop),
            Results::Unasked | Results::Failed => None,
        }
    }
}

/// What was used between two times, with units in the names; what is not known is left out.
fn used(before: &Usage, after: &Usage) -> Map<String, Value> {
    let rounded = |value: f64| json!((value * 100.0).round() / 100.0);
    let charge = before.charge_percent.zip(after.charge_percent);
    let charge = charge.map(|(before, after)| ("charge_used_percent", before - after));
    let way = after.travelled_m - before.travelled_m;
    let way = (way > 0.0).then_some(("travelled_m", way));
    charge.into_iter().chain(way).map(|(name, value)| (name.to_owned(), rounded(value))).collect()
}

fn as_text(values: Map<String, Value>) -> String {
    if values.is_empty() { String::new() } else { Value::Object(values).to_string() }
}

/// Stores the end of a goal with what its result says; without that, when the store refuses it.
fn end_goal(
    engine: &Engine,
    end: GoalEnd,
    result: Option<&Value>,
    used: Option<Map<String, Value>>,
) -> Result<bool, ApiError> {
    let used = used.unwrap_or_default();
    let Some(result) = result else {
        return engine.end_goal(GoalEnd { measured: as_text(used), ..end });
    };
    let says_why = end.verdict != Verdict::Success && end.reason.is_empty();
    let told = GoalEnd {
        reason: if says_why { reason(result).to_owned() } else { end.reason.clone() },
        measured: {
            let result = measured(result, used.len());
            as_text(used.into_iter().chain(result).collect())
        },
        ..end.clone()
    };
    match engine.end_goal(told) {
        Err(error) if error.kind != ErrorKind::Unavailable => {
            log::warn!("the result of a goal was not stored: {error}");
            engine.end_goal(end)
        }
        stored => stored,
    }
}

fn fault() -> ApiError {
    ApiError { kind: ErrorKind::Internal, message: "a fault in this program".to_owned() }
}

fn goal(queued: &QueuedStep, received_at: Stamp, places: &Places<'_>) -> Goal {
    let QueuedStep { action, type_name, step, received, .. } = queued;
    let began_at = began_at(step, received_at);
    let is_here = received.elapsed() < PLACE_AGE_MAX
        && received_at.0 - began_at.0 < PLACE_AGE_MAX.as_nanos() as i64;
    let placed =
        places.streams.filter(|_| is_here).and_then(|streams| streams.placed(PLACE_AGE_MAX));
    let settings = places.settings.lock();
    Goal {
        action: action.to_string(),
        type_name: type_name.to_string(),
        goal_id: step.id.iter().map(|byte| format!("{byte:02x}")).collect(),
        began_at,
        spatial: placed.map(|placed| placed.to_json().to_string()).unwrap_or_default(),
        sim_or_real: sim_or_real(&settings, settings.use_sim_time).to_owned(),
    }
}

/// When a goal began: when its server accepted it, unless that is by another clock. A status that comes at
/// once is only so old; another one may be of days ago.
fn began_at(step: &GoalStep, received_at: Stamp) -> Stamp {
    let apart_nanos = i64::from(REORDER_SECS_MAX) * 1_000_000_000;
    let age_nanos_max = match step.is_late || step.state != GoalState::Open {
        true => GOAL_AGE_SECS_MAX * 1_000_000_000,
        false => apart_nanos,
    };
    let age_nanos = received_at.0.saturating_sub(step.accepted_at.0);
    if age_nanos < -apart_nanos || age_nanos > age_nanos_max {
        return received_at;
    }
    step.accepted_at.min(received_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_began_when_it_was_accepted_unless_by_another_clock() {
        let secs = Stamp::from_secs;
        let ended = GoalState::Ended(Verdict::Success);
        let now = 1_750_000_000;
        let cases = [
            (GoalState::Open, false, now - 1, now - 1),
            (GoalState::Open, false, now + 1, now),
            (GoalState::Open, false, now - 60, now),
            (GoalState::Open, true, now - 60, now - 60),
            (ended, false, now - 60, now - 60),
            (GoalState::Open, true, now + 60, now),
            (ended, true, 12, now),
            (GoalState::Open, false, 12, now),
        ];
        for (state, is_late, accepted, expected) in cases {
            let step =
                GoalStep { id: [1; 16], accepted_at: secs(accepted), state, is_late, reason: "" };
            assert_eq!(
                began_at(&step, secs(now)),
                secs(expected),
                "{state:?} {is_late} {accepted}"
            );
        }
    }
}
