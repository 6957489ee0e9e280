//! Limits in force: what an action is checked against, and whether one would be allowed.

use super::facts;
use super::layout::Sheet;
use super::parts::badge;
use super::records::{LimitRecord, StoredRecord};
use super::visit::Visit;
use crate::faces::figures::format::plural;
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use robot_memory_core::api::{AllowedBy, CheckActionResponse, CheckedLimit};
use robot_memory_core::limits::PAGE_FACTS_MAX;
use robot_memory_core::model::Category;
use serde_json::json;

/// Constraints that are shown: each is read by itself.
const SHOWN_MAX: usize = 25;

pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    let of_constraints = |it: &super::records::MemoryRecord| {
        it.category.as_deref() == Some(Category::Constraint.as_str())
    };
    let (constraints, is_complete) = facts::newest(visit, of_constraints).await?;
    let total = constraints.len();
    let mut shown = Vec::new();
    for constraint in constraints.into_iter().take(SHOWN_MAX) {
        let request = json!({ "memory_id": constraint.id });
        match visit.ask::<StoredRecord>("get_memory", request).await {
            Ok(stored) => shown.push(stored),
            // It was deleted meanwhile.
            Err(problem) if problem.status().as_u16() == 404 => {}
            Err(problem) => return Err(problem),
        }
    }
    let body = html! {
        (form(visit))
        (checked(visit).await?)
        p class="soft" {
            (plural(total as u64, "constraints"))
            @if !is_complete { " of the newest " (PAGE_FACTS_MAX) " facts" }
            @if total > SHOWN_MAX { ", of which " (SHOWN_MAX) " are shown" }
        }
        @if shown.is_empty() { p class="empty" { "No limit is in force." } } @else { (table(&shown)) }
    };
    Ok(Sheet { title: "Limits in force".to_owned(), here: "/limits", body })
}

fn form(visit: &Visit) -> Markup {
    let given = |name: &str| visit.given(name).to_owned();
    html! {
        details class="card" open[is_asked(visit)] {
            summary { "Would an action be allowed?" }
            form class="filters" method="get" action="/limits" {
                label { span { "Task" } input name="task" value=(given("task")) placeholder="as grip"; }
                label { span { "Object" } input name="object" value=(given("object")) placeholder="as wine glass"; }
                label { span { "Place" } input name="place" value=(given("place")); }
                label { span { "Parameters (JSON)" } input name="params" value=(given("params")) placeholder="{\"force_n\": 12}" spellcheck="false"; }
                button { "Check" }
            }
        }
    }
}

fn is_asked(visit: &Visit) -> bool {
    ["task", "object", "place", "params"].iter().any(|name| !visit.given(name).is_empty())
}

/// What the limits say of the action that the form tells of.
async fn checked(visit: &Visit) -> Result<Markup, Problem> {
    if !is_asked(visit) {
        return Ok(html! {});
    }
    let request = json!({
        "params": visit.given("params"), "task": visit.given("task"), "object": visit.given("object"),
        "place": visit.given("place"), "collection": "*", "scope": "all",
    });
    match visit.ask::<CheckActionResponse>("check_action", request).await {
        Ok(checked) => Ok(verdict(&checked)),
        Err(problem) if problem.status().is_client_error() => {
            Ok(html! { p class="flash bad" role="alert" { (problem.detail()) } })
        }
        Err(problem) => Err(problem),
    }
}

fn verdict(checked: &CheckActionResponse) -> Markup {
    let says = match checked.allowed_by {
        AllowedBy::Nothing => "Not allowed.",
        AllowedBy::Checked => "Allowed: every bound that bears on it was compared.",
        AllowedBy::Undecided => "Allowed as far as it was told: some limits could not be compared.",
        AllowedBy::NoConstraint => "Allowed: no limit bears on it.",
    };
    let class = if checked.allowed { "good" } else { "bad" };
    let list = |limits: &[CheckedLimit]| {
        html! { @for limit in limits { li { a href=(format!("/memories/{}", limit.memory_id)) { (limit.reason) } } } }
    };
    html! {
        div class={ "flash " (class) } role="status" {
            strong { (says) }
            @if !checked.violations.is_empty() || !checked.undecided.is_empty() {
                ul { (list(&checked.violations)) (list(&checked.undecided)) }
            }
        }
    }
}

fn table(constraints: &[StoredRecord]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Limits" {
            table class="words" {
                thead { tr {
                    th scope="col" { "Limit" } th scope="col" { "Bound" } th scope="col" { "Of" }
                    th scope="col" { "Said by" } th scope="col" { "Scope" }
                } }
                tbody { @for stored in constraints {
                    @let memory = &stored.memory;
                    tr {
                        th scope="row" { a href=(format!("/memories/{}", memory.id)) { (memory.content) } }
                        td {
                            @if stored.limits.is_empty() { span class="soft" { "for people: no number" } }
                            @for limit in &stored.limits { div class="tight" { (bound(limit)) } }
                        }
                        td { @for limit in &stored.limits { div { (of(limit)) } } }
                        td { (memory.source.replace('_', " ")) " " (badge("", &memory.trust)) }
                        td { (memory.scope) }
                    }
                } }
            }
        }
    }
}

/// A bound as people write it.
pub fn bound(limit: &LimitRecord) -> String {
    let sign = match limit.op.as_str() {
        "<=" => "≤",
        ">=" => "≥",
        "==" => "=",
        "!=" => "≠",
        other => other,
    };
    let path = limit.path.strip_prefix("params.").unwrap_or(&limit.path);
    let path = path.strip_suffix(".value").unwrap_or(path).replace('_', " ");
    format!("{path} {sign} {} {}", limit.value, limit.unit).trim().to_owned()
}

/// What it holds for.
fn of(limit: &LimitRecord) -> String {
    let named = [&limit.task, &limit.object, &limit.place].into_iter().filter(|it| !it.is_empty());
    let named: Vec<&str> = named.map(String::as_str).collect();
    if named.is_empty() { "everything".to_owned() } else { named.join(", ") }
}
