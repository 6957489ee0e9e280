//! What is around each view: its head, where one can go, and who looks.

use super::assets::{HTMX, SCRIPT, STYLE};
use super::visit::Visit;
use crate::faces::figures::svg::visible;
use crate::faces::http::problem::Problem;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A view.
pub struct Sheet {
    pub title: String,
    /// The entry of the navigation that it is under; empty: none.
    pub here: &'static str,
    pub body: Markup,
}

/// Where one can go. To the fleet only where there is one.
const PLACES: [(&str, &str); 10] = [
    ("/", "Search"),
    ("/timeline", "Timeline"),
    ("/map", "Map"),
    ("/limits", "Limits"),
    ("/tasks", "Tasks"),
    ("/contradictions", "Contradictions"),
    (FLEET, "Fleet"),
    ("/jobs", "Jobs"),
    ("/health", "Health"),
    ("/backups", "Backups"),
];

const FLEET: &str = "/fleet";

/// htmx without what the policy forbids, and without copies of pages in the browser's storage. Every answer is a
/// page, so that each is shown, also one that says what was wrong.
const HTMX_CONFIG: &str = r#"{"allowEval":false,"includeIndicatorStyles":false,"historyCacheSize":0,"refreshOnHistoryMiss":true,"allowScriptTags":false,"selfRequestsOnly":true,"scrollIntoViewOnBoost":false,"responseHandling":[{"code":"204","swap":false},{"code":"...","swap":true}]}"#;

/// A view as a whole page.
pub fn page(visit: &Visit, sheet: &Sheet) -> Markup {
    let is_there = |(path, _): &(&str, &str)| *path != FLEET || visit.knows_fleet();
    let who = html! {
        nav id="places" aria-label="Views" {
            @for (path, name) in PLACES.into_iter().filter(is_there) {
                a href=(path) aria-current=[(path == sheet.here).then_some("page")] { (name) }
            }
        }
    };
    let caller = &visit.caller;
    let name = if caller.name.is_empty() { "no token" } else { &caller.name };
    let leave = html! {
        div class="who" {
            span { (name) " · " (caller.profile.as_str()) }
            @if !caller.name.is_empty() {
                form method="post" action="/logout" hx-boost="false" { button class="plain" { "Log out" } }
            }
        }
    };
    whole(sheet, &who, &leave)
}

/// The same for who has not logged in.
pub fn bare(sheet: &Sheet) -> Markup {
    whole(sheet, &html! {}, &html! {})
}

fn whole(sheet: &Sheet, nav: &Markup, who: &Markup) -> Markup {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="htmx-config" content=(HTMX_CONFIG);
                title { (sheet.title) " · robot memory" }
                link rel="stylesheet" href=(STYLE.path);
                link rel="icon" href="data:,";
                script src=(HTMX.path) defer {}
                script src=(SCRIPT.path) defer {}
            }
            body hx-boost="true" hx-target="#main" hx-select="#main" hx-select-oob="#places" hx-swap="outerHTML show:window:top" {
                a class="skip" href="#main" hx-boost="false" { "Skip to the content" }
                header class="top" {
                    a class="brand" href="/" { "robot memory" }
                    (who)
                    (nav)
                }
                main id="main" tabindex="-1" {
                    h1 { (sheet.title) }
                    (sheet.body)
                }
            }
        }
    };
    let text: String = page.into_string();
    let shown = |c: char| if matches!(c, '\n' | '\r' | '\t') { c } else { visible(c) };
    if text.chars().all(|c| shown(c) == c) {
        return PreEscaped(text);
    }
    // A text that turns the direction of what follows could make a page say something else.
    PreEscaped(text.chars().map(shown).collect())
}

/// Says why there is no view.
pub fn trouble(problem: &Problem) -> Sheet {
    let title = match problem.status().as_u16() {
        403 => "Not allowed",
        404 => "Not there",
        422 => "Refused",
        429 | 503 => "Not now",
        500..=599 => "A fault",
        _ => "That did not work",
    };
    let body = html! {
        p class="flash bad" role="alert" { (problem.detail()) }
        p { a href="/" { "Back to the search" } }
    };
    Sheet { title: title.to_owned(), here: "", body }
}
