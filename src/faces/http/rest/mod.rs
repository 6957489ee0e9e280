//! What is read with GET: one memory, session or job, lists of them in pages, pictures and clips.

mod clips;
mod cursor;
mod pages;
mod pictures;

use super::guard::Caller;
use super::problem::Problem;
use super::routes::App;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{Query, RawPathParams, State};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use axum::{Extension, Router};
use robot_memory_core::api::{self, ApiError, Operation};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The query parameter of a page.
pub(super) const CURSOR: &str = "cursor";
/// Where the next page begins, in the answer of a list.
pub(super) const NEXT_CURSOR: &str = "next_cursor";

/// A path that an operation answers; the query has the fields of its request.
#[derive(Clone, Copy)]
pub(super) struct ReadPath {
    pub path: &'static str,
    pub operation: &'static str,
    /// The field that the path gives.
    pub id: Option<&'static str>,
    /// Of a list by offset: how its pages follow each other.
    pub pages: Option<pages::Pages>,
    /// The request when nothing is given, which says what its fields hold.
    defaults: fn() -> Value,
}

impl ReadPath {
    /// Whether the operation is called with POST at the same address.
    pub(super) fn is_of_operation(&self) -> bool {
        self.path.strip_prefix("/api/v1/") == Some(self.operation)
    }

    /// Whether the operation itself goes on at a cursor.
    fn has_own_cursor(&self) -> bool {
        (self.defaults)().get(CURSOR).is_some()
    }
}

/// Each of them.
pub(super) const READ_PATHS: [ReadPath; 6] = [
    ReadPath {
        path: "/api/v1/memories/{memory_id}",
        operation: api::GetMemory::NAME,
        id: Some("memory_id"),
        pages: None,
        defaults: defaults::<api::GetMemoryRequest>,
    },
    ReadPath {
        path: "/api/v1/sessions",
        operation: api::ListSessions::NAME,
        id: None,
        pages: Some(pages::SESSIONS),
        defaults: defaults::<api::ListSessionsRequest>,
    },
    ReadPath {
        path: "/api/v1/sessions/{session_id}",
        operation: api::GetSession::NAME,
        id: Some("session_id"),
        pages: None,
        defaults: defaults::<api::GetSessionRequest>,
    },
    ReadPath {
        path: "/api/v1/jobs",
        operation: api::ListJobs::NAME,
        id: None,
        pages: Some(pages::JOBS),
        defaults: defaults::<api::ListJobsRequest>,
    },
    ReadPath {
        path: "/api/v1/jobs/{job_id}",
        operation: api::GetJob::NAME,
        id: Some("job_id"),
        pages: None,
        defaults: defaults::<api::GetJobRequest>,
    },
    ReadPath {
        path: "/api/v1/timeline",
        operation: api::Timeline::NAME,
        id: None,
        pages: None,
        defaults: defaults::<api::TimelineRequest>,
    },
];

/// What is where.
pub(super) fn routes(app: Arc<App>) -> Router {
    let mut routes = Router::new()
        .route("/api/v1/keyframes/{file}", read_only(get(pictures::keyframe)))
        .route("/api/v1/clips/{file}", read_only(get(clips::clip)));
    for read in READ_PATHS {
        let answer = move |State(app): State<Arc<App>>,
                           Extension(caller): Extension<Caller>,
                           path: Result<RawPathParams, RawPathParamsRejection>,
                           uri: Uri| async move {
            let mut query = query(&uri)?;
            let cursor = if read.has_own_cursor() { None } else { taken(&mut query, CURSOR)? };
            let fields = fields(&read, path_text(path, read.id)?, query)?;
            let answer = match read.pages {
                Some(pages) => pages.page(&app, &caller, fields, cursor.as_deref()).await?,
                None if cursor.is_some() => {
                    let message = format!("{CURSOR}: {} has no pages", read.operation);
                    return Err(ApiError::invalid_argument(message).into());
                }
                None => app.invoke(&caller, read.operation, fields).await?,
            };
            Ok::<_, Problem>(json(answer))
        };
        let reads = get(answer);
        let reads = if read.is_of_operation() { reads } else { read_only(reads) };
        routes = routes.route(read.path, reads);
    }
    routes.with_state(app)
}

fn defaults<T: Default + Serialize>() -> Value {
    serde_json::to_value(T::default()).unwrap_or_default()
}

/// The same, which says so when it is called with another method; the header `Allow` is the router's.
pub(super) fn read_only<S: Clone + Send + Sync + 'static>(
    reads: MethodRouter<S>,
) -> MethodRouter<S> {
    reads.fallback(async || {
        let detail = "this path is only read: GET or HEAD; operations are called with POST";
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "invalid_argument", detail)
    })
}

fn json(answer: Vec<u8>) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], answer).into_response()
}

fn query(uri: &Uri) -> Result<Vec<(String, String)>, ApiError> {
    match Query::try_from_uri(uri) {
        Ok(Query(query)) => Ok(query),
        Err(error) => Err(ApiError::invalid_argument(format!("the query: {error}"))),
    }
}

/// Takes the value of a name out of the query.
fn taken(query: &mut Vec<(String, String)>, name: &str) -> Result<Option<String>, ApiError> {
    let mut values = query.extract_if(.., |(given, _)| given == name).map(|(_, value)| value);
    let value = values.next();
    match values.next() {
        Some(_) => Err(twice(name)),
        None => Ok(value),
    }
}

/// The part of the path that names what is asked for, when there is one.
fn path_text(
    path: Result<RawPathParams, RawPathParamsRejection>,
    id: Option<&'static str>,
) -> Result<Option<(&'static str, String)>, ApiError> {
    let path = path.map_err(|error| ApiError::invalid_argument(format!("the path: {error}")))?;
    Ok(id.zip(path.iter().next().map(|(_, text)| text.to_owned())))
}

/// The fields of a request from the path and the query.
fn fields(
    read: &ReadPath,
    id: Option<(&'static str, String)>,
    query: Vec<(String, String)>,
) -> Result<Map<String, Value>, ApiError> {
    let defaults = (read.defaults)();
    let mut fields = Map::new();
    for (name, text) in id.map(|(name, text)| (name.to_owned(), text)).into_iter().chain(query) {
        let value = value(&name, &text, &defaults[&name])?;
        match (fields.get_mut(&name), value) {
            (Some(Value::Array(given)), Value::Array(more)) => given.extend(more),
            (Some(_), _) => return Err(twice(&name)),
            (None, value) => drop(fields.insert(name, value)),
        }
    }
    Ok(fields)
}

fn twice(name: &str) -> ApiError {
    ApiError::invalid_argument(format!("{name}: is given twice"))
}

/// A text of the query or the path as what the field holds.
fn value(name: &str, text: &str, default: &Value) -> Result<Value, ApiError> {
    let is_not =
        |what: &str| ApiError::invalid_argument(format!("{name}: must be {what}, got {text:?}"));
    Ok(match default {
        Value::Bool(_) => text.parse().map(Value::Bool).map_err(|_| is_not("true or false"))?,
        Value::Number(_) => {
            let number = serde_json::from_str::<serde_json::Number>(text);
            number.map(Value::Number).map_err(|_| is_not("a number"))?
        }
        Value::Array(_) => Value::Array(vec![text.into()]),
        // A name that the request does not have is refused by the operation.
        _ => text.into(),
    })
}

/// The number of a memory in the name of a file, as `12.jpg`.
///
/// # Errors
/// `not_found`: no file has another name.
fn memory_of(
    path: Result<RawPathParams, RawPathParamsRejection>,
    ending: &str,
) -> Result<i64, Problem> {
    let (_, file) = path_text(path, Some("file"))?.unwrap_or_default();
    let digits =
        file.strip_suffix(ending).filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| {
        let detail = format!("files here are called <memory_id>{ending}");
        Problem::new(StatusCode::NOT_FOUND, "not_found", detail)
    })
}

/// The answer of `get_memory`, when the caller may read the memory of this id.
///
/// # Errors
/// As `get_memory`.
async fn shown(
    app: &App,
    caller: &Caller,
    uri: &Uri,
    id: i64,
    with_data: bool,
) -> Result<Vec<u8>, Problem> {
    let read = READ_PATHS[0];
    let given = Some(("memory_id", id.to_string()));
    let mut fields = fields(&read, given, query(uri)?)?;
    fields.insert("include_data".to_owned(), with_data.into());
    app.invoke(caller, read.operation, fields).await
}

/// A memory has no such file.
fn no_file(id: i64, what: &str) -> Problem {
    let detail = format!("memory_id: memory {id} has no {what}");
    Problem::new(StatusCode::NOT_FOUND, "not_found", detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn given(query_text: &str) -> Result<Value, String> {
        let uri: Uri = format!("/x?{query_text}").parse().unwrap();
        let read = READ_PATHS[3];
        let made = query(&uri).and_then(|query| fields(&read, None, query));
        made.map(Value::Object).map_err(|error| error.message)
    }

    #[test]
    fn a_query_has_the_values_that_the_fields_hold() {
        assert_eq!(
            given("limit=5&status=running&scope=a%20b&created_from=-7").unwrap(),
            json!({ "limit": 5, "status": "running", "scope": "a b", "created_from": -7 })
        );
        assert_eq!(given("limit=many").unwrap_err(), "limit: must be a number, got \"many\"");
        assert_eq!(given("limit=1&limit=2").unwrap_err(), "limit: is given twice");
        assert_eq!(given("status=a%ff").unwrap()["status"], "a\u{fffd}");
    }

    #[test]
    fn true_and_false_are_spelled_so() {
        let (yes, no) = (json!(true), json!("x"));
        assert_eq!(value("f", "false", &yes).unwrap(), json!(false));
        assert!(value("f", "1", &yes).unwrap_err().message.starts_with("f: must be true or false"));
        assert_eq!(value("f", "true", &no).unwrap(), json!("true"));
        assert_eq!(value("f", "a", &json!([])).unwrap(), json!(["a"]));
    }
}
