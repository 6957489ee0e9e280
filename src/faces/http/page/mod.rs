//! The page for people: what the memory holds and why, and what a person may change of it.
//!
//! Each view is a URL that works without script; htmx only swaps what changed. All that is shown and done goes
//! through [`App::invoke`] as its caller's, so that rights and queues hold here too. A visit is counted as one request,
//! and makes a bounded number of reads.

mod act;
mod assets;
mod backups;
mod contradictions;
mod correct;
mod drawings;
mod facts;
mod fleet;
mod health;
mod jobs;
mod layout;
mod limits;
mod login;
mod map;
mod memory;
mod parts;
mod records;
mod reply;
mod search;
mod tasks;
mod timeline;
mod visit;

use super::guard::Guard;
use super::problem::Problem;
use super::rest::read_only;
use super::routes::App;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use reply::{for_main, html, takes_gzip};
use std::sync::Arc;
use visit::{Form, Visit};

pub(super) use login::is_visit;

/// Says to a person why they were not let in.
pub(super) fn refusal(request: &Request, problem: &Problem) -> Response {
    if problem.status() == StatusCode::UNAUTHORIZED {
        return to_login(request);
    }
    let page = layout::bare(&layout::trouble(problem));
    let mut response = for_main(html(problem.status(), page, takes_gzip(request.headers())));
    if matches!(problem.status(), StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// Shows the form to log in. With htmx the browser itself must go there: a part of a view has no room for it.
fn to_login(request: &Request) -> Response {
    if request.headers().contains_key("hx-request") {
        let form = login::to_login(request).headers_mut().remove(header::LOCATION);
        let form = form.unwrap_or(HeaderValue::from_static("/login"));
        return (StatusCode::NO_CONTENT, [("hx-redirect", form)]).into_response();
    }
    login::to_login(request)
}

/// A page that is looked at.
macro_rules! shown {
    ($view:path) => {
        get(|visit: Visit| async move {
            let outcome = $view(&visit).await;
            visit.answer(outcome)
        })
    };
}

/// What is asked once before it is done, and what does it.
macro_rules! asked {
    ($ask:path, $act:path) => {
        shown!($ask).merge(done!($act))
    };
}

/// What is done, after which the browser is shown where it can be seen.
macro_rules! done {
    ($act:path) => {
        post(|visit: Visit, form: Form| async move {
            let outcome = match form.fields() {
                Ok(fields) => $act(&visit, fields).await,
                Err(problem) => Err(problem),
            };
            visit.go(outcome)
        })
    };
}

/// What only those see who have logged in.
pub(super) fn routes(app: Arc<App>) -> Router {
    Router::new()
        .route("/", shown!(search::view))
        .route("/timeline", shown!(timeline::view))
        .route("/map", shown!(map::view))
        .route("/limits", shown!(limits::view))
        .route("/tasks", shown!(tasks::view))
        .route("/tasks/differences", shown!(tasks::differences))
        .route("/contradictions", shown!(contradictions::view))
        .route("/contradictions/settle", asked!(contradictions::ask, contradictions::settle))
        .route("/jobs", shown!(jobs::view))
        .route("/jobs/{id}", shown!(jobs::one))
        .route("/jobs/{id}/cancel", asked!(jobs::ask_cancel, jobs::cancel))
        .route("/jobs/{id}/retry", asked!(jobs::ask_retry, jobs::retry))
        .route("/maintenance", asked!(jobs::ask_maintenance, jobs::run_maintenance))
        .route("/fleet", shown!(fleet::view))
        .route("/health", shown!(health::view))
        .route("/backups", shown!(backups::view))
        .route("/backups/new", asked!(backups::ask, backups::back_up))
        .route("/memories/{id}", shown!(memory::view))
        .route("/memories/{id}/correct", asked!(correct::ask, correct::correct))
        .route("/memories/{id}/forget", asked!(act::ask_forget, act::forget))
        .route("/memories/{id}/learn-again", asked!(act::ask_again, act::learn_again))
        .route("/memories/{id}/restore", asked!(act::ask_restore, act::restore))
        .route("/memories/{id}/adopt", asked!(act::ask_adopt, act::adopt))
        .route("/memories/{id}/judge", asked!(act::ask_judge, act::judge))
        .with_state(app)
}

/// What needs no login: how to get one, and what holds nothing of the memory.
pub(super) fn open_routes(guard: Arc<Guard>) -> Router {
    Router::new()
        .route("/login", get(login::form).post(login::log_in))
        .route("/logout", post(login::log_out))
        .with_state(guard)
        .route("/assets/{file}", read_only(get(assets::file)))
        .method_not_allowed_fallback(wrong_method)
}

async fn wrong_method() -> Problem {
    let detail = "this path does not take this method; the header Allow names those that it takes";
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "invalid_argument", detail)
}
