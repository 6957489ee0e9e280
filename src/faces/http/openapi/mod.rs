//! The OpenAPI document of what is offered over HTTP, made of what declares it: the table of operations, their types
//! (utoipa), their `.srv` files and the table of paths that are read.

mod interfaces;
mod paths;
mod schemas;

use super::rest::read_only;
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};
use std::sync::LazyLock;

const DESCRIPTION: &str = "\
The long-term memory of a robot. Operations are called with POST and a JSON object; fields that are left out have \
their defaults, and a field that is not known is an error. Times of answers are RFC 3339. A text of an answer that \
is not given is empty, any other value null.";

/// Made once: it is of the program, and says nothing of a store.
static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| document().to_string().into());

/// What is where. It needs no token.
pub(super) fn routes() -> Router {
    Router::new().route("/openapi.json", read_only(get(answer)))
}

async fn answer() -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], DOCUMENT.clone()).into_response()
}

/// OpenAPI 3.1.
fn document() -> Value {
    let (schemas, operations) = schemas::all();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "robot_memory",
            "version": env!("CARGO_PKG_VERSION"),
            "description": DESCRIPTION,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "security": [{ "token": [] }],
        "paths": paths::all(&operations, &schemas),
        "components": {
            "securitySchemes": { "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "Of `memory token add`. With `http_open` callers on the same computer need none.",
            } },
            "parameters": paths::parameters(),
            "responses": { "Problem": {
                "description": "Why it was not done",
                "content": { "application/problem+json": { "schema": paths::reference("Problem") } },
            } },
            "schemas": schemas,
        },
    })
}
