//! BeginAttempt: an attempt at a task is a memory from its beginning on.

use super::attempts::{AttemptContext, RUNNING, attempt_name, required_name};
use super::check::{self, invalid};
use super::inferred::request_hash;
use super::learn::{Key, cache_response, cached_response};
use crate::db::Outcome;
use crate::{Operations, Result, Run};
use robot_memory_core::api::{
    BeginAttempt, BeginAttemptRequest, BeginAttemptResponse, LearnRequest, Operation,
};
use robot_memory_core::limits::CONTEXT_BYTES_MAX;
use robot_memory_core::model::{MemType, Stamp};
use robot_memory_text::experience::attempt_sentence;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An answer as it is kept for a repeated call.
#[derive(Serialize, Deserialize)]
pub(super) struct Began {
    pub attempt_id: i64,
    pub began_at: Stamp,
}

impl Run<BeginAttempt> for Operations {
    fn run(&self, request: BeginAttemptRequest) -> Result<BeginAttemptResponse> {
        let hash = request_hash(&request.idempotency_key, &request);
        self.check_agent(&request.agent)?;
        let statement = self.check_statement(statement(request)?, None)?;
        self.write(|tx| {
            let origin = &statement.origin;
            let key = Key { agent: &origin.agent, key: &origin.idempotency_key };
            if let Some(Began { attempt_id, began_at }) =
                cached_response(tx, BeginAttempt::NAME, &key, &hash)?
            {
                return Ok(Outcome::Unchanged(BeginAttemptResponse { attempt_id, began_at }));
            }
            let collection = self.collection_of_write(tx, &statement.collection, origin)?;
            let attempt_id = self.store_statement(tx, &statement, &collection)?.memory_id;
            let began_at = statement.now;
            tx.insert_open_attempt(attempt_id, &origin.agent, began_at)?;
            let began = Began { attempt_id, began_at };
            cache_response(tx, BeginAttempt::NAME, &key, &hash, &began, began_at)?;
            Ok(Outcome::Changed(BeginAttemptResponse { attempt_id, began_at }))
        })
    }
}

/// The attempt as a task log.
fn statement(request: BeginAttemptRequest) -> Result<LearnRequest> {
    let BeginAttemptRequest {
        task,
        object,
        place,
        params,
        context,
        collection,
        session_id,
        scope,
        agent,
        idempotency_key,
    } = request;
    let task = required_name("task", &task)?;
    let object = attempt_name("object", &object)?;
    let place = attempt_name("place", &place)?;
    let params = check::object("params", &params, CONTEXT_BYTES_MAX)?.unwrap_or_default();
    let given = check::object("context", &context, CONTEXT_BYTES_MAX)?.unwrap_or_default();
    if let Some(field) = ["task", "params"].into_iter().find(|it| given.contains_key(*it)) {
        return Err(invalid(format!(
            "context.{field}: give it as the field {field} of the request"
        )));
    }
    let insight = attempt_sentence(task, object, RUNNING, "", &params);
    let mut whole = AttemptContext::of(&context);
    whole.set("task", json!({"name": task, "outcome": RUNNING}));
    if !object.is_empty() {
        whole.set_in("task", "object", json!(object));
    }
    if !place.is_empty() {
        whole.set_in("spatial", "place", json!(place));
    }
    if !params.is_empty() {
        whole.set("params", Value::Object(params));
    }
    Ok(LearnRequest {
        insight,
        context: whole.text()?,
        collection,
        session_id,
        scope,
        agent,
        mem_type: MemType::TaskLog.as_str().to_owned(),
        idempotency_key,
        ..LearnRequest::default()
    })
}
