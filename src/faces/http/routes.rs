//! What is where, and the one path of every call.

use super::answers::{self, AnswerRoom, OfCaller};
use super::bodies::{Bodies, value_bytes};
use super::guard::{Caller, Guard};
use super::operations::{Call, Endpoint, Queue, Read, endpoints, request_of, to_json};
use super::problem::Problem;
use super::traffic::Traffic;
use super::{HttpTarget, StreamNumbers, events, jobs_api, metrics, openapi, page, rest};
use crate::faces::calls::{CallCounts, CallInProgress, Face};
use crate::faces::work_queue::Load;
use axum::body::{Body, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Extension, Router};
use robot_memory_core::api::{ApiError, CaptureResponse};
#[cfg(feature = "mcp")]
use robot_memory_core::limits::MCP_MESSAGE_BYTES_MAX;
use robot_memory_core::limits::{HTTP_BODY_BYTES_MAX, HTTP_CAPTURES_MAX, HTTP_JSON_BYTES_MAX};
use robot_memory_engine::Engine;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::task::spawn_blocking;

/// The answer to a call must come within so long: longer than a capture listens.
const CALL_TIMEOUT: Duration = Duration::from_secs(70);
/// How an error begins that says that there is too much data in a response.
pub(super) const INCLUDE_DATA: &str = "include_data: ";
/// A longer response is read as a value in a thread of its own.
const READ_AT_ONCE_BYTES_MAX: usize = 64 << 10;
/// Where an idempotency key may be given instead of in the request.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub SocketAddr);

/// Tells when the connection that a request came by is to end, for answers that have no end of their own.
#[derive(Debug, Clone)]
pub(super) struct Closing(pub watch::Receiver<bool>);

/// The operations, called by name.
pub struct App {
    pub(super) traffic: Traffic,
    target: HttpTarget,
    endpoints: BTreeMap<&'static str, Endpoint>,
    /// Calls of each queue that may wait or be worked on: fewer than it has workers, where there are several, so
    /// that callers over ROS find one that is free.
    read_slots: Arc<Semaphore>,
    write_slots: Arc<Semaphore>,
    capture_slots: Arc<Semaphore>,
    bodies: Bodies,
}

impl App {
    /// Of this target.
    pub fn new(target: HttpTarget) -> Self {
        let slots = |workers: usize| Arc::new(Semaphore::new(workers.saturating_sub(1).max(1)));
        Self {
            read_slots: slots(target.read_workers),
            write_slots: slots(target.write_workers),
            traffic: Traffic::default(),
            capture_slots: Arc::new(Semaphore::new(HTTP_CAPTURES_MAX)),
            bodies: Bodies::new(),
            target,
            endpoints: endpoints().map(|endpoint| (endpoint.name, endpoint)).collect(),
        }
    }

    /// The JSON object that a request is, an empty one when it has no body; and the room that it takes.
    pub(super) async fn fields(
        &self,
        request: Request,
    ) -> Result<(Map<String, Value>, OwnedSemaphorePermit), Problem> {
        let (body, room) = self.body(request, HTTP_BODY_BYTES_MAX).await?;
        if body.is_empty() {
            return Ok((Map::new(), room));
        }
        let fields = serde_json::from_slice(&body).map_err(|error| {
            ApiError::invalid_argument(format!("the request is no JSON object: {error}"))
        })?;
        Ok((fields, room))
    }

    /// What a request holds, which has at most so many bytes; and the room that it takes.
    pub(super) async fn body(
        &self,
        request: Request,
        bytes_max: usize,
    ) -> Result<(Bytes, OwnedSemaphorePermit), Problem> {
        self.bodies.whole(request.into_body(), bytes_max).await
    }

    /// The operation of this name, when its caller may call it.
    fn endpoint(&self, caller: &Caller, name: &str) -> Result<Endpoint, Problem> {
        let Some(endpoint) = self.endpoints.get(name).copied() else {
            let names: Vec<&str> = self.endpoints.keys().copied().collect();
            let detail = format!("there is no operation {name:?}; there are {}", names.join(", "));
            return Err(Problem::new(StatusCode::NOT_FOUND, "not_found", detail));
        };
        let least = endpoint.profile();
        if caller.profile < least {
            return Err(Problem::forbidden(format!(
                "{name}: the token {:?} has the profile {}, and {} is needed",
                caller.name,
                caller.profile.as_str(),
                least.as_str()
            )));
        }
        Ok(endpoint)
    }

    /// Whether somebody may call an operation at all.
    pub(super) fn may(&self, caller: &Caller, name: &str) -> bool {
        self.endpoints.get(name).is_some_and(|endpoint| caller.profile >= endpoint.profile())
    }

    /// Calls an operation for somebody; answers the response as JSON.
    ///
    /// # Errors
    /// When the caller may not, when the request is not well formed, and what the operation answers.
    pub async fn invoke(
        &self,
        caller: &Caller,
        name: &str,
        mut fields: Map<String, Value>,
    ) -> Result<Vec<u8>, Problem> {
        let counted = self.begin(name);
        let outcome = async {
            let endpoint = self.endpoint(caller, name)?;
            check_fields(&endpoint, &mut fields)?;
            speak_for(caller, &endpoint, &mut fields)?;
            Ok(self.call(endpoint, fields).await?)
        };
        let outcome = outcome.await;
        end(counted, &outcome);
        outcome
    }

    /// Calls an operation for somebody; answers the response, read as a value.
    ///
    /// # Errors
    /// As [`invoke`](Self::invoke), and when the response would take too much memory as values: of one with data
    /// the message begins with [`INCLUDE_DATA`].
    pub async fn ask<T: DeserializeOwned + Send + 'static>(
        &self,
        caller: &Caller,
        name: &str,
        fields: Map<String, Value>,
    ) -> Result<T, Problem> {
        let has_data = fields.get("include_data").is_some_and(|it| it == true);
        let answer = self.invoke(caller, name, fields).await?;
        let is_long = answer.len() > READ_AT_ONCE_BYTES_MAX;
        let read = move || {
            let is_readable = value_bytes(&answer) <= HTTP_JSON_BYTES_MAX;
            is_readable.then(|| serde_json::from_slice(&answer))
        };
        // The one thread of all callers is to do something else meanwhile.
        let value = if is_long { spawn_blocking(read).await } else { Ok(read()) };
        let unexpected = |error: &dyn Display| {
            let detail = format!("the answer of {name} is not as expected: {error}");
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
        };
        match value.map_err(|error| unexpected(&error))? {
            Some(value) => value.map_err(|error| unexpected(&error)),
            None => {
                let of = if has_data { INCLUDE_DATA } else { "" };
                let why = format!("{of}the answer of {name} has too many values");
                Err(ApiError::unavailable(why).into())
            }
        }
    }

    /// A call of the operation of this name, if there is one, to be counted.
    fn begin(&self, name: &str) -> Option<CallInProgress> {
        let endpoint = self.endpoints.get(name)?;
        Some(CallInProgress::begin(self.target.calls.of(Face::Http, endpoint.name)))
    }

    /// The calls of all faces.
    pub(super) fn calls(&self) -> &CallCounts {
        &self.target.calls
    }

    /// How the queues are doing.
    pub(super) fn loads(&self) -> [Load; 2] {
        [self.target.reads.load(), self.target.writes.load()]
    }

    /// How the streams are doing.
    pub(super) fn streams(&self) -> Vec<StreamNumbers> {
        self.target.streams.as_ref().map(|tell| tell()).unwrap_or_default()
    }

    /// The greatest id of a memory that was stored; `None` while no store is open.
    pub(super) fn newest_memory_id(&self) -> Option<i64> {
        self.target.engine.get().map(|engine| engine.newest_memory_id())
    }

    /// Whether the robot is in a fleet, or was told anything in one; not while no store is open.
    pub(super) fn knows_fleet(&self) -> bool {
        self.target.engine.get().is_some_and(|engine| engine.knows_fleet())
    }

    /// Reads something of the engine, in the queue and the number of calls over HTTP.
    ///
    /// # Errors
    /// When there is no room for it, and what the reading answers.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Engine) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let closed = |_| ApiError::unavailable("the node stopped before it got to this request");
        let called = async {
            let room = Arc::clone(&self.read_slots).acquire_owned().await;
            let room = room.map_err(|_| closed(()))?;
            let (answer, answered) = oneshot::channel();
            let engine = self.target.engine.clone();
            let read = Read { engine, read, answer, room };
            self.target.reads.submit(read).map_err(|(_, refusal)| refusal)?;
            answered.await.map_err(|_| closed(()))?
        };
        let elapsed = |_| ApiError::unavailable(format!("it was not read within {CALL_TIMEOUT:?}"));
        tokio::time::timeout(CALL_TIMEOUT, called).await.map_err(elapsed)?
    }

    /// Calls an operation, once there is room for it.
    pub(super) async fn call(
        &self,
        endpoint: Endpoint,
        fields: Map<String, Value>,
    ) -> Result<Vec<u8>, ApiError> {
        let closed = |_| ApiError::unavailable("the node stopped before it got to this request");
        let room = |slots: &Arc<Semaphore>| Arc::clone(slots).acquire_owned();
        let called = async {
            let (answer, answered) = oneshot::channel();
            if let (Queue::Streams, Some(order)) = (endpoint.queue, &self.target.capture) {
                let room = room(&self.capture_slots).await.map_err(|_| closed(()))?;
                let tell = move |outcome: Result<CaptureResponse, ApiError>| {
                    // Nobody waits for it any more: it is stored all the same.
                    let _ = answer.send(outcome.and_then(|response| to_json(&response)));
                    drop(room);
                };
                order(request_of(fields)?, Box::new(tell));
            } else {
                let (queue, slots) = match endpoint.queue {
                    Queue::Reads | Queue::Streams => (&self.target.reads, &self.read_slots),
                    Queue::Writes => (&self.target.writes, &self.write_slots),
                };
                // Given back when it is done, whether or not somebody still waits for it.
                let room = room(slots).await.map_err(|_| closed(()))?;
                let engine = self.target.engine.clone();
                let call = Call { endpoint, engine, fields, answer, room };
                queue.submit(call).map_err(|(_, refusal)| refusal)?;
            }
            answered.await.map_err(|_| closed(()))?
        };
        let elapsed = |_| {
            let name = endpoint.name;
            ApiError::unavailable(format!(
                "{name} was not done within {CALL_TIMEOUT:?}; what writes may still be done"
            ))
        };
        tokio::time::timeout(CALL_TIMEOUT, called).await.map_err(elapsed)?
    }
}

/// What is where.
pub(super) fn routes(app: Arc<App>, guard: Arc<Guard>) -> Router {
    let routes = Router::new();
    #[cfg(feature = "mcp")]
    let routes = routes
        .route_service("/mcp", crate::faces::mcp::service(Arc::clone(&app)))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&app), message));
    let mut operations = Router::new().route("/api/v1/{operation}", post(operation));
    for read in rest::READ_PATHS.into_iter().filter(|read| read.is_of_operation()) {
        // Its address is one of those above, and hides it.
        let by_path = move |State(app): State<Arc<App>>,
                            Extension(caller): Extension<Caller>,
                            request: Request| async move {
            called(&app, &caller, read.operation, request).await
        };
        operations = operations.route(read.path, post(by_path));
    }
    routes
        .merge(operations.with_state(Arc::clone(&app)))
        .merge(rest::routes(Arc::clone(&app)))
        .merge(jobs_api::routes(Arc::clone(&app)))
        .merge(events::routes(Arc::clone(&app), Arc::clone(&guard)))
        .merge(metrics::routes(Arc::clone(&app)))
        .merge(page::routes(Arc::clone(&app)))
        .fallback(any(nothing))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(Arc::clone(&guard), admit))
        .merge(page::open_routes(guard))
        .merge(openapi::routes())
        .route("/healthz", rest::read_only(get(health)))
        .layer(middleware::from_fn_with_state(AnswerRoom::new(), answers::send))
        .layer(middleware::from_fn_with_state(app, count))
}

/// Counts answers by their status.
async fn count(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    app.traffic.count_answer(response.status());
    response
}

/// A call has ended so.
fn end<T>(counted: Option<CallInProgress>, outcome: &Result<T, Problem>) {
    if let Some(counted) = counted {
        counted.end(outcome.as_ref().err().and_then(Problem::kind));
    }
}

/// Whether the listener answers; says nothing of the store, and needs no token.
async fn health() -> &'static str {
    "ok\n"
}

async fn nothing() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", "there is nothing here; see /api/v1/recall")
}

async fn wrong_method() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "invalid_argument",
        "operations are called with POST",
    )
}

/// Calls the operation that the path names.
async fn operation(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, Problem> {
    let Path(name) =
        path.map_err(|error| ApiError::invalid_argument(format!("the path: {error}")))?;
    called(&app, &caller, &name, request).await
}

/// Calls the operation of this name with what a request holds.
async fn called(
    app: &App,
    caller: &Caller,
    name: &str,
    request: Request,
) -> Result<Response, Problem> {
    let endpoint = app.endpoint(caller, name);
    if endpoint.is_err() {
        end(app.begin(name), &endpoint);
    }
    let endpoint = endpoint?;
    let key = request.headers().get(IDEMPOTENCY_KEY).cloned();
    let (mut fields, _room) = app.fields(request).await?;
    if let Some(key) = key {
        let key = key.to_str().map_err(|_| {
            ApiError::invalid_argument("Idempotency-Key: must be visible ASCII characters")
        })?;
        put(&endpoint, &mut fields, "idempotency_key", key, "Idempotency-Key")?;
    }
    let answer = app.invoke(caller, name, fields).await?;
    let mut response = Body::from(answer).into_response();
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

/// Lets through only who may call, and says who it is.
async fn admit(
    State(guard): State<Arc<Guard>>,
    Extension(Peer(peer)): Extension<Peer>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let mut response = match guard.admit(request.method(), request.headers(), request.uri(), peer) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        // A person who has not logged in is asked to.
        Err(problem) if page::is_visit(&request) => return Ok(page::refusal(&request, &problem)),
        Err(problem) => return Err(problem),
    };
    response.extensions_mut().insert(OfCaller);
    Ok(response)
}

/// Reads a message of MCP before its library does, within the bounds of all requests.
#[cfg(feature = "mcp")]
async fn message(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let (body, _room) = app.body(Request::new(body), MCP_MESSAGE_BYTES_MAX).await?;
    Ok(next.run(Request::from_parts(parts, body.into())).await)
}

/// A field that is not known is a mistake: what it was to say would go unheard. What is a text of JSON may be
/// given as it is.
fn check_fields(endpoint: &Endpoint, fields: &mut Map<String, Value>) -> Result<(), ApiError> {
    for (field, value) in fields {
        if !endpoint.has(field) {
            let names: Vec<&str> = endpoint.field_names().collect();
            return Err(ApiError::invalid_argument(format!(
                "{field}: {} has no such field; it has {}",
                endpoint.name,
                names.join(", ")
            )));
        }
        if endpoint.is_json_text(field, value) {
            *value = value.to_string().into();
        } else if value.is_object() && endpoint.is_text(field) {
            let message = format!("{field}: must be a text, got an object");
            return Err(ApiError::invalid_argument(message));
        }
    }
    Ok(())
}

/// Puts a value that was given beside the request into it.
fn put(
    endpoint: &Endpoint,
    fields: &mut Map<String, Value>,
    field: &str,
    value: &str,
    given_as: &str,
) -> Result<(), ApiError> {
    if !endpoint.has(field) {
        return Err(ApiError::invalid_argument(format!(
            "{given_as}: {} takes none",
            endpoint.name
        )));
    }
    match fields.insert(field.to_owned(), value.into()) {
        None => Ok(()),
        Some(before) if before == "" || before == value => Ok(()),
        Some(_) => Err(ApiError::invalid_argument(format!("{field}: differs from {given_as}"))),
    }
}

/// Lets a request be of the agent that the token proves. One that says it is another's is refused.
fn speak_for(
    caller: &Caller,
    endpoint: &Endpoint,
    fields: &mut Map<String, Value>,
) -> Result<(), Problem> {
    let Some(agent) = &caller.agent else { return Ok(()) };
    if !endpoint.has("agent") {
        return Ok(());
    }
    match fields.insert("agent".to_owned(), agent.as_str().into()) {
        None => Ok(()),
        Some(given) if given == "" || given == agent.as_str() => Ok(()),
        // Whoever is the operator may call as anybody.
        Some(given) if agent.is_empty() && given.is_string() => {
            fields.insert("agent".to_owned(), given);
            Ok(())
        }
        Some(given) => {
            Err(Problem::forbidden(format!("agent: {given} is not whose token this is, {agent:?}")))
        }
    }
}
