//! What a person may do to a memory. Each is asked once, says what it did, and can be taken back where the engine
//! allows it.

use super::layout::Sheet;
use super::parts::{badge, text};
use super::records::{LearnAnswer, MemoryRecord, StoredRecord};
use super::visit::{Fields, Visit, field};
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use robot_memory_core::limits::REASON_CHARS_MAX;
use serde_json::{Value, json};

/// What is asked before something is done.
pub struct Question {
    /// The operation that does it.
    pub operation: &'static str,
    pub title: String,
    pub here: &'static str,
    /// Where one goes who does not want it.
    pub back: String,
    /// What it will do.
    pub says: Markup,
    pub fields: Markup,
    pub button: &'static str,
    /// Whether it cannot be taken back.
    pub is_grave: bool,
}

/// The page that asks; its form goes to its own path.
pub fn asked(visit: &Visit, question: &Question) -> Sheet {
    let body = html! {
        (question.says)
        @if visit.may(question.operation) {
            form class="card narrow" method="post" action=(visit.path) {
                (question.fields)
                p class="acts" {
                    button class={ "first" @if question.is_grave { " grave" } } { (question.button) }
                    a class="button" href=(question.back) { "Leave it" }
                }
            }
        } @else {
            p class="flash" { "Your token's profile, " (visit.caller.profile.as_str()) ", may not do this." }
            p { a class="button" href=(question.back) { "Back" } }
        }
    };
    Sheet { title: question.title.clone(), here: question.here, body }
}

/// What was done, if anything was.
pub fn did(what: &str) -> Markup {
    html! { @if !what.is_empty() { p class="flash good" role="status" { (what) } } }
}

/// The word for what was done: a write that the store cannot take now waits.
pub fn done_as(answer: &Value, word: &'static str) -> &'static str {
    if answer["status"] == "queued" { "queued" } else { word }
}

/// Says that what was asked for waits.
pub fn queued(visit: &Visit) -> Markup {
    html! {
        @if visit.given("did") == "queued" {
            p class="flash" role="status" {
                "The store cannot be written now: it is kept, and done as soon as it can be."
            }
        }
    }
}

/// A form that does something at once: it takes back what was just done.
pub fn undo(path: &str, fields: &[(&str, &str)]) -> Markup {
    html! {
        form class="inline" method="post" action=(path) {
            @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
            button { "Undo" }
        }
    }
}

/// Why, for the audit trail.
pub fn reason(is_required: bool, given: &str) -> Markup {
    html! {
        label { span { "Why" @if !is_required { " (may be left out)" } }
            input name="reason" value=(given) maxlength=(REASON_CHARS_MAX) required[is_required]; }
    }
}

/// The memory of the path.
pub async fn of_path(visit: &Visit) -> Result<StoredRecord, Problem> {
    visit.ask("get_memory", json!({ "memory_id": visit.id })).await
}

/// What a memory says, as it is quoted in a question.
pub fn quoted(memory: &MemoryRecord) -> Markup {
    html! { blockquote { (text(&memory.content)) " " (badge("", &memory.kind)) } }
}

pub async fn ask_forget(visit: &Visit) -> Result<Sheet, Problem> {
    let stored = of_path(visit).await?;
    let back = format!("/memories/{}", stored.memory.id);
    let can_come_back = stored.memory.kind == "fact";
    Ok(asked(
        visit,
        &Question {
            operation: "forget",
            title: format!("Forget memory {}?", stored.memory.id),
            here: "",
            back,
            says: html! {
                (quoted(&stored.memory))
                p {
                    "It is kept for audit, and never recalled again. "
                    @if can_come_back { "To take it back the same can be learned again, under another number." }
                    @else { "This cannot be taken back." }
                }
            },
            fields: reason(true, visit.given("reason")),
            button: "Forget it",
            is_grave: true,
        },
    ))
}

pub async fn forget(visit: &Visit, form: Fields) -> Result<String, Problem> {
    let request = json!({ "memory_id": visit.id, "reason": field(&form, "reason") });
    let answer = visit.ask::<Value>("forget", request).await?;
    Ok(format!("/memories/{}?did={}", visit.id, done_as(&answer, "forgotten")))
}

pub async fn ask_adopt(visit: &Visit) -> Result<Sheet, Problem> {
    let stored = of_path(visit).await?;
    Ok(asked(
        visit,
        &Question {
            operation: "adopt",
            title: "Make it this robot's own?".to_owned(),
            here: "",
            back: format!("/memories/{}", stored.memory.id),
            says: html! {
                (quoted(&stored.memory))
                p {
                    "It is learned as what you say, and stays when the robots that told it take it back. When the experience that it "
                    "goes back to is revoked, it is forgotten here, too."
                }
            },
            fields: html! {},
            button: "Adopt it",
            is_grave: false,
        },
    ))
}

pub async fn adopt(visit: &Visit, _: Fields) -> Result<String, Problem> {
    let answer = visit.ask::<Value>("adopt", json!({ "memory_id": visit.id })).await?;
    let id = |key: &str| answer[key].as_i64().filter(|id| *id != 0);
    let (id, did) = match (id("memory_id"), id("existing_id")) {
        (Some(id), _) => (id, "adopted"),
        (None, Some(id)) => (id, "known"),
        (None, None) => (visit.id, "queued"),
    };
    Ok(format!("/memories/{id}?did={did}"))
}

pub async fn ask_again(visit: &Visit) -> Result<Sheet, Problem> {
    let stored = of_path(visit).await?;
    Ok(asked(
        visit,
        &Question {
            operation: "learn",
            title: "Learn it again?".to_owned(),
            here: "",
            back: format!("/memories/{}", stored.memory.id),
            says: html! {
                (quoted(&stored.memory))
                p { "The same statement becomes a new memory, with the same context and scope. The forgotten one stays for audit." }
            },
            fields: html! {},
            button: "Learn it again",
            is_grave: false,
        },
    ))
}

/// Forget cannot be taken back under the same number: what was forgotten is learned once more.
pub async fn learn_again(visit: &Visit, _: Fields) -> Result<String, Problem> {
    let memory = of_path(visit).await?.memory;
    let level = if memory.level == "working" { "" } else { &memory.level };
    let request = json!({
        "insight": memory.content, "collection": memory.collection, "scope": memory.scope, "level": level,
        "mem_type": memory.mem_type, "trust": memory.trust, "importance": memory.importance,
        "context": if memory.context.is_null() { Value::from("") } else { memory.context },
    });
    let learned = visit.ask::<LearnAnswer>("learn", request).await?;
    Ok(match (learned.memory_id, learned.existing_id) {
        // It has no number yet.
        (0, 0) => "/?did=queued".to_owned(),
        (0, id) | (id, _) => format!("/memories/{id}?did=learned"),
    })
}

pub async fn ask_restore(visit: &Visit) -> Result<Sheet, Problem> {
    let stored = of_path(visit).await?;
    Ok(asked(
        visit,
        &Question {
            operation: "restore_memory",
            title: format!("Restore memory {}?", stored.memory.id),
            here: "",
            back: format!("/memories/{}", stored.memory.id),
            says: html! { (quoted(&stored.memory)) p { "It is recalled again, and its age counts from now." } },
            fields: reason(false, ""),
            button: "Restore it",
            is_grave: false,
        },
    ))
}

pub async fn restore(visit: &Visit, form: Fields) -> Result<String, Problem> {
    let request = json!({ "memory_id": visit.id, "reason": field(&form, "reason") });
    visit.ask::<Value>("restore_memory", request).await?;
    Ok(format!("/memories/{}?did=restored", visit.id))
}

/// What a person says of a lesson: pinned, rejected, or nothing.
fn judgment(given: &str) -> (&'static str, &'static str, &'static str) {
    match given {
        "pinned" => (
            "pinned",
            "Pin the lesson",
            "It is believed at the bound that it has now, whatever attempts say.",
        ),
        "rejected" => {
            ("rejected", "Reject the lesson", "It is not believed, whatever attempts say.")
        }
        _ => ("", "Let attempts decide", "What a person said of it is taken back."),
    }
}

pub async fn ask_judge(visit: &Visit) -> Result<Sheet, Problem> {
    let stored = of_path(visit).await?;
    let (judgment, button, effect) = judgment(visit.given("to"));
    Ok(asked(
        visit,
        &Question {
            operation: "judge_lesson",
            title: format!("{button}?"),
            here: "",
            back: format!("/memories/{}", stored.memory.id),
            says: html! { (quoted(&stored.memory)) p { (effect) " This can be changed at any time." } },
            fields: html! { input type="hidden" name="judgment" value=(judgment); (reason(false, "")) },
            button,
            is_grave: false,
        },
    ))
}

pub async fn judge(visit: &Visit, form: Fields) -> Result<String, Problem> {
    let before = of_path(visit).await?.memory.judgment().to_owned();
    let request = json!({
        "lesson_id": visit.id, "judgment": field(&form, "judgment"), "reason": field(&form, "reason"),
    });
    visit.ask::<Value>("judge_lesson", request).await?;
    let was = if before.is_empty() { "undecided" } else { &before };
    Ok(format!("/memories/{}?did=judged&was={was}", visit.id))
}
