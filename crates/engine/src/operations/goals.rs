//! Goals of other nodes' actions, as attempts: who works on one tells nothing here but its status.

use super::attempts::{AttemptContext, INTERRUPTED, RUNNING};
use super::begin_attempt::Began;
use super::check;
use super::end_attempt::{Ended, has_context_of, until_unchanged};
use super::learn::{Key, cache_response};
use super::record::with_origin;
use super::update::CheckedUpdate;
use crate::db::Outcome;
use crate::{Error, Operations, Result};
use robot_memory_core::api::{
    ApiError, BeginAttempt, EndAttemptRequest, ErrorKind, LearnRequest, Operation, UpdateRequest,
    Verdict,
};
use robot_memory_core::limits::{EXPERIENCE_NAME_CHARS_MAX, REASON_CHARS_MAX};
use robot_memory_core::model::{MemType, Memory, Stamp, Status};
use robot_memory_db::ReadTx;
use robot_memory_text::experience::attempt_sentence;
use serde_json::{Map, Value, json};
use std::sync::atomic::Ordering;

/// A goal that an action server accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// The action's full name: `/arm/pick`.
    pub action: String,
    /// `my_msgs/action/Pick`; empty when it is not known.
    pub type_name: String,
    /// The goal's UUID as 32 hexadecimal digits.
    pub goal_id: String,
    /// When it was accepted; not later than now.
    pub began_at: Stamp,
    /// JSON object for `context.spatial`; empty: it is not known where.
    pub spatial: String,
    /// `sim` or `real`, for `context.env.sim_or_real`; empty: as the configuration says.
    pub sim_or_real: String,
}

/// The attempt that a goal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoalAttempt {
    /// Its memory.
    pub attempt_id: i64,
    /// Whether it was stored now; else it had been before, also by an earlier run.
    pub is_first: bool,
    /// Whether its end is not stored yet.
    pub is_open: bool,
}

/// How a goal ended.
#[derive(Debug, Clone, PartialEq)]
pub struct GoalEnd {
    /// From [`Operations::begin_goal`].
    pub attempt_id: i64,
    /// As its status says.
    pub verdict: Verdict,
    /// Why, when its result says that; longer ones are cut. May be empty.
    pub reason: String,
    /// JSON object of what its result holds; empty: that is not known.
    pub measured: String,
    /// When it ended; `None`: at some time before now.
    pub ended_at: Option<Stamp>,
}

impl Operations {
    /// Stores a goal as an attempt, once for each goal, however often it is told of.
    ///
    /// # Errors
    /// `unavailable` while the store cannot be written; `refused` when its names hold what is never stored.
    pub fn begin_goal(&self, goal: &Goal) -> Result<GoalAttempt, ApiError> {
        let key = format!("action:{}:{}:begin", goal.action, goal.goal_id);
        let key = Key { agent: "", key: &key };
        if let Some(known) = self.store.read(|tx| known_goal(tx, &key))? {
            return Ok(known);
        }
        let request = statement(goal)?;
        check::lengths(&request)?;
        self.secrets().check(&request)?;
        let mut statement = self.check_statement(request, None)?;
        statement.now = goal.began_at.min(statement.now);
        let attempt = self.write(|tx| {
            if let Some(known) = known_goal(tx, &key)? {
                return Ok(Outcome::Unchanged(known));
            }
            let (origin, began_at) = (&statement.origin, statement.now);
            let collection = self.collection_of_write(tx, &statement.collection, origin)?;
            let attempt_id = self.store_statement(tx, &statement, &collection)?.memory_id;
            tx.insert_open_attempt(attempt_id, "", began_at)?;
            // The goal's id is all of the request: where the robot is when it is told of again differs.
            let began = Began { attempt_id, began_at };
            cache_response(tx, BeginAttempt::NAME, &key, &[0; 32], &began, began_at)?;
            Ok(Outcome::Changed(GoalAttempt { attempt_id, is_first: true, is_open: true }))
        })?;
        Ok(attempt)
    }

    /// As the engine's, whatever waits in the write queue.
    pub(crate) fn end_goal(&self, end: GoalEnd) -> Result<bool, ApiError> {
        let GoalEnd { attempt_id, verdict, reason, measured, ended_at } = end;
        let request = EndAttemptRequest {
            attempt_id,
            outcome: verdict.as_str().to_owned(),
            reason: reason.chars().take(REASON_CHARS_MAX).collect(),
            measured,
            ..EndAttemptRequest::default()
        };
        check::lengths(&request)?;
        self.secrets().check(&request)?;
        let ended = self.check_end(request)?;
        let is_ended = until_unchanged(attempt_id, || self.end_goal_as_read(&ended, ended_at))?;
        if is_ended {
            self.lessons_due.store(true, Ordering::Relaxed);
        }
        Ok(is_ended)
    }

    /// Ends the attempt of a goal, and answers whether it was open; `None` when somebody changed it after it was
    /// read.
    fn end_goal_as_read(
        &self,
        ended: &Ended,
        ended_at: Option<Stamp>,
    ) -> Result<Option<bool>, ApiError> {
        let read = unless_ended(self.store.read(|tx| ended.open(tx)))?;
        let Some((memory, open)) = read else { return Ok(Some(false)) };
        let duration_secs = ended_at.map(|at| (at.0 - open.began_at.0).max(0) as f64 / 1e9);
        // Of what ended at some time it cannot be said what happened until then.
        let event_ids = match ended_at {
            Some(_) => self.store.read(|tx| self.events_of(tx, ended, &open))?,
            None => Vec::new(),
        };
        let (context, new_content) = ended.described(&memory, duration_secs, &event_ids)?;
        let checked = self.prepare_update(UpdateRequest {
            memory_id: memory.id,
            new_content,
            context,
            ..UpdateRequest::default()
        })?;
        let stored = self.write(|tx| {
            if !has_context_of(&ended.open(tx)?.0, &memory) {
                return Ok(Outcome::Unchanged(None));
            }
            self.store_update(tx, checked.keeping_class())?;
            tx.delete_open_attempt(memory.id)?;
            Ok(Outcome::Changed(Some(true)))
        });
        Ok(unless_ended(stored)?.unwrap_or(Some(false)))
    }

    /// Writes into an open attempt that it was interrupted. Answers whether it was open.
    ///
    /// # Errors
    /// `unavailable` while the store cannot be written.
    pub(crate) fn interrupt_goal(&self, attempt_id: i64, reason: &str) -> Result<bool, ApiError> {
        let open = |tx: &ReadTx<'_>| -> Result<Option<Memory>> {
            let memory = tx.memory(attempt_id, false)?;
            let is_open = tx.open_attempt(attempt_id)?.is_some();
            Ok(memory.filter(|it| is_open && it.status == Status::Active))
        };
        let mark_as_read = || -> Result<Option<bool>> {
            let Some(memory) = self.store.read(open)? else { return Ok(Some(false)) };
            let checked = self.interrupted(&memory, reason)?;
            self.write(|tx| match open(tx)? {
                None => Ok(Outcome::Unchanged(Some(false))),
                Some(now) if !has_context_of(&now, &memory) => Ok(Outcome::Unchanged(None)),
                Some(_) => {
                    self.store_update(tx, checked.keeping_class())?;
                    tx.mark_open_attempt(attempt_id)?;
                    Ok(Outcome::Changed(Some(true)))
                }
            })
        };
        Ok(until_unchanged(attempt_id, mark_as_read)?)
    }

    /// The update of an attempt that says that it was interrupted.
    fn interrupted(&self, memory: &Memory, reason: &str) -> Result<CheckedUpdate> {
        let mut context = AttemptContext::of(&memory.context);
        context.set_in("task", "outcome", json!(INTERRUPTED));
        if !reason.is_empty() {
            context.set_in("task", "reason", json!(reason));
        }
        let (task, object) = (context.of_task("name"), context.of_task("object"));
        let new_content = attempt_sentence(task, object, INTERRUPTED, reason, &context.params());
        self.prepare_update(UpdateRequest {
            memory_id: memory.id,
            new_content,
            context: context.text()?,
            ..UpdateRequest::default()
        })
    }
}

/// `None` for an attempt that is not open any more.
fn unless_ended<T>(outcome: Result<T>) -> Result<Option<T>, ApiError> {
    match outcome.map_err(ApiError::from) {
        Ok(done) => Ok(Some(done)),
        Err(error) if matches!(error.kind, ErrorKind::InvalidState | ErrorKind::NotFound) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The attempt that a goal is already.
fn known_goal(tx: &ReadTx<'_>, key: &Key<'_>) -> Result<Option<GoalAttempt>> {
    let Some((_, answer)) = tx.cached_response(BeginAttempt::NAME, &key.stored())? else {
        return Ok(None);
    };
    let began: Began = serde_json::from_str(&answer).map_err(|error| ApiError {
        kind: ErrorKind::Internal,
        message: format!("the attempt of a goal cannot be read: {error}"),
    })?;
    let is_open = tx.open_attempt(began.attempt_id)?.is_some();
    Ok(Some(GoalAttempt { attempt_id: began.attempt_id, is_first: false, is_open }))
}

/// A goal as a task log. Its task is the last part of the action's name.
fn statement(goal: &Goal) -> Result<LearnRequest> {
    let Goal { action, type_name, goal_id, spatial, sim_or_real, .. } = goal;
    let name = action.rsplit('/').next().unwrap_or_default();
    let task: String = name.chars().take(EXPERIENCE_NAME_CHARS_MAX).collect();
    let mut whole = AttemptContext::of("");
    let mut about = json!({"name": task, "outcome": RUNNING, "action": action, "goal_id": goal_id});
    if !type_name.is_empty() {
        about["action_type"] = json!(type_name);
    }
    whole.set("task", about);
    if !spatial.is_empty() {
        let spatial: Value = serde_json::from_str(spatial).map_err(|error| {
            Error::Api(ApiError::invalid_argument(format!("spatial: not JSON: {error}")))
        })?;
        whole.set("spatial", spatial);
    }
    Ok(LearnRequest {
        insight: attempt_sentence(&task, "", RUNNING, "", &Map::new()),
        context: with_origin(&whole.text()?, sim_or_real)?,
        mem_type: MemType::TaskLog.as_str().to_owned(),
        ..LearnRequest::default()
    })
}
