//! Search: what is known about something, and why each was found.

use super::act::queued;
use super::layout::Sheet;
use super::parts::{card, select, text, url};
use super::records::{MemoryRecord, Recalled};
use super::visit::Visit;
use crate::faces::figures::format::plural;
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use robot_memory_core::api::Why;
use robot_memory_core::model::{Kind, Level, Stamp};
use serde_json::{Map, Value, json};

/// Memories of one answer.
const SHOWN: u32 = 20;
/// The same after a wish for more.
const SHOWN_MAX: u32 = 100;

/// The form and what was found.
pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    let found = visit.ask::<Recalled>("recall", request(visit)?).await;
    let query = visit.given("q");
    let title = if query.is_empty() { "Search".to_owned() } else { format!("Search: {query}") };
    let results = match &found {
        Ok(found) => results(visit, found),
        // What was not well formed stays in the form, to be put right.
        Err(problem) if problem.status().is_client_error() => {
            html! { p class="flash bad" role="alert" { (problem.detail()) } }
        }
        Err(_) => html! {},
    };
    if let Err(problem) = found
        && !problem.status().is_client_error()
    {
        return Err(problem);
    }
    Ok(Sheet {
        title,
        here: "/",
        body: html! { (queued(visit)) (form(visit)) section id="found" aria-live="polite" { (results) } },
    })
}

/// What is asked of Recall; without a query the newest memories.
fn request(visit: &Visit) -> Result<Value, Problem> {
    let mut request = Map::new();
    let mut put = |name: &str, value: Value| request.insert(name.to_owned(), value);
    let n = if visit.given("more").is_empty() { SHOWN } else { SHOWN_MAX };
    put("n", n.into());
    put("min_confidence", visit.given("min_confidence").parse().unwrap_or(0.0).into());
    let scope = visit.given("scope");
    put("scope", if scope.is_empty() { "all" } else { scope }.into());
    let collection = visit.given("collection");
    put("collections", json!([if collection.is_empty() { "*" } else { collection }]));
    for (field, name) in [("types", "type"), ("levels", "level")] {
        if !visit.given(name).is_empty() {
            put(field, json!([visit.given(name)]));
        }
    }
    for field in ["query", "session_id", "since", "until"] {
        let name = if field == "query" { "q" } else { field };
        let given = visit.given(name);
        if !given.is_empty() {
            // A day of a form is its midnight.
            let is_day = given.len() == 10 && matches!(field, "since" | "until");
            put(field, if is_day { format!("{given}T00:00:00Z") } else { given.to_owned() }.into());
        }
    }
    if !visit.given("site").is_empty() {
        put("include_site", true.into());
    }
    if visit.given("q").is_empty() {
        put("order", "newest".into());
        // The engine wants to be asked for something.
        if visit.given("since").is_empty() {
            put("since", Stamp(0).rfc_3339().into());
        }
    }
    Ok(Value::Object(request))
}

fn form(visit: &Visit) -> Markup {
    let given = |name: &str| visit.given(name).to_owned();
    let filters =
        ["type", "level", "scope", "collection", "since", "until", "min_confidence", "site"];
    let is_filtered = filters.iter().any(|name| !visit.given(name).is_empty());
    html! {
        form class="search" method="get" action="/" role="search" {
            div class="line" {
                label class="hidden" for="q" { "What do you want to know?" }
                input id="q" name="q" type="search" value=(given("q")) placeholder="What do you want to know?"
                    autocomplete="off" maxlength="500"
                    hx-get="/" hx-trigger="input changed delay:350ms" hx-include="closest form" hx-target="#found"
                    hx-select="#found" hx-select-oob="" hx-swap="outerHTML" hx-push-url="true" hx-sync="this:replace";
                button class="first" { "Search" }
            }
            details open[is_filtered] {
                summary { "Filters" }
                div class="filters" {
                    (select("type", "Type", visit.given("type"), Kind::ALL.iter().map(|one| one.as_str())))
                    (select("level", "Level", visit.given("level"), Level::ALL.iter().map(|one| one.as_str())))
                    label { span { "Scope" } input name="scope" value=(given("scope")) placeholder="all that you may read"; }
                    label { span { "Collection" } input name="collection" value=(given("collection")) placeholder="all"; }
                    label { span { "From" } input name="since" type="date" value=(given("since")); }
                    label { span { "Before" } input name="until" type="date" value=(given("until")); }
                    label { span { "Confidence at least" }
                        input name="min_confidence" type="number" min="0" max="1" step="0.05" value=(given("min_confidence")) placeholder="0"; }
                    label { span { "Also ask the memory of the site" }
                        input name="site" type="checkbox" value="1" checked[!visit.given("site").is_empty()]; }
                }
            }
        }
    }
}

fn results(visit: &Visit, found: &Recalled) -> Markup {
    let query = visit.given("q");
    // What is read as words of order and time is not ranked.
    let ranked_by = if found.understood.is_empty() { query } else { "" };
    let shown = found.memories.len() as u64;
    let more = url(
        "/",
        &[
            ("q", query),
            ("type", visit.given("type")),
            ("level", visit.given("level")),
            ("scope", visit.given("scope")),
            ("collection", visit.given("collection")),
            ("since", visit.given("since")),
            ("until", visit.given("until")),
            ("min_confidence", visit.given("min_confidence")),
            ("site", visit.given("site")),
            ("more", "1"),
        ],
    );
    html! {
        p class="soft" {
            @if !query.is_empty() && ranked_by.is_empty() { "In order of time " } @else if query.is_empty() { "The newest " } @else { "The best " }
            (plural(shown, "memories")) " of " (found.total)
            " (" (found.mode.replace('_', " ")) ", " (format!("{:.1}", found.query_ms)) " ms)"
        }
        @if !found.understood.is_empty() { p class="soft" { "Read as " code { (found.understood) } } }
        @if !found.better_collections.is_empty() {
            p class="flash" { "A better answer is in " (found.better_collections.join(", ")) }
        }
        @if !found.site_fault.is_empty() {
            p class="flash" { "Without the memory of the site: " (found.site_fault) }
        }
        @if found.memories.is_empty() { p class="empty" { "Nothing was found." } }
        ol class="list" {
            @for memory in &found.memories { (card(memory, &why(memory, ranked_by))) }
        }
        @if found.total > shown && shown == u64::from(SHOWN) { p { a class="button" href=(more) { "Show more" } } }
    }
}

/// Why a memory stands where it does.
fn why(memory: &MemoryRecord, query: &str) -> Markup {
    let Some(why) = memory.why.as_ref().filter(|_| !query.is_empty()) else { return html! {} };
    let Why { word_rank, vector_rank, picture_rank, evidence, .. } = why;
    let rank = |rank: u32, list: &str| (rank > 0).then(|| format!("no. {rank} by {list}"));
    let lists: Vec<String> =
        [rank(*word_rank, "words"), rank(*vector_rank, "meaning"), rank(*picture_rank, "picture")]
            .into_iter()
            .flatten()
            .collect();
    let lists =
        if lists.is_empty() { "stored beside another".to_owned() } else { lists.join(" · ") };
    html! {
        details class="why" {
            summary {
                span class="key k1" { "evidence " (format!("{evidence:.2}")) } " · "
                span class="soft" { (lists) }
                @if !why.matched_words.is_empty() {
                    " " span { @for word in why.matched_words.iter().take(8) { mark { (word) } " " } }
                }
            }
            (parts(memory, why))
        }
    }
}

/// What the evidence is the sum of.
fn parts(memory: &MemoryRecord, why: &Why) -> Markup {
    let gain = |value: f64| if value == 0.0 { String::new() } else { format!("{value:+.3}") };
    let optional =
        |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.3}"));
    let rows = [
        ("relevance", format!("{:.0} %", why.relevance * 100.0)),
        ("similar in meaning (cosine)", optional(why.similarity)),
        ("share of the words of the query", format!("{:.0} %", why.coverage * 100.0)),
        ("gain of words", gain(why.word_gain)),
        ("gain of numbers and part numbers", gain(why.code_gain)),
        ("gain of neighbors in the session", gain(why.neighbor_gain)),
        ("similar picture (cosine)", optional(why.picture_similarity)),
        (
            "weight of the source",
            if why.source_weight == 1.0 {
                String::new()
            } else {
                format!("× {}", why.source_weight)
            },
        ),
        (
            "weight of trust",
            if why.trust_weight == 1.0 {
                String::new()
            } else {
                format!("× {}", why.trust_weight)
            },
        ),
        ("told by", why.told_by.join(", ")),
        ("told last, by the clock there", why.told_at.map(Stamp::rfc_3339).unwrap_or_default()),
        (
            "of their own experience",
            if why.told_by.is_empty() { String::new() } else { why.independent_count.to_string() },
        ),
        ("not as here", why.transfer.join("; ")),
        ("borne out by attempts of", why.confirmed_by.join(", ")),
        ("refuted by attempts of", why.contradicted_by.join(", ")),
        ("score beside the best", format!("{:.3}", memory.score)),
    ];
    html! {
        dl class="facts small" {
            @for (name, value) in rows { @if !value.is_empty() { div { dt { (name) } dd { (value) } } } }
        }
        @if !memory.context_before.is_empty() { p class="soft" { "Just before: " (text(&memory.context_before)) } }
        @if !memory.context_after.is_empty() { p class="soft" { "Just after: " (text(&memory.context_after)) } }
    }
}
