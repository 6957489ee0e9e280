//! The paths: each operation, what is read with GET, and the rest.

use super::schemas::{Described, SCHEMAS, Schemas, page_name};
use crate::faces::http::rest::{CURSOR, READ_PATHS, ReadPath};
use serde_json::{Map, Value, json};

/// Statuses of a problem that any call may have.
const PROBLEMS: [u16; 12] = [400, 401, 403, 404, 408, 409, 413, 421, 422, 429, 500, 503];
/// Those of what is only read.
const READ_PROBLEMS: [u16; 8] = [400, 401, 403, 404, 421, 429, 500, 503];

/// The parameters that several paths share.
pub(super) fn parameters() -> Value {
    json!({
        "IdempotencyKey": {
            "name": "Idempotency-Key",
            "in": "header",
            "description": "The field `idempotency_key`: a repeated call with the same key returns the first response",
            "schema": { "type": "string" },
        },
        "Cursor": {
            "name": CURSOR,
            "in": "query",
            "description": "`next_cursor` of the page before; all fields but `limit` must stay the same",
            "schema": { "type": "string" },
        },
        "IfNoneMatch": {
            "name": "If-None-Match",
            "in": "header",
            "description": "`ETag` of what the caller has",
            "schema": { "type": "string" },
        },
        "LastEventId": {
            "name": "Last-Event-ID",
            "in": "header",
            "description": "The `id` of the last event that was received: those after it follow, as far as they are kept",
            "schema": { "type": "string" },
        },
    })
}

pub(super) fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("{SCHEMAS}{schema}") })
}

fn parameter(name: &str) -> Value {
    json!({ "$ref": format!("#/components/parameters/{name}") })
}

/// Each path.
pub(super) fn all(operations: &[Described], schemas: &Schemas) -> Value {
    let mut paths = Map::new();
    for described in operations {
        let path = format!("/api/v1/{}", described.endpoint.name);
        paths.insert(path, json!({ "post": operation(described) }));
    }
    for read in READ_PATHS {
        let described = operations.iter().find(|one| one.endpoint.name == read.operation);
        if let Some(described) = described {
            // An operation may be called at the same path.
            let item = paths.entry(read.path.to_owned()).or_insert_with(|| json!({}));
            item["get"] = reading(&read, described, schemas);
        }
    }
    for (path, item) in files().into_iter().chain(others()) {
        paths.insert(path.to_owned(), item);
    }
    Value::Object(paths)
}

fn answers(success: Value, problems: &[u16]) -> Value {
    let mut answers = Map::from_iter([("200".to_owned(), success)]);
    for status in problems {
        answers.insert(status.to_string(), json!({ "$ref": "#/components/responses/Problem" }));
    }
    Value::Object(answers)
}

fn json_of(schema: &str) -> Value {
    json!({ "description": "Done", "content": { "application/json": { "schema": reference(schema) } } })
}

fn description(described: &Described) -> String {
    let least = described.endpoint.profile().as_str();
    let Described { interface, .. } = described;
    format!("{}\n\nThe token needs the profile `{least}`.", interface.description).trim().to_owned()
}

fn operation(described: &Described) -> Value {
    let Described { endpoint, interface, request, response } = described;
    let mut operation = json!({
        "operationId": endpoint.name,
        "tags": ["operations"],
        "summary": interface.summary,
        "description": description(described),
        "requestBody": {
            // Without one all fields have their defaults.
            "required": false,
            "content": { "application/json": { "schema": reference(request) } },
        },
        "responses": answers(json_of(response), &PROBLEMS),
    });
    if endpoint.has("idempotency_key") {
        operation["parameters"] = json!([parameter("IdempotencyKey")]);
    }
    operation
}

fn reading(read: &ReadPath, described: &Described, schemas: &Schemas) -> Value {
    let Described { interface, request, response, .. } = described;
    let none = Map::new();
    let request = schemas.get(request).and_then(|schema| schema["properties"].as_object());
    let mut parameters = Vec::new();
    for (name, schema) in request.unwrap_or(&none) {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        let is_in_path = read.id == Some(name.as_str());
        parameters.push(json!({
            "name": name,
            "in": if is_in_path { "path" } else { "query" },
            "required": is_in_path,
            "description": description.unwrap_or_default(),
            "schema": schema,
        }));
        if is_in_path && let Some(schema) = parameters.last_mut().map(|it| &mut it["schema"]) {
            schema.as_object_mut().map(|schema| schema.remove("default"));
        }
    }
    let response = match read.pages {
        Some(_) => {
            parameters.push(parameter("Cursor"));
            page_name(response)
        }
        None => response.clone(),
    };
    json!({
        "operationId": format!("read_{}", read.operation.split_once('_').map_or(read.operation, |(_, what)| what)),
        "tags": ["reading"],
        "summary": interface.summary,
        "description": description(described),
        "parameters": parameters,
        "responses": answers(json_of(&response), &READ_PROBLEMS),
    })
}

/// The files of a memory.
fn files() -> [(&'static str, Value); 2] {
    let file = |id: &str, summary: &str, description: &str, kind: &str, tagged: bool| {
        let schema = match kind {
            "image/jpeg" => json!({}),
            _ => json!({ "type": "string", "format": "binary" }),
        };
        let mut parameters = vec![json!({
            "name": "memory_id",
            "in": "path",
            "required": true,
            "description": "The memory whose file it is",
            "schema": { "type": "integer", "format": "int64", "minimum": 1 },
        })];
        let success =
            json!({ "description": "The file", "content": { kind: { "schema": schema } } });
        let mut responses = answers(success, &READ_PROBLEMS);
        if tagged {
            parameters.push(parameter("IfNoneMatch"));
            responses["304"] = json!({ "description": "The caller has it" });
        }
        json!({ "get": {
            "operationId": id,
            "tags": ["reading"],
            "summary": summary,
            "description": description,
            "parameters": parameters,
            "responses": responses,
        } })
    };
    [
        (
            "/api/v1/keyframes/{memory_id}.jpg",
            file(
                "read_keyframe",
                "Return the picture of a perception",
                "`data.image.thumbnail_jpeg` of the memory, as a file. It has an `ETag`.",
                "image/jpeg",
                true,
            ),
        ),
        (
            "/api/v1/clips/{memory_id}.mcap",
            file(
                "read_clip",
                "Return the clip of an event",
                "The raw messages of the event, as an MCAP file.",
                "application/octet-stream",
                false,
            ),
        ),
    ]
}

/// What is no operation.
fn others() -> [(&'static str, Value); 3] {
    let asked = |name: &str, description: &str| {
        let schema = json!({ "type": "string" });
        json!({ "name": name, "in": "query", "description": description, "schema": schema })
    };
    let text = |kind: &str, description: &str| {
        let content = json!({ kind: { "schema": { "type": "string" } } });
        json!({ "description": description, "content": content })
    };
    [
        (
            "/api/v1/events",
            json!({ "get": {
                "operationId": "read_events",
                "tags": ["events"],
                "summary": "Follow what is stored, as server-sent events",
                "parameters": [
                    parameter("LastEventId"),
                    asked("last_event_id", "As the header, for who cannot set one"),
                    asked("agent", "Who asks, when no token says it"),
                ],
                "responses": answers(text("text/event-stream", "Events, until the caller ends it"), &READ_PROBLEMS),
            } }),
        ),
        (
            "/metrics",
            json!({ "get": {
                "operationId": "read_metrics",
                "tags": ["metrics"],
                "summary": "Return the measures of the node",
                "responses": answers(text("application/openmetrics-text", "OpenMetrics"), &READ_PROBLEMS),
            } }),
        ),
        (
            "/healthz",
            json!({ "get": {
                "operationId": "read_health",
                "tags": ["metrics"],
                "summary": "Say whether the listener answers",
                "security": [],
                "responses": { "200": text("text/plain", "It does") },
            } }),
        ),
    ]
}
