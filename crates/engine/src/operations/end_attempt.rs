//! EndAttempt: an attempt gets its outcome, and the memories that it used get credit or blame.

use super::attempts::AttemptContext;
use super::check::{self, invalid};
use super::inferred::request_hash;
use super::learn::{Key, cache_response, cached_response};
use super::steps::given_steps;
use super::visibility::seen_memory;
use crate::db::{Outcome, WriteTx};
use crate::{Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{
    ApiError, EndAttempt, EndAttemptRequest, EndAttemptResponse, ErrorKind, Operation,
    UpdateRequest, Verdict,
};
use robot_memory_core::limits::{
    ATTEMPT_EVENTS_MAX, CONTEXT_BYTES_MAX, REASON_CHARS_MAX, USED_IDS_MAX,
};
use robot_memory_core::model::{LedgerChange, Memory, Stamp, Status};
use robot_memory_db::{LedgerNote, OpenAttempt, ReadTx};
use robot_memory_text::experience::attempt_sentence;
use serde_json::{Map, Value, json};
use std::sync::atomic::Ordering;

/// How often an attempt is read again that was changed before something of it was stored.
const TRIES_MAX: usize = 8;

/// An outcome that was checked.
pub(super) struct Ended {
    attempt_id: i64,
    outcome: Verdict,
    score: Option<f64>,
    reason: String,
    measured: Map<String, Value>,
    /// Empty: those that were planned.
    params: Map<String, Value>,
    steps: Vec<Value>,
    used_ids: Vec<i64>,
    agent: String,
    visibility: Visibility,
    now: Stamp,
}

impl Operations {
    /// EndAttempt.
    pub(crate) fn end_attempt(&self, request: EndAttemptRequest) -> Result<EndAttemptResponse> {
        let hash = request_hash(&request.idempotency_key, &request);
        self.check_agent(&request.agent)?;
        let idempotency_key = request.idempotency_key.clone();
        check::name("idempotency_key", &idempotency_key)?;
        let ended = self.check_end(request)?;
        let key = Key { agent: &ended.agent, key: &idempotency_key };
        until_unchanged(ended.attempt_id, || self.end_as_read(&ended, &key, &hash))
    }

    /// Ends an attempt; `None` when somebody changed it after it was read.
    fn end_as_read(
        &self,
        ended: &Ended,
        key: &Key<'_>,
        hash: &[u8; 32],
    ) -> Result<Option<EndAttemptResponse>> {
        let known =
            self.store.read(|tx| match cached_response(tx, EndAttempt::NAME, key, hash)? {
                Some(first) => Ok(Err(first)),
                None => ended.open(tx).map(Ok),
            })?;
        let (memory, open) = match known {
            Ok(known) => known,
            Err(first) => return Ok(Some(first)),
        };
        let duration_secs = (ended.now.0 - open.began_at.0).max(0) as f64 / 1e9;
        let event_ids = self.store.read(|tx| self.events_of(tx, ended, &open))?;
        let (context, content) = ended.described(&memory, Some(duration_secs), &event_ids)?;
        // Its words and their vector, before the store is held.
        let checked = self.check_update(UpdateRequest {
            memory_id: ended.attempt_id,
            new_content: content,
            context,
            agent: ended.agent.clone(),
            ..UpdateRequest::default()
        })?;
        let response = self.write(|tx| {
            if let Some(first) = cached_response(tx, EndAttempt::NAME, key, hash)? {
                return Ok(Outcome::Unchanged(Some(first)));
            }
            // Somebody may have ended or changed it meanwhile.
            if !has_context_of(&ended.open(tx)?.0, &memory) {
                return Ok(Outcome::Unchanged(None));
            }
            self.store_update(tx, checked.keeping_class())?;
            tx.delete_open_attempt(ended.attempt_id)?;
            ended.note_used(tx)?;
            let used = &ended.used_ids;
            let of = |outcome| if ended.outcome == outcome { used.clone() } else { Vec::new() };
            let response = EndAttemptResponse {
                attempt_id: ended.attempt_id,
                outcome: ended.outcome,
                duration_secs,
                event_ids,
                credited_ids: of(Verdict::Success),
                blamed_ids: of(Verdict::Failure),
            };
            cache_response(tx, EndAttempt::NAME, key, hash, &response, ended.now)?;
            Ok(Outcome::Changed(Some(response)))
        })?;
        if let Some(response) = &response {
            self.lessons_due.store(true, Ordering::Relaxed);
            // What served is believed as when it was said; what misled is not.
            self.note_accesses(response.credited_ids.iter().copied(), ended.now);
        }
        Ok(response)
    }

    pub(super) fn check_end(&self, request: EndAttemptRequest) -> Result<Ended> {
        let EndAttemptRequest {
            attempt_id,
            outcome,
            score,
            reason,
            measured,
            params,
            steps,
            mut used_ids,
            agent,
            idempotency_key: _,
        } = request;
        let attempt_id = check::given_id("attempt_id", attempt_id)?;
        let outcome = check::parse_enum("outcome", &outcome, Verdict::parse, Verdict::spellings)?
            .ok_or_else(|| {
            invalid(format!("outcome: must be one of {}", Verdict::spellings()))
        })?;
        let score = score.map(|it| check::within("score", it, 0.0, 1.0)).transpose()?;
        let reason = reason.trim().to_owned();
        let count = reason.chars().count();
        if count > REASON_CHARS_MAX {
            return Err(invalid(format!(
                "reason: at most {REASON_CHARS_MAX} characters, got {count}"
            )));
        }
        if used_ids.len() > USED_IDS_MAX {
            let count = used_ids.len();
            return Err(invalid(format!("used_ids: at most {USED_IDS_MAX}, got {count}")));
        }
        used_ids.iter().try_for_each(|id| check::given_id("used_ids", *id).map(drop))?;
        used_ids.sort_unstable();
        used_ids.dedup();
        Ok(Ended {
            attempt_id,
            outcome,
            score,
            reason,
            measured: check::object("measured", &measured, CONTEXT_BYTES_MAX)?.unwrap_or_default(),
            params: check::object("params", &params, CONTEXT_BYTES_MAX)?.unwrap_or_default(),
            steps: given_steps(&steps)?,
            used_ids,
            visibility: self.visibility_of_one(&agent, "")?,
            agent,
            now: self.now()?,
        })
    }

    /// Events that streams stored while it went on, and that the caller sees.
    pub(super) fn events_of(
        &self,
        tx: &ReadTx<'_>,
        ended: &Ended,
        open: &OpenAttempt,
    ) -> Result<Vec<i64>> {
        let mut seen = Vec::new();
        let after = ended.attempt_id;
        for id in tx.events_after(after, open.began_at, ended.now, ATTEMPT_EVENTS_MAX)? {
            let memory = tx.memory(id, false)?;
            if memory.is_some_and(|it| ended.visibility.sees(&it.scope, it.mem_type)) {
                seen.push(id);
            }
        }
        Ok(seen)
    }
}

impl Ended {
    /// The attempt, when it is one that the caller may end.
    pub(super) fn open(&self, tx: &ReadTx<'_>) -> Result<(Memory, OpenAttempt)> {
        let id = self.attempt_id;
        let memory = seen_memory(tx.memory(id, false)?, &self.visibility, id)?;
        let open = tx.open_attempt(id)?.filter(|_| memory.status == Status::Active);
        let open = open.ok_or_else(|| {
            ApiError::invalid_state(format!("attempt_id: memory {id} is no attempt that is open"))
        })?;
        if !self.agent.is_empty() && self.agent != open.agent {
            let message = format!(
                "attempt_id: attempt {id} was begun by another agent; that one, or the operator, may end it"
            );
            return Err(ApiError { kind: ErrorKind::Forbidden, message }.into());
        }
        Ok((memory, open))
    }

    /// Its context and its sentence.
    pub(super) fn described(
        &self,
        memory: &Memory,
        duration_secs: Option<f64>,
        event_ids: &[i64],
    ) -> Result<(String, String)> {
        let mut context = AttemptContext::of(&memory.context);
        context.set_in("task", "outcome", json!(self.outcome.as_str()));
        match self.outcome {
            Verdict::Success => context.set_in("task", "success", json!(true)),
            Verdict::Failure => context.set_in("task", "success", json!(false)),
            Verdict::Cancelled | Verdict::Unknown => {}
        }
        if let Some(duration_secs) = duration_secs {
            context.set_in("task", "duration_secs", json!(duration_secs));
        }
        if let Some(score) = self.score {
            context.set_in("task", "score", json!(score));
        }
        // One that it has says why it was interrupted.
        context.remove_of_task("reason");
        if !self.reason.is_empty() {
            context.set_in("task", "reason", json!(self.reason));
        }
        if !event_ids.is_empty() {
            context.set_in("task", "event_ids", json!(event_ids));
        }
        if !self.params.is_empty() {
            context.set("params", Value::Object(self.params.clone()));
        }
        if !self.steps.is_empty() {
            context.set("steps", json!(self.steps));
        }
        if !self.measured.is_empty() {
            context.set("measured", Value::Object(self.measured.clone()));
        }
        let (task, object) = (context.of_task("name"), context.of_task("object"));
        let params = context.params();
        let content = attempt_sentence(task, object, self.outcome.as_str(), &self.reason, &params);
        Ok((context.text()?, content))
    }

    /// Notes credit or blame with the used memories; one that the caller does not see is an error.
    fn note_used(&self, tx: &WriteTx<'_>) -> Result<()> {
        for id in &self.used_ids {
            let memory = tx.memory(*id, false)?;
            if !memory.is_some_and(|it| self.visibility.sees(&it.scope, it.mem_type)) {
                return Err(
                    ApiError::not_found(format!("used_ids: there is no memory {id}")).into()
                );
            }
        }
        let change = match self.outcome {
            Verdict::Success => LedgerChange::Credited,
            Verdict::Failure => LedgerChange::Blamed,
            Verdict::Cancelled | Verdict::Unknown => return Ok(()),
        };
        for id in &self.used_ids {
            tx.note_change(&LedgerNote {
                memory_id: *id,
                change,
                cause: EndAttempt::NAME,
                agent: &self.agent,
                values: ("", ""),
                at: self.now,
            })?;
        }
        Ok(())
    }
}

/// Whether an attempt has the context that it had when it was read: what is made of that, a vector too, is made
/// before the store is held.
pub(super) fn has_context_of(now: &Memory, read: &Memory) -> bool {
    now.context == read.context
}

/// Does what is made of an attempt's context again while it answers `None`, since somebody changed that meanwhile.
pub(super) fn until_unchanged<T, E: From<ApiError>>(
    attempt_id: i64,
    mut once: impl FnMut() -> std::result::Result<Option<T>, E>,
) -> std::result::Result<T, E> {
    for _ in 0..TRIES_MAX {
        if let Some(done) = once()? {
            return Ok(done);
        }
    }
    let message = format!(
        "attempt_id: attempt {attempt_id} was changed {TRIES_MAX} times while this was made of it; try again"
    );
    Err(ApiError::unavailable(message).into())
}
