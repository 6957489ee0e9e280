//! What happened, in order of time: perceptions and events, with pictures and what led up to each.

use super::drawings::spark;
use super::layout::Sheet;
use super::parts::{self, about_at, picture, select, time, url};
use super::records::{MemoryRecord, Recalled};
use super::visit::{Visit, is_too_much_data};
use crate::faces::figures::charts::{Layer, over_time};
use crate::faces::figures::format::plural;
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use robot_memory_core::model::{Kind, Stamp};
use serde_json::{Value, json};

/// Memories of one page.
const SHOWN: u32 = 25;
/// What happened so long before an event may have led up to it.
const BEFORE_SECS: i64 = 60;
/// So many of those are named.
const BEFORE_MAX: usize = 3;
/// Days of the chart.
const DAYS_MAX: usize = 42;

/// One page of it, newest first.
pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    let kind = visit.given("type");
    let since = bound(visit.given("since")).unwrap_or_else(|| Stamp(0).rfc_3339());
    let mut request = json!({
        "n": SHOWN, "order": "newest", "min_confidence": 0.0, "scope": "all", "collections": ["*"],
        "include_data": true, "since": since, "count_by": "day",
    });
    if let Some(until) = bound(visit.given("until")) {
        request["until"] = json!(until);
    }
    if !kind.is_empty() {
        request["types"] = json!([kind]);
    }
    if !visit.given("trigger").is_empty() {
        request["context_filter"] = json!({ "event.trigger": visit.given("trigger") });
    }
    if !visit.given("session_id").is_empty() {
        request["session_id"] = json!(visit.given("session_id"));
    }
    let (found, has_data) = with_data(visit, request).await?;
    let first = found.memories.first().and_then(|memory| memory.created_at);
    let last = found.memories.last().and_then(|memory| memory.created_at);
    let has_more = found.total > found.memories.len() as u64;
    // Of the last time there may be more than this page has: the next begins with them, but when it would be this one.
    let is_of_one_time = has_more && first == last;
    let earlier = last.filter(|_| has_more).map(|last| {
        let until = if is_of_one_time { last } else { Stamp(last.0.saturating_add(1)) };
        let until = until.rfc_3339();
        let kept = ["type", "trigger", "since", "session_id"].map(|name| (name, visit.given(name)));
        let [a, b, c, d] = kept;
        url("/timeline", &[("until", &until), a, b, c, d])
    });
    let is_bounded = ["since", "until"].iter().any(|name| !visit.given(name).is_empty());
    let body = html! {
        (form(visit))
        (days(&found))
        p class="soft" { (plural(found.total, "memories")) @if is_bounded { " in this time" } ", the newest first" }
        ol class="timeline" {
            @for (place, memory) in found.memories.iter().enumerate() {
                (entry(memory, &found.memories[place + 1..]))
            }
        }
        @if !has_data { p class="soft" { "Pictures and samples are left out here: it is too much data for a page." } }
        @if is_of_one_time { p class="soft" { "There may be more of this one time, which are not shown; the search finds them." } }
        @if found.memories.is_empty() { p class="empty" { "Nothing happened in this time." } }
        @if let Some(earlier) = earlier { p { a class="button" href=(earlier) { "Earlier" } } }
    };
    Ok(Sheet { title: "Timeline".to_owned(), here: "/timeline", body })
}

/// What is asked for, without its data when that is too much; whether it has it.
async fn with_data(visit: &Visit, mut request: Value) -> Result<(Recalled, bool), Problem> {
    match visit.ask::<Recalled>("recall", request.clone()).await {
        Err(problem) if is_too_much_data(&problem) => {
            request["include_data"] = json!(false);
            Ok((visit.ask("recall", request).await?, false))
        }
        asked => Ok((asked?, true)),
    }
}

/// A day or a time of the query, as RFC 3339.
fn bound(given: &str) -> Option<String> {
    match given.len() {
        0 => None,
        10 => Some(format!("{given}T00:00:00Z")),
        _ => Some(given.to_owned()),
    }
}

fn form(visit: &Visit) -> Markup {
    // A page that goes on begins at a time; the form has days.
    let day = |name: &str| visit.given(name).get(..10).unwrap_or_default().to_owned();
    html! {
        form class="filters card" method="get" action="/timeline" {
            (select("type", "Type", visit.given("type"), Kind::ALL.iter().map(|one| one.as_str())))
            label { span { "Trigger" } input name="trigger" value=(visit.given("trigger")) placeholder="as contact, slip"; }
            label { span { "From" } input name="since" type="date" value=(day("since")); }
            label { span { "Before" } input name="until" type="date" value=(day("until")); }
            @if !visit.given("session_id").is_empty() {
                input type="hidden" name="session_id" value=(visit.given("session_id"));
            }
            button { "Show" }
        }
    }
}

/// How many there were on each of the last days that had any.
fn days(found: &Recalled) -> Markup {
    let first = found.counts.len().saturating_sub(DAYS_MAX);
    let counts = &found.counts[first..];
    if counts.len() < 2 {
        return html! {};
    }
    let periods: Vec<String> =
        counts.iter().map(|count| parts::month_and_day(&count.key)).collect();
    let numbers: Vec<u64> = counts.iter().map(|count| count.count).collect();
    let layer = Layer { class: "c1", name: "memories", counts: &numbers };
    let chart =
        over_time("Memories by day", "Days with any, in UTC", "memories", &periods, &[layer]);
    html! { details { summary { "How many on which day" } (chart) } }
}

/// A memory, and of the earlier ones what led up to it.
fn entry(memory: &MemoryRecord, earlier: &[MemoryRecord]) -> Markup {
    html! {
        li class={ "event " (memory.kind) } {
            div class="when" { (time(memory.created_at)) }
            div class="what" {
                a class="says" href=(format!("/memories/{}", memory.id)) { (memory.content) }
                (about_at(memory, &html! {}))
                (led_up(memory, earlier))
                (states(memory))
                (picture(memory))
                (spark(&memory.data))
            }
        }
    }
}

/// What happened shortly before an event, or what was stored before it in the session.
fn led_up(memory: &MemoryRecord, earlier: &[MemoryRecord]) -> Markup {
    let Some(at) = memory.created_at else { return html! {} };
    let before: Vec<(&MemoryRecord, f64)> = earlier
        .iter()
        .filter_map(|other| {
            let secs = (at.0.saturating_sub(other.created_at?.0)) as f64 / 1e9;
            (secs <= BEFORE_SECS as f64 && is_event(memory)).then_some((other, secs))
        })
        .take(BEFORE_MAX)
        .collect();
    html! {
        @if !before.is_empty() {
            ul class="before" aria-label="What led up to it" {
                @for (other, secs) in before {
                    li { span class="soft" { (format!("{secs:.1} s before: ")) }
                        a href=(format!("/memories/{}", other.id)) { (other.content) } }
                }
            }
        } @else if !memory.context_before.is_empty() {
            p class="before soft" { "Before it: " (memory.context_before) }
        }
    }
}

fn is_event(memory: &MemoryRecord) -> bool {
    memory.kind == Kind::Perception.as_str()
}

/// How what is on or off stood meanwhile.
fn states(memory: &MemoryRecord) -> Markup {
    const STATES_MAX: usize = 4;
    let states = memory.data.get("states").and_then(Value::as_array);
    html! {
        @for state in states.into_iter().flatten().take(STATES_MAX) {
            @if let (Some(stream), Some(values)) = (state["stream"].as_str(), state["values"].as_array()) {
                p class="soft" {
                    (stream) ": "
                    @for (place, value) in values.iter().take(4).enumerate() {
                        @if place > 0 { ", then " }
                        (value[1].as_str().map_or_else(|| value[1].to_string(), str::to_owned))
                        @if let Some(at) = value[0].as_f64() { (format!(" at {at:+.1} s")) }
                    }
                }
            }
        }
    }
}
