//! Pieces that several views are made of.

use super::records::MemoryRecord;
use maud::{Markup, html};
use robot_memory_core::model::{Category, Stamp};
use serde_json::Value;

/// A time in UTC; the script shows it in the time of the browser.
pub fn time(stamp: Option<Stamp>) -> Markup {
    let Some(stamp) = stamp else { return html! { span class="soft" { "never" } } };
    let text = stamp.rfc_3339();
    let shown = match (text.get(..10), text.get(11..16)) {
        (Some(day), Some(minute)) if text.len() >= 20 => format!("{day} {minute}"),
        _ => text.clone(),
    };
    html! { time datetime=(text) { (shown) } }
}

/// A text of a program, with its times shown as all others are.
pub fn with_times(text: &str) -> Markup {
    html! {
        @for (place, word) in text.split(' ').enumerate() {
            @if place > 0 { " " }
            @let stamp = word.trim_end_matches([',', ';', '.', ')']);
            @match stamp_of(stamp) {
                Some(at) => { (time(Some(at))) (&word[stamp.len()..]) }
                None => { (word) }
            }
        }
    }
}

fn stamp_of(word: &str) -> Option<Stamp> {
    // Shorter is a number, or a day.
    let is_time = word.len() >= "2026-11-22T08:00:00Z".len() && word.ends_with('Z');
    is_time.then(|| serde_json::from_value(Value::from(word)).ok()).flatten()
}

/// A day without its year, as there is room for it below a bar.
pub fn month_and_day(day: &str) -> String {
    day.get(5..).filter(|_| day.len() == 10).unwrap_or(day).to_owned()
}

/// What a memory is, in a word.
pub fn kind(memory: &MemoryRecord) -> &str {
    let text = |path: &str| memory.context.pointer(path).and_then(Value::as_str);
    if let Some(word) = text("/event/trigger").or(text("/summary/kind")) {
        return word;
    }
    // Of what an attempt was, the words say no category.
    if memory.mem_type == "task_log" && memory.kind == "fact" {
        return &memory.mem_type;
    }
    // The category of what is of no other says nothing.
    let category = memory.category.as_deref().filter(|word| *word != Category::Code.as_str());
    category.or(memory.perception_type.as_deref()).unwrap_or(&memory.kind)
}

/// A word in a frame; `class` is ok, warn, error, good, bad or nothing.
pub fn badge(class: &str, word: &str) -> Markup {
    html! { span class={ "badge " (class) } { (word.replace('_', " ")) } }
}

/// A memory by its number.
pub fn link(id: i64) -> Markup {
    html! { a href=(format!("/memories/{id}")) { "memory " (id) } }
}

/// Several of them.
pub fn links(ids: &[i64]) -> Markup {
    html! { @for (place, id) in ids.iter().enumerate() { @if place > 0 { ", " } (link(*id)) } }
}

/// How far a memory is believed, as a number and a bar.
pub fn belief(confidence: f64) -> Markup {
    let share = confidence.clamp(0.0, 1.0);
    html! {
        span class="belief" title="confidence" {
            meter min="0" max="1" low="0.3" high="0.6" optimum="1" value=(format!("{share:.2}")) aria-hidden="true" {}
            span class="hidden" { "confidence " } (format!("{share:.2}"))
        }
    }
}

/// What is known of a memory beside what it says, in a line.
pub fn about(memory: &MemoryRecord) -> Markup {
    about_at(memory, &time(memory.created_at))
}

/// The same with a time that is shown otherwise, or elsewhere.
pub fn about_at(memory: &MemoryRecord, when: &Markup) -> Markup {
    html! {
        p class="about" {
            (badge("", kind(memory)))
            @if memory.status != "active" { (badge("bad", &memory.status)) }
            @if memory.trust == "low" { (badge("warn", "low trust")) }
            (when)
            (belief(memory.confidence))
            span { (memory.scope) }
            @if memory.collection != "default" { span { (memory.collection) } }
            @if !memory.conflicts_with.is_empty() {
                span class="bad" { "contradicts " (links(&memory.conflicts_with)) }
            }
        }
    }
}

/// A memory in a list: what it says leads to all of it.
pub fn card(memory: &MemoryRecord, beside: &Markup) -> Markup {
    html! {
        li class="memory" {
            // What only the memory of the site has, has no page here.
            @if memory.id == 0 { span class="says" { (memory.content) } span class="key" { "at the site" } }
            @else { a class="says" href=(format!("/memories/{}", memory.id)) { (memory.content) } }
            (about(memory))
            (beside)
        }
    }
}

/// The picture of a perception, when it has one.
pub fn picture(memory: &MemoryRecord) -> Markup {
    let image = memory.data.get("image");
    if image.and_then(|image| image.get("thumbnail_jpeg")).and_then(Value::as_str).is_none() {
        return html! {};
    }
    let size = |name: &str| image.and_then(|image| image.get(name)).and_then(Value::as_u64);
    html! {
        img class="picture" src=(format!("/api/v1/keyframes/{}.jpg", memory.id)) loading="lazy"
            alt={ "Picture: " (memory.content) } width=[size("width")] height=[size("height")];
    }
}

/// A list of what something has, without what is empty.
pub fn facts(rows: &[(&str, Markup)]) -> Markup {
    html! {
        dl class="facts" {
            @for (name, value) in rows {
                @if !value.0.is_empty() { div { dt { (name) } dd { (value) } } }
            }
        }
    }
}

/// A text as a part of a page; nothing when it is empty.
pub fn text(text: &str) -> Markup {
    html! { (text) }
}

/// A choice of a form.
pub fn select<'a>(
    name: &str,
    label: &str,
    chosen: &str,
    choices: impl IntoIterator<Item = &'a str>,
) -> Markup {
    html! {
        label { span { (label) }
            select name=(name) {
                option value="" { "any" }
                @for choice in choices {
                    option value=(choice) selected[choice == chosen] { (choice.replace('_', " ")) }
                }
            }
        }
    }
}

/// JSON for people to read, when there is any.
pub fn json(title: &str, value: &Value) -> Markup {
    let is_empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    // What is longer is for programs.
    const SHOWN_BYTES_MAX: usize = 6_000;
    let shown: String = text.chars().take(SHOWN_BYTES_MAX).collect();
    html! {
        @if !is_empty {
            details { summary { (title) } pre tabindex="0" { (shown) @if shown.len() < text.len() { "\n…" } } }
        }
    }
}

/// A text for a query of a URL.
pub fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// A path with a query of those fields that say something.
pub fn url(path: &str, fields: &[(&str, &str)]) -> String {
    let said = fields.iter().filter(|(_, value)| !value.is_empty());
    let query: Vec<String> =
        said.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) }
}
