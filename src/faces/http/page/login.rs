//! Logging in and out.

use super::layout::{Sheet, bare};
use super::reply::{html, see_other, takes_gzip};
use super::visit::field;
use crate::faces::http::guard::Guard;
use crate::faces::http::logins::{COOKIE, LOGIN_LIFE};
use crate::faces::http::problem::Problem;
use crate::faces::http::routes::Peer;
use axum::Extension;
use axum::body::to_bytes;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::html as markup;
use robot_memory_core::limits::PAGE_FORM_BYTES_MAX;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The form must have come within so long.
const FORM_TIMEOUT: Duration = Duration::from_secs(10);

/// Whether a person's browser asks for a page, and no program for JSON.
pub fn is_visit(request: &Request) -> bool {
    let path = request.uri().path();
    let wants_page = request.headers().get(header::ACCEPT).and_then(|it| it.to_str().ok());
    let wants_page = wants_page.is_some_and(|it| it.contains("text/html"));
    let is_swapped = request.headers().contains_key("hx-request");
    let is_program = path.starts_with("/api/") || path == "/mcp";
    !is_program && (wants_page || is_swapped) && request.method() != Method::OPTIONS
}

/// Shows the form instead of what was asked for.
pub fn to_login() -> Response {
    see_other("/login")
}

/// The form; or with the one-time token of the start the login itself.
pub async fn form(
    State(guard): State<Arc<Guard>>,
    Extension(Peer(peer)): Extension<Peer>,
    Query(query): Query<BTreeMap<String, String>>,
    method: Method,
    request: Request,
) -> Response {
    let (headers, uri) = (request.headers(), request.uri());
    match query.get("token") {
        // A HEAD only looks whether something is there, and must not use up the token.
        Some(token) if method == Method::GET => {
            begun(headers, guard.log_in_once(headers, uri, peer, token))
        }
        _ => asked(headers, None),
    }
}

/// Logs in with a token of the file.
pub async fn log_in(
    State(guard): State<Arc<Guard>>,
    Extension(Peer(peer)): Extension<Peer>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let read = tokio::time::timeout(FORM_TIMEOUT, to_bytes(body, PAGE_FORM_BYTES_MAX));
    let Ok(Ok(body)) = read.await else {
        let detail = "the form did not come whole, or is too large";
        let problem = Problem::new(StatusCode::BAD_REQUEST, "invalid_argument", detail);
        return asked(&parts.headers, Some(problem));
    };
    let fields = form_urlencoded::parse(&body).into_owned().collect();
    let token = field(&fields, "token");
    begun(&parts.headers, guard.log_in(&parts.headers, &parts.uri, peer, token))
}

/// Ends the login.
pub async fn log_out(State(guard): State<Arc<Guard>>, request: Request) -> Response {
    match guard.log_out(request.headers(), request.uri()) {
        Ok(()) => with_cookie(see_other("/login"), request.headers(), "", Duration::ZERO),
        Err(problem) => problem.into_response(),
    }
}

fn begun(headers: &HeaderMap, outcome: Result<String, Problem>) -> Response {
    match outcome {
        Ok(secret) => with_cookie(see_other("/"), headers, &secret, LOGIN_LIFE),
        Err(problem) => asked(headers, Some(problem)),
    }
}

fn with_cookie(
    mut response: Response,
    headers: &HeaderMap,
    secret: &str,
    life: Duration,
) -> Response {
    // Behind a proxy with TLS the browser is told never to send it without.
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let secure = if origin.is_some_and(|it| it.starts_with("https://")) { "; Secure" } else { "" };
    let cookie = format!(
        "{COOKIE}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}{secure}",
        life.as_secs()
    );
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// The form, and what was wrong with what was given.
fn asked(headers: &HeaderMap, problem: Option<Problem>) -> Response {
    let status = problem.as_ref().map_or(StatusCode::OK, Problem::status);
    let body = markup! {
        @if let Some(problem) = &problem { p class="flash bad" role="alert" { (problem.detail()) } }
        form class="card narrow" method="post" action="/login" hx-boost="false" {
            label for="token" { "Token" }
            input id="token" name="token" type="password" autocomplete="current-password" required autofocus;
            p class="soft" { "One that " code { "memory token add NAME" } " printed. What you may do here is what it may." }
            button class="first" { "Log in" }
        }
    };
    let sheet = Sheet { title: "Log in".to_owned(), here: "", body };
    html(status, bare(&sheet), takes_gzip(headers))
}
