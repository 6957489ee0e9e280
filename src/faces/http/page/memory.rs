//! One memory, whole: what it says, what it said, where it comes from, how far it is believed, and what was felt.

use super::act::{of_path, queued, undo};
use super::drawings::{belief, window};
use super::layout::Sheet;
use super::limits::bound;
use super::parts::{
    self, badge, facts, json as shown_json, kind, link, links, picture, text, time,
};
use super::records::{MemoryRecord, Recalled, StoredRecord};
use super::visit::{Visit, is_too_much_data};
use crate::faces::figures::format::percent;
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use robot_memory_core::model::Stamp;
use serde_json::{Value, json};

/// What happened so long before a perception may have led up to it.
const BEFORE_SECS: i64 = 120;

pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    let known = of_path(visit).await?;
    let before = before(visit, &known.memory).await?;
    // Last, so that nothing large is kept while another read is waited for.
    let request = json!({ "memory_id": visit.id, "include_data": true });
    let (stored, has_data) = match visit.ask::<StoredRecord>("get_memory", request).await {
        Err(problem) if is_too_much_data(&problem) => (known, false),
        asked => (asked?, true),
    };
    let memory = &stored.memory;
    let body = html! {
        (done(visit, &stored))
        p class="content" { (memory.content) }
        p class="about" {
            (badge("", kind(memory)))
            (badge(if memory.status == "active" { "ok" } else { "bad" }, &memory.status))
            (time(memory.created_at)) (parts::belief(memory.confidence))
        }
        (acts(visit, memory))
        (withdrawn(&stored))
        (lesson(visit, memory))
        (picture(memory))
        (window(&memory.data))
        (clip(memory))
        (belief(&stored))
        (led_up(&before))
        (all_facts(&stored))
        (ledger(&stored))
        (history(&stored))
        (sources(&stored))
        (shown_json("Context", &memory.context))
        @if !has_data { p class="soft" { "Its data is not shown: it has too many values for a page." } }
        (shown_json("Data", &without_picture(&memory.data)))
        (shown_json("Metadata", &memory.metadata))
    };
    Ok(Sheet { title: format!("Memory {}", memory.id), here: "", body })
}

/// What happened before a perception, as far as the caller may see it.
async fn before(visit: &Visit, memory: &MemoryRecord) -> Result<Vec<MemoryRecord>, Problem> {
    let Some(at) = memory.created_at.filter(|_| memory.kind == "perception") else {
        return Ok(Vec::new());
    };
    let request = json!({
        "order": "newest", "n": 5, "min_confidence": 0.0, "scope": "all", "collections": ["*"],
        "since": Stamp(at.0.saturating_sub(BEFORE_SECS * 1_000_000_000)).rfc_3339(),
        "until": at.rfc_3339(),
    });
    Ok(visit.ask::<Recalled>("recall", request).await?.memories)
}

/// What was just done to it, and how to take that back.
fn done(visit: &Visit, stored: &StoredRecord) -> Markup {
    let id = stored.memory.id;
    let is_active = stored.memory.status == "active";
    let did = match visit.given("did") {
        // A link may say what was not done.
        "forgotten" | "settled" if is_active => "",
        did => did,
    };
    let undo_button = match did {
        "corrected" if visit.may("update") && is_active => {
            stored.history.iter().rev().find(|change| change.operation == "update").map(|change| {
                undo(&format!("/memories/{id}/correct"), &[("content", &change.content)])
            })
        }
        "forgotten" | "settled" if visit.may("learn") && stored.memory.kind == "fact" => {
            Some(undo(&format!("/memories/{id}/learn-again"), &[]))
        }
        "judged" if visit.may("judge_lesson") => {
            let was = visit.given("was");
            let was = if was == "undecided" { "" } else { was };
            Some(undo(&format!("/memories/{id}/judge"), &[("judgment", was)]))
        }
        _ => None,
    };
    let what = match did {
        "corrected" => "It is corrected.",
        "forgotten" => "It is forgotten: kept for audit, and never recalled again.",
        "settled" => "The contradiction is settled: this side is forgotten.",
        "learned" => "It is learned, as this memory.",
        "adopted" => "It is this robot's own, as this memory.",
        "known" => "This memory of the robot's own says it already.",
        "restored" => "It is restored, and recalled again.",
        "judged" => "What you said of this lesson is kept.",
        _ => "",
    };
    html! {
        (queued(visit))
        @if !what.is_empty() {
            div class="flash good" role="status" { span { (what) } @if let Some(undo) = undo_button { (undo) } }
        }
    }
}

/// What may be done to it.
fn acts(visit: &Visit, memory: &MemoryRecord) -> Markup {
    let act = |operation: &str, path: &str, name: &str| {
        html! { @if visit.may(operation) { a class="button" href=(format!("/memories/{}/{path}", memory.id)) { (name) } } }
    };
    html! {
        p class="acts" {
            @match memory.status.as_str() {
                "active" if memory.source == "fleet" => {
                    (act("adopt", "adopt", "Adopt"))
                    (act("forget", "forget", "Forget"))
                }
                "active" => {
                    (act("update", "correct", "Correct"))
                    (act("forget", "forget", "Forget"))
                }
                "archived" => { (act("restore_memory", "restore", "Restore")) }
                "invalidated" if memory.kind == "fact" => { (act("learn", "learn-again", "Learn it again")) }
                _ => {}
            }
        }
    }
}

/// Why it is not recalled any more.
fn withdrawn(stored: &StoredRecord) -> Markup {
    html! {
        @if !stored.invalidated_reason.is_empty() {
            p { "Forgotten " (time(stored.invalidated_at)) ": " (stored.invalidated_reason) }
        }
        @if !stored.superseded_why.is_empty() { p { (stored.superseded_why) } }
    }
}

/// What attempts and a person say of a lesson, and what a person may.
fn lesson(visit: &Visit, memory: &MemoryRecord) -> Markup {
    if !memory.is_lesson() {
        return html! {};
    }
    let judgment = memory.judgment();
    html! {
        section class="card" {
            h2 { "A lesson of attempts" }
            p {
                (badge("", memory.lesson("state")))
                @if !judgment.is_empty() { " " (badge(if judgment == "pinned" { "ok" } else { "bad" }, judgment)) }
            }
            @if visit.may("judge_lesson") && memory.status == "active" { (judging(memory.id, judgment)) }
        }
    }
}

/// What a person may say of a lesson.
pub fn judging(id: i64, judgment: &str) -> Markup {
    let way = |to: &str, name: &str| {
        html! { @if judgment != to { a class="button" href=(format!("/memories/{id}/judge?to={to}"))
        aria-label=(format!("{name} lesson {id}")) { (name) } } }
    };
    html! {
        p class="acts" {
            (way("pinned", "Pin")) (way("rejected", "Reject"))
            @if !judgment.is_empty() { (way("", "Let attempts decide")) }
        }
    }
}

/// Where the messages of an event are, unless it says that they are gone.
fn clip(memory: &MemoryRecord) -> Markup {
    let is_recorded = memory.metadata.get("topic").is_some();
    let is_deleted = memory.metadata.get("clip").is_some();
    html! {
        @if is_recorded && !is_deleted {
            p { a href=(format!("/api/v1/clips/{}.mcap", memory.id)) download hx-boost="false" {
                "Clip of its messages (MCAP), if clips are kept"
            } }
        }
    }
}

fn led_up(before: &[MemoryRecord]) -> Markup {
    html! {
        @if !before.is_empty() {
            h2 { "What led up to it" }
            ul class="before" { @for memory in before {
                li { (time(memory.created_at)) " " a href=(format!("/memories/{}", memory.id)) { (memory.content) } }
            } }
        }
    }
}

fn all_facts(stored: &StoredRecord) -> Markup {
    let memory = &stored.memory;
    let number = |id: Option<i64>| html! { @if let Some(id) = id { (link(id)) } };
    let limits = html! { @for limit in &stored.limits { (bound(limit))
    @for (name, of) in [("task", &limit.task), ("object", &limit.object), ("place", &limit.place)] { @if !of.is_empty() { ", " (name) " " (of) } } br; } };
    let place = memory
        .context
        .pointer("/spatial/object_position")
        .or_else(|| memory.context.pointer("/spatial/robot_position"));
    html! {
        h2 { "What is known of it" }
        (facts(&[
            ("Bounds", limits),
            ("Class", html! { (memory.mem_type.replace('_', " ")) ", " (memory.level) }),
            ("Scope", text(&memory.scope)),
            ("Collection", text(&memory.collection)),
            ("Written by", html! { @if memory.agent.is_empty() { "the operator" } @else { (memory.agent) } }),
            ("Source", html! { (memory.source.replace('_', " ")) ", trust " (memory.trust) }),
            ("Told by", html! { @if !stored.told_by.is_empty() {
                (stored.told_by.join(", ")) ", last " (time(stored.told_at)) " by the clock there; "
                (stored.independent_count) " of their own experience" } }),
            ("Not as here", text(&stored.transfer.join("; "))),
            ("Importance", html! { (format!("{:.2}", memory.importance)) }),
            ("Worth of keeping", html! { @if stored.fades {
                (percent(stored.retention)) ", half-life " (format!("{:.0}", stored.half_life_days)) " days"
                @if stored.archives_at.is_some() { ", archived " (time(stored.archives_at)) " unless it is used" } } }),
            ("Used", html! { (memory.access_count) " times, last " (time(memory.last_accessed)) }),
            ("Changed", time(memory.updated_at)),
            ("Tags", text(&memory.tags.join(", "))),
            ("Place", html! { @if let Some(place) = place { a href=(map_of(memory)) { (place.to_string()) } } }),
            ("Session", html! { @if !memory.session_id.is_empty() {
                a href=(format!("/timeline?session_id={}", memory.session_id)) { (memory.session_id) } } }),
            ("Stands under", number(memory.parent_id)),
            ("Has under it", links(&stored.children)),
            ("Superseded by", number(memory.superseded_by)),
            ("Stands for", links(&stored.supersedes)),
            ("Vector of", text(&stored.embedding_model)),
        ]))
    }
}

/// The map that its place is on.
fn map_of(memory: &MemoryRecord) -> String {
    let of =
        |name: &str| memory.context.pointer(&format!("/spatial/{name}")).and_then(Value::as_str);
    parts::url(
        "/map",
        &[("map", of("map_id").unwrap_or_default()), ("frame", of("frame").unwrap_or_default())],
    )
}

fn ledger(stored: &StoredRecord) -> Markup {
    html! {
        @if !stored.ledger.is_empty() {
            h2 { "What changed it" }
            div class="scroll" tabindex="0" role="region" aria-label="What changed it" {
                table class="words" {
                    thead { tr { th scope="col" { "When" } th scope="col" { "Change" } th scope="col" { "From" } th scope="col" { "To" } th scope="col" { "By" } } }
                    tbody { @for entry in stored.ledger.iter().rev() { tr {
                        td class="tight" { (time(entry.changed_at)) }
                        th scope="row" { (entry.change) @if entry.repetitions > 1 { " × " (entry.repetitions) } }
                        td { (entry.value_before) } td { (entry.value_after) }
                        td { (entry.cause.replace('_', " ")) @if !entry.agent.is_empty() { " of " (entry.agent) } }
                    } } }
                }
            }
        }
    }
}

fn history(stored: &StoredRecord) -> Markup {
    html! {
        @if !stored.history.is_empty() {
            h2 { "What it said before" }
            ol class="versions" { @for change in stored.history.iter().rev() {
                li { (time(change.changed_at)) " " (badge("", &change.operation))
                    @if !change.agent.is_empty() { " by " (change.agent) }
                    p { (change.content) } }
            } }
        }
    }
}

fn sources(stored: &StoredRecord) -> Markup {
    html! {
        @if !stored.turns.is_empty() {
            h2 { "Where it was said" }
            ul { @for turn in &stored.turns {
                li { "turn " (turn.turn_no) " of branch " (turn.branch_id) " of "
                    a href=(format!("/timeline?session_id={}", turn.session_id)) { "session " (turn.session_id) }
                    @if !turn.sentence.is_empty() { blockquote { (turn.sentence) } } }
            } }
        }
    }
}

/// The data without what is shown as a picture.
fn without_picture(data: &Value) -> Value {
    let mut data = data.clone();
    if let Some(jpeg) = data.pointer_mut("/image/thumbnail_jpeg") {
        *jpeg = Value::from("…");
    }
    data
}
