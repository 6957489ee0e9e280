//! Logging in and out.

use super::layout::{Sheet, bare};
use super::reply::{html, see_other, takes_gzip};
use super::visit::field;
use crate::faces::http::guard::Guard;
use crate::faces::http::logins::LOGIN_LIFE;
use crate::faces::http::problem::Problem;
use crate::faces::http::routes::Peer;
use axum::Extension;
use axum::body::to_bytes;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::html as markup;
use robot_memory_core::limits::{PAGE_FORM_BYTES_MAX, PAGE_NEXT_BYTES_MAX};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Where the form is.
const LOGIN: &str = "/login";
/// What is shown after a login when nothing else was asked for.
const HOME: &str = "/";
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

/// Shows the form instead of what was asked for, which is shown after the login if it is a page.
pub fn to_login(request: &Request) -> Response {
    let asked = request.uri().path_and_query().map(|asked| asked.as_str());
    match next(asked.filter(|_| request.method().is_safe())) {
        HOME => see_other(LOGIN),
        next => {
            let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
            see_other(&format!("{LOGIN}?next={next}"))
        }
    }
}

/// What to show after a login: a page of this node.
fn next(given: Option<&str>) -> &str {
    let is_here = |next: &&str| {
        // A browser takes `//` and `/\` for the begin of another host, and leaves out tabs and line ends.
        next.starts_with('/')
            && !next[1..].starts_with(['/', '\\'])
            && next.bytes().all(|byte| byte.is_ascii_graphic())
            && next.len() <= PAGE_NEXT_BYTES_MAX
    };
    given.filter(is_here).unwrap_or(HOME)
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
    let next = next(query.get("next").map(String::as_str));
    match query.get("token") {
        // A HEAD only looks whether something is there, and must not use up the token.
        Some(token) if method == Method::GET => {
            begun(&guard, headers, next, guard.log_in_once(headers, uri, peer, token))
        }
        _ => asked(headers, next, None),
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
        return asked(&parts.headers, HOME, Some(problem));
    };
    let fields = form_urlencoded::parse(&body).into_owned().collect();
    let token = field(&fields, "token");
    let next = next(Some(field(&fields, "next")));
    begun(&guard, &parts.headers, next, guard.log_in(&parts.headers, &parts.uri, peer, token))
}

/// Ends the login.
pub async fn log_out(State(guard): State<Arc<Guard>>, request: Request) -> Response {
    match guard.log_out(request.headers(), request.uri()) {
        Ok(()) => with_cookie(see_other(LOGIN), &guard, request.headers(), "", Duration::ZERO),
        Err(problem) => problem.into_response(),
    }
}

fn begun(
    guard: &Guard,
    headers: &HeaderMap,
    next: &str,
    outcome: Result<String, Problem>,
) -> Response {
    match outcome {
        Ok(secret) => with_cookie(see_other(next), guard, headers, &secret, LOGIN_LIFE),
        Err(problem) => asked(headers, next, Some(problem)),
    }
}

fn with_cookie(
    mut response: Response,
    guard: &Guard,
    headers: &HeaderMap,
    secret: &str,
    life: Duration,
) -> Response {
    // Behind a proxy with TLS the browser is told never to send it without.
    let secure = if is_by_tls(headers) { "; Secure" } else { "" };
    // Lax: a link from elsewhere opens a page. What changes something needs an origin besides.
    let cookie = format!(
        "{}={secret}; HttpOnly; SameSite=Lax; Path=/; Max-Age={}{secure}",
        guard.cookie_name(),
        life.as_secs()
    );
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Whether the page or the proxy says that it came by TLS. A link has no page that it comes from.
fn is_by_tls(headers: &HeaderMap) -> bool {
    let given = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let proxied = given("x-forwarded-proto").and_then(|by| by.split(',').next());
    given("origin").is_some_and(|origin| origin.starts_with("https://"))
        || proxied.is_some_and(|by| by.trim().eq_ignore_ascii_case("https"))
}

/// The form, and what was wrong with what was given.
fn asked(headers: &HeaderMap, next: &str, problem: Option<Problem>) -> Response {
    let status = problem.as_ref().map_or(StatusCode::OK, Problem::status);
    let body = markup! {
        @if let Some(problem) = &problem { p class="flash bad" role="alert" { (problem.detail()) } }
        form class="card narrow" method="post" action="/login" hx-boost="false" {
            label for="token" { "Token" }
            input id="token" name="token" type="password" autocomplete="current-password" required autofocus;
            p class="soft" { "One that " code { "memory token add NAME" } " printed. What you may do here is what it may." }
            @if next != HOME { input type="hidden" name="next" value=(next); }
            button class="first" { "Log in" }
        }
    };
    let sheet = Sheet { title: "Log in".to_owned(), here: "", body };
    html(status, bare(&sheet), takes_gzip(headers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_login_only_a_page_of_this_node_is_shown() {
        for here in ["/", "/timeline", "/?q=a+b&n=2", "/memories/7#ledger"] {
            assert_eq!(next(Some(here)), here);
        }
        let long = format!("/{}", "x".repeat(PAGE_NEXT_BYTES_MAX));
        for elsewhere in [
            "",
            "timeline",
            "//evil.example/",
            "/\\evil.example/",
            "/\t/evil.example/",
            "https://evil.example/",
            "/a b",
            "/\u{e4}",
            &long,
        ] {
            assert_eq!(next(Some(elsewhere)), HOME, "{elsewhere:?}");
        }
        assert_eq!(next(None), HOME);
    }

    #[test]
    fn a_cookie_is_secure_when_it_came_by_tls() {
        for (name, value, expected) in [
            ("origin", "https://robot.lab", true),
            ("origin", "http://robot.lab", false),
            ("x-forwarded-proto", "https", true),
            ("x-forwarded-proto", "HTTPS, http", true),
            ("x-forwarded-proto", "http", false),
        ] {
            let headers = HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]);
            assert_eq!(is_by_tls(&headers), expected, "{name}: {value}");
        }
    }
}
