//! The operations, as JSON objects in and out.

use super::tokens::Profile;
use crate::faces::engine_slot::EngineSlot;
use crate::faces::work_queue::Work;
use robot_memory_core::api::{self, ApiError, Operation};
use robot_memory_engine::{Engine, Run};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::os::unix::ffi::OsStringExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

/// Who does an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queue {
    Reads,
    Writes,
    /// Whoever hears the streams.
    Streams,
}

/// An operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Endpoint {
    pub name: &'static str,
    pub queue: Queue,
    /// The fields of its request, each with what it holds: `json` is a text that is JSON.
    fields: &'static [(&'static str, &'static str)],
    call: CallEngine,
}

/// Calls an operation with the fields of its request; answers the response as JSON.
type CallEngine = fn(&Engine, Map<String, Value>) -> Result<Vec<u8>, ApiError>;

/// Texts that are only looked up by, and that are JSON.
const JSON_LOOKUPS: [&str; 2] = ["context_filter", "params"];

/// What a task stores, and what takes a mistake of it back. It deletes nothing for good.
const OF_PLANNERS: [&str; 9] = [
    "learn",
    "save_perception",
    "forget",
    "update",
    "begin_attempt",
    "end_attempt",
    "start_session",
    "end_session",
    "commit_turn",
];

impl Endpoint {
    /// The names of the fields of its request.
    pub fn field_names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|(name, _)| *name)
    }

    /// Whether its request has such a field.
    pub fn has(&self, field: &str) -> bool {
        self.field_names().any(|name| name == field)
    }

    /// Whether this value of a field is meant as a text that is JSON: an object or a list where there is one.
    pub fn is_json_text(&self, field: &str, value: &Value) -> bool {
        match self.kind(field) {
            Some("json") => value.is_object() || value.is_array(),
            Some("lookup") => value.is_object() && JSON_LOOKUPS.contains(&field),
            _ => false,
        }
    }

    /// Whether a field is a text, or a list of texts.
    pub fn is_text(&self, field: &str) -> bool {
        matches!(self.kind(field), Some("json" | "text" | "lookup"))
    }

    fn kind(&self, field: &str) -> Option<&'static str> {
        self.fields.iter().find(|(name, _)| *name == field).map(|(_, kind)| *kind)
    }

    /// The least that may call it.
    pub fn profile(&self) -> Profile {
        match self.queue {
            Queue::Reads => Profile::Reader,
            Queue::Streams => Profile::Planner,
            Queue::Writes if OF_PLANNERS.contains(&self.name) => Profile::Planner,
            Queue::Writes => Profile::Operator,
        }
    }
}

macro_rules! names {
    ({ $($field:ident [$($kind:ident $($part:ident)?)?]),+ }) => {
        &[$((stringify!($field), stringify!($($kind)?))),+]
    };
}

macro_rules! endpoint_each {
    ($($queue:ident $op:ident ($request:ident) -> $response:ident $(in $field:ident)?;)+) => {
        /// Each operation.
        pub(super) fn endpoints() -> impl Iterator<Item = Endpoint> {
            [$(endpoint_each!($queue $op $request)),+].into_iter()
        }
    };
    (reads $op:ident $request:ident) => { endpoint_each!(of Reads $op $request call::<api::$op>) };
    (writes $op:ident $request:ident) => { endpoint_each!(of Writes $op $request call::<api::$op>) };
    (streams $op:ident $request:ident) => { endpoint_each!(of Streams $op $request no_engine) };
    (of $queue:ident $op:ident $request:ident $call:expr) => {
        Endpoint {
            name: api::$op::NAME,
            queue: Queue::$queue,
            fields: robot_memory_core::$request! { names },
            call: $call,
        }
    };
}
robot_memory_core::operations! { endpoint_each }

/// Where the clip of a memory is, as the bytes of its path; none: it has none. No operation: it is asked once the
/// memory was shown to who asks.
pub(super) const CLIP_FILE: Endpoint =
    Endpoint { name: "clip", queue: Queue::Reads, fields: &[("memory_id", "")], call: clip_file };

fn clip_file(engine: &Engine, fields: Map<String, Value>) -> Result<Vec<u8>, ApiError> {
    let api::GetMemoryRequest { memory_id, .. } = request_of(fields)?;
    let file = engine.clip_file(memory_id)?;
    Ok(file.map_or_else(Vec::new, |file| file.into_os_string().into_vec()))
}

/// Calls an operation with a JSON object; answers the response as JSON.
fn call<Op>(engine: &Engine, fields: Map<String, Value>) -> Result<Vec<u8>, ApiError>
where
    Op: Operation<Request: DeserializeOwned, Response: Serialize>,
    Engine: Run<Op>,
{
    to_json(&engine.call::<Op>(request_of(fields)?)?)
}

/// Of operations that are no engine's.
fn no_engine(_: &Engine, _: Map<String, Value>) -> Result<Vec<u8>, ApiError> {
    Err(ApiError::unavailable("this program hears no topics"))
}

/// A request from its fields.
///
/// # Errors
/// Names the field that does not hold what it should.
pub(super) fn request_of<T: DeserializeOwned>(fields: Map<String, Value>) -> Result<T, ApiError> {
    serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
        let path = error.path().to_string();
        ApiError::invalid_argument(format!("{path}: {}", error.into_inner()))
    })
}

/// A response as JSON.
pub(super) fn to_json(response: &impl Serialize) -> Result<Vec<u8>, ApiError> {
    serde_json::to_vec(response).map_err(|error| internal(&error.to_string()))
}

fn internal(message: &str) -> ApiError {
    ApiError { kind: api::ErrorKind::Internal, message: message.to_owned() }
}

/// Something that is read of the engine, on its way to a worker.
pub(super) struct Read<T, F> {
    pub engine: EngineSlot,
    pub read: F,
    pub answer: oneshot::Sender<Result<T, ApiError>>,
    /// Its place among the calls over HTTP.
    pub room: OwnedSemaphorePermit,
}

impl<T, F> Work for Read<T, F>
where
    T: Send,
    F: FnOnce(&Engine) -> Result<T, ApiError> + Send,
{
    fn run(self: Box<Self>) {
        let Self { engine, read, answer, room: _room } = *self;
        if !answer.is_closed() {
            let _ = answer.send(unless_it_panics(|| read(&*engine.engine()?)));
        }
    }
}

/// A call on its way to a worker. Dropped on the way, its caller is told by the closed channel.
pub(super) struct Call {
    pub endpoint: Endpoint,
    pub engine: EngineSlot,
    pub fields: Map<String, Value>,
    pub answer: oneshot::Sender<Result<Vec<u8>, ApiError>>,
    /// Its place among the calls over HTTP.
    pub room: OwnedSemaphorePermit,
}

impl Work for Call {
    fn run(self: Box<Self>) {
        let Self { endpoint, engine, fields, answer, room: _room } = *self;
        // Nobody waits for it any more, and nothing of it was done.
        if answer.is_closed() {
            return;
        }
        let _ = answer.send(unless_it_panics(|| (endpoint.call)(&*engine.engine()?, fields)));
    }
}

/// The outcome of a call, of which a fault costs this one request and not its worker.
fn unless_it_panics<T>(call: impl FnOnce() -> Result<T, ApiError>) -> Result<T, ApiError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_logged_by_the_panic_hook| {
        Err(internal("a fault in this program; its log has more"))
    })
}
