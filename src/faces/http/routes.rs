//! What is where, and the one path of every call.

use super::guard::{Caller, Guard};
use super::operations::{Call, Endpoint, Queue, endpoints, request_of, to_json};
use super::problem::Problem;
use super::{HttpTarget, OrderCapture};
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Extension, Router};
use robot_memory_core::api::ApiError;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// Bytes of a request: more than any of a service may have.
const BODY_BYTES_MAX: usize = 8 << 20;
/// A request must have come within so long.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Calls over HTTP that wait or are worked on at a time: a caller over ROS waits behind no more of them.
const CALLS_MAX: usize = 8;
/// The answer to a call must come within so long: longer than a capture listens.
const CALL_TIMEOUT: Duration = Duration::from_secs(70);
/// Where an idempotency key may be given instead of in the request.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub SocketAddr);

/// The operations, called by name.
pub struct App {
    target: HttpTarget,
    endpoints: BTreeMap<&'static str, Endpoint>,
    calls: Semaphore,
}

impl App {
    /// Of this target.
    pub fn new(target: HttpTarget) -> Self {
        Self {
            target,
            endpoints: endpoints().map(|endpoint| (endpoint.name, endpoint)).collect(),
            calls: Semaphore::new(CALLS_MAX),
        }
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
        let endpoint = self.endpoint(caller, name)?;
        check_fields(&endpoint, &mut fields)?;
        speak_for(caller, &endpoint, &mut fields)?;
        Ok(self.call(endpoint, fields).await?)
    }

    /// Calls an operation, once there is room for it.
    async fn call(
        &self,
        endpoint: Endpoint,
        fields: Map<String, Value>,
    ) -> Result<Vec<u8>, ApiError> {
        let closed = |_| ApiError::unavailable("the node stopped before it got to this request");
        let called = async {
            if let (Queue::Streams, Some(order)) = (endpoint.queue, &self.target.capture) {
                // It takes as long as it listens, and there is a bound of its own.
                return capture(order, fields).await;
            }
            let _room = self.calls.acquire().await.map_err(|_| closed(()))?;
            let (answer, answered) = oneshot::channel();
            let engine = self.target.engine.clone();
            let queue = match endpoint.queue {
                Queue::Reads | Queue::Streams => &self.target.reads,
                Queue::Writes => &self.target.writes,
            };
            let call = Call { endpoint, engine, fields, answer };
            queue.submit(call).map_err(|(_, refusal)| refusal)?;
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

/// Orders a capture, and waits until it is stored.
async fn capture(order: &OrderCapture, fields: Map<String, Value>) -> Result<Vec<u8>, ApiError> {
    let (answer, answered) = oneshot::channel();
    let tell = Box::new(move |outcome| {
        // Nobody waits for it any more: it is stored all the same.
        let _ = answer.send(outcome);
    });
    order(request_of(fields)?, tell);
    let left = |_| ApiError::unavailable("the node stopped; what was captured may still be stored");
    to_json(&answered.await.map_err(left)??)
}

/// What is where.
pub(super) fn routes(app: Arc<App>, guard: Arc<Guard>) -> Router {
    let routes = Router::new();
    #[cfg(feature = "mcp")]
    let routes = routes.merge(crate::faces::mcp::routes(Arc::clone(&app)));
    let operations = Router::new().route("/api/v1/{operation}", post(operation)).with_state(app);
    routes
        .merge(operations)
        .fallback(any(nothing))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(guard, admit))
        .route("/healthz", get(health))
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
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let endpoint = app.endpoint(&caller, &name)?;
    let key = request.headers().get(IDEMPOTENCY_KEY).cloned();
    let mut fields = fields(request.into_body()).await?;
    if let Some(key) = key {
        let key = key.to_str().map_err(|_| {
            ApiError::invalid_argument("Idempotency-Key: must be visible ASCII characters")
        })?;
        put(&endpoint, &mut fields, "idempotency_key", key, "Idempotency-Key")?;
    }
    let answer = app.invoke(&caller, &name, fields).await?;
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
    let caller = guard.admit(request.headers(), request.uri(), peer)?;
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

/// The JSON object that a request is; an empty one when there is no body.
async fn fields(body: Body) -> Result<Map<String, Value>, Problem> {
    let body = tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, BODY_BYTES_MAX)).await;
    let body = body.map_err(|_elapsed| {
        let detail = format!("the request did not come within {BODY_TIMEOUT:?}");
        Problem::new(StatusCode::REQUEST_TIMEOUT, "invalid_argument", detail)
    })?;
    let body = body.map_err(|error| {
        let detail = format!("a request has at most {BODY_BYTES_MAX} bytes: {error}");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "invalid_argument", detail)
    })?;
    if body.is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_slice(&body).map_err(|error| {
        ApiError::invalid_argument(format!("the request is no JSON object: {error}")).into()
    })
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
    let before = fields.insert(field.to_owned(), value.into());
    match before.as_ref().and_then(Value::as_str) {
        Some(before) if !before.is_empty() && before != value => {
            Err(ApiError::invalid_argument(format!("{field}: differs from {given_as}")))
        }
        _ => Ok(()),
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
    let given = fields.insert("agent".to_owned(), agent.as_str().into());
    match given.as_ref().and_then(Value::as_str) {
        Some(given) if !given.is_empty() && given != agent => Err(Problem::forbidden(format!(
            "agent: {given:?} is not whose token this is, {agent:?}"
        ))),
        _ => Ok(()),
    }
}
