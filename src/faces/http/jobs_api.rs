//! Background jobs as the jobs API of another memory has them: its paths, its fields, its answers. A step of an
//! episode is a floor there, an episode a chat.
//!
//! Done by the same operations as `/api/v1/list_jobs` and the others beside it.

use super::guard::Caller;
use super::problem::Problem;
use super::routes::App;
use axum::body::Bytes;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use jiff::Timestamp;
use robot_memory_core::api::ApiError;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

/// What the parameters of a list are called here, and which of them are numbers.
const JOB_FILTERS: [(&str, &str, bool); 13] = [
    ("scope", "scope", false),
    ("scope_id", "scope_id", false),
    ("job_type", "job_type", false),
    ("status", "status", false),
    ("floor_id", "turn_id", false),
    ("created_from", "created_from", true),
    ("created_to", "created_to", true),
    ("available_from", "available_from", true),
    ("available_to", "available_to", true),
    ("sort_by", "sort_by", false),
    ("sort_order", "sort_order", false),
    ("limit", "limit", true),
    ("offset", "offset", true),
];
const SCOPE_FILTERS: [(&str, &str, bool); 6] = [
    ("scope", "scope", false),
    ("scope_id", "scope_id", false),
    ("sort_by", "sort_by", false),
    ("sort_order", "sort_order", false),
    ("limit", "limit", true),
    ("offset", "offset", true),
];

/// What the id of a job begins with.
const JOB_PREFIX: &str = "job_";
/// What the id of a memory begins with.
const MEMORY_PREFIX: &str = "mem_";
/// What scopes are called that have no other of their kind, where one must be named.
const ALONE: [&str; 4] = ["global", "dm", "unscoped", "all"];

/// What is where.
pub(super) fn routes(app: Arc<App>) -> Router {
    Router::new()
        .route("/memory/jobs", get(list_jobs))
        .route("/memory/jobs/{id}/retry", post(retry))
        .route("/memory/jobs/{id}/cancel", post(cancel))
        .route("/memory/scopes", get(list_scopes))
        .route("/memory/scopes/{scope}/{scope_id}/rebuild", post(rebuild))
        .route("/memory/scopes/{scope}/{scope_id}/compact", post(compact))
        .with_state(app)
}

/// An error as this API tells it.
struct Refusal(Problem);

impl<E: Into<Problem>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, code, message) = self.0.parts();
        let body = json!({ "error": { "code": code, "message": message } });
        (status, [JSON], body.to_string()).into_response()
    }
}

const JSON: (header::HeaderName, HeaderValue) =
    (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));

type Answer = Result<Response, Refusal>;
type Parameters = Result<Query<BTreeMap<String, String>>, QueryRejection>;
type Named<T> = Result<Path<T>, PathRejection>;

/// A part of the request, or that it is not well formed.
fn well_formed<T>(part: &str, given: Result<T, impl Display>) -> Result<T, ApiError> {
    given.map_err(|error| ApiError::invalid_argument(format!("{part}: {error}")))
}

fn answer(body: &Value) -> Response {
    (StatusCode::OK, [JSON], Bytes::from(body.to_string())).into_response()
}

async fn list_jobs(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    given: Parameters,
) -> Answer {
    let Query(given) = well_formed("the query", given)?;
    let fields = filters(given, &JOB_FILTERS)?;
    let listed = app.ask::<Value>(&caller, "list_jobs", fields).await?;
    Ok(answer(&page(&listed, "jobs", job)))
}

async fn list_scopes(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    given: Parameters,
) -> Answer {
    let Query(given) = well_formed("the query", given)?;
    let mut fields = filters(given, &SCOPE_FILTERS)?;
    if let Some(sort_by) = fields.get_mut("sort_by")
        && sort_by == "last_processed_floor_no"
    {
        *sort_by = "last_processed_turn_no".into();
    }
    let listed = app.ask::<Value>(&caller, "list_scopes", fields).await?;
    Ok(answer(&page(&listed, "scopes", scope_state)))
}

async fn retry(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    id: Named<String>,
) -> Answer {
    let Path(id) = well_formed("the path", id)?;
    change(&app, &caller, "retry_job", &id).await
}

async fn cancel(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    id: Named<String>,
) -> Answer {
    let Path(id) = well_formed("the path", id)?;
    change(&app, &caller, "cancel_job", &id).await
}

async fn change(app: &App, caller: &Caller, operation: &str, id: &str) -> Answer {
    let changed = app.ask::<Value>(caller, operation, of_job(id)?).await?;
    Ok(answer(&json!({ "data": job(&changed) })))
}

/// What names a job.
fn of_job(id: &str) -> Result<Map<String, Value>, Refusal> {
    let number = id.strip_prefix(JOB_PREFIX).unwrap_or(id).parse::<i64>();
    // What is no number is the id of no job.
    let number = number.ok().filter(|number| *number > 0);
    let number = number.ok_or_else(|| ApiError::not_found(format!("there is no job {id:?}")))?;
    Ok(Map::from_iter([("job_id".to_owned(), number.into())]))
}

async fn rebuild(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    scope: Named<(String, String)>,
    request: Request,
) -> Answer {
    let Path(scope) = well_formed("the path", scope)?;
    let fields = ordered(&app, scope, request, "force_compaction").await?;
    let queued = app.ask::<Value>(&caller, "rebuild_scope", fields).await?;
    Ok(answer(&json!({ "data": job_of_scope(&queued) })))
}

async fn compact(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    scope: Named<(String, String)>,
    request: Request,
) -> Answer {
    let Path(scope) = well_formed("the path", scope)?;
    let fields = ordered(&app, scope, request, "force").await?;
    let queued = app.ask::<Value>(&caller, "compact_scope", fields).await?;
    let mut data = job_of_scope(&queued);
    let reason = match queued["reason"].as_str() {
        Some("turn_gap_threshold") => "floor_gap_threshold".into(),
        _ => queued["reason"].clone(),
    };
    let ids = queued["source_micro_ids"].as_array().cloned().unwrap_or_default();
    let ids: Value = ids.iter().map(|id| Value::from(format!("{MEMORY_PREFIX}{id}"))).collect();
    data.insert("reason".to_owned(), reason);
    data.insert("source_micro_ids".to_owned(), ids);
    for (field, from) in [
        ("coverage_start_floor_no", "coverage_start_turn_no"),
        ("coverage_end_floor_no", "coverage_end_turn_no"),
    ] {
        data.insert(field.to_owned(), queued[from].clone());
    }
    Ok(answer(&json!({ "data": data })))
}

/// What is ordered for a scope. `forced`: the other field of the body.
async fn ordered(
    app: &App,
    (scope, scope_id): (String, String),
    request: Request,
    forced: &str,
) -> Result<Map<String, Value>, Refusal> {
    let (body, _room) = app.fields(request).await?;
    let mut fields = Map::new();
    for (field, value) in body {
        let to = match field.as_str() {
            "trigger_floor_id" => "trigger_turn_id",
            field if field == forced => forced,
            field => {
                let message = format!("{field}: there are trigger_floor_id and {forced}");
                return Err(ApiError::invalid_argument(message).into());
            }
        };
        // What is not given may be null.
        if !value.is_null() {
            fields.insert(to.to_owned(), value);
        }
    }
    let scope_id = if ALONE.contains(&scope.as_str()) { String::new() } else { scope_id };
    fields.insert("scope".to_owned(), scope.into());
    fields.insert("scope_id".to_owned(), scope_id.into());
    Ok(fields)
}

/// The parameters of a list as fields of the operation.
fn filters(
    given: BTreeMap<String, String>,
    known: &[(&str, &str, bool)],
) -> Result<Map<String, Value>, Refusal> {
    let mut fields = Map::new();
    for (name, text) in given {
        let Some((_, field, is_number)) = known.iter().find(|(known, ..)| *known == name) else {
            let names: Vec<&str> = known.iter().map(|(known, ..)| *known).collect();
            let message = format!("{name}: there are {}", names.join(", "));
            return Err(ApiError::invalid_argument(message).into());
        };
        let value = if *is_number {
            let number = text.parse::<i64>();
            number.map(Value::from).map_err(|_| {
                ApiError::invalid_argument(format!("{name}: must be a whole number, got {text:?}"))
            })?
        } else {
            text.into()
        };
        fields.insert((*field).to_owned(), value);
    }
    if let Some(scope) = fields.get("scope").and_then(Value::as_str)
        && ALONE.contains(&scope)
    {
        fields.remove("scope_id");
    }
    Ok(fields)
}

/// A page, and which one.
fn page(listed: &Value, of: &str, view: fn(&Value) -> Map<String, Value>) -> Value {
    let rows = listed[of].as_array().map(Vec::as_slice).unwrap_or_default();
    let sort_by = match listed["sort_by"].as_str() {
        Some("last_processed_turn_no") => "last_processed_floor_no".into(),
        _ => listed["sort_by"].clone(),
    };
    json!({
        "data": rows.iter().map(view).collect::<Vec<_>>(),
        "meta": {
            "total": listed["total"],
            "limit": listed["limit"],
            "offset": listed["offset"],
            "has_more": listed["has_more"],
            "sort_by": sort_by,
            "sort_order": listed["sort_order"],
        },
    })
}

fn job(shown: &Value) -> Map<String, Value> {
    let mut view = of_scope(shown);
    let payload = &shown["payload"];
    let fields = [
        ("id", job_id(&shown["id"])),
        ("job_type", shown["job_type"].clone()),
        ("status", shown["status"].clone()),
        ("floor_id", or_null(&shown["turn_id"])),
        ("based_on_revision", shown["based_on_revision"].clone()),
        ("payload", if payload.is_object() { payload.clone() } else { json!({}) }),
        ("attempt_count", shown["attempt_count"].clone()),
        ("max_attempts", shown["max_attempts"].clone()),
        ("available_at", millis(&shown["available_at"])),
        ("lease_owner", or_null(&shown["lease_owner"])),
        ("lease_until", millis(&shown["lease_until"])),
        ("last_error", or_null(&shown["last_error"])),
        ("created_at", millis(&shown["created_at"])),
        ("updated_at", millis(&shown["updated_at"])),
        ("finished_at", millis(&shown["finished_at"])),
    ];
    view.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    view
}

fn scope_state(state: &Value) -> Map<String, Value> {
    let mut view = of_scope(state);
    let fields = [
        ("revision", state["revision"].clone()),
        ("lease_owner", or_null(&state["lease_owner"])),
        ("lease_until", millis(&state["lease_until"])),
        ("last_processed_floor_no", state["last_processed_turn_no"].clone()),
        ("last_compaction_at", millis(&state["last_compaction_at"])),
        ("updated_at", millis(&state["updated_at"])),
    ];
    view.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    view
}

fn job_of_scope(queued: &Value) -> Map<String, Value> {
    let mut view = of_scope(queued);
    view.insert("job_id".to_owned(), job_id(&queued["job_id"]));
    view.insert("created".to_owned(), queued["created"].clone());
    view
}

/// The two parts of a scope. One that stands alone has its kind for an id, so that a path can name it.
fn of_scope(of: &Value) -> Map<String, Value> {
    let kind = match of["scope"].as_str().unwrap_or_default() {
        "session" => "chat",
        "turn" => "floor",
        kind => kind,
    };
    let id = if ALONE.contains(&kind) { kind.into() } else { of["scope_id"].clone() };
    Map::from_iter([("scope".to_owned(), kind.into()), ("scope_id".to_owned(), id)])
}

fn job_id(id: &Value) -> Value {
    format!("{JOB_PREFIX}{id}").into()
}

fn or_null(text: &Value) -> Value {
    if text == "" { Value::Null } else { text.clone() }
}

/// A time as milliseconds since 1970.
fn millis(time: &Value) -> Value {
    let time = time.as_str().and_then(|text| text.parse::<Timestamp>().ok());
    time.map_or(Value::Null, |time| time.as_millisecond().into())
}
