//! Limits in force: what an action is checked against.

use super::layout::Sheet;
use super::parts::badge;
use super::visit::Visit;
use crate::faces::figures::format::plural;
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use robot_memory_core::api::{CheckActionResponse, CheckedLimit};
use robot_memory_core::model::LimitOp;
use serde_json::json;

/// Those that hold whatever is done, or for a task, object and place.
pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    let [task, object, place] = ["task", "object", "place"].map(|name| visit.given(name));
    // Of an action of which no parameter is known nothing can be decided: all that bear on it are named.
    let request = json!({
        "params": "{\"limits\": {}}", "task": task, "object": object, "place": place, "collection": "*", "scope": "all",
    });
    let checked = visit.ask::<CheckActionResponse>("check_action", request).await?;
    let mut limits: Vec<&CheckedLimit> =
        checked.violations.iter().chain(&checked.undecided).collect();
    limits.sort_by_key(|limit| (limit.path.is_empty(), limit.path.clone(), limit.memory_id));
    let total = checked.undecided_count + checked.violations.len() as u64;
    let body = html! {
        form class="filters card" method="get" action="/limits" {
            label { span { "Task" } input name="task" value=(task) placeholder="any"; }
            label { span { "Object" } input name="object" value=(object) placeholder="any"; }
            label { span { "Place" } input name="place" value=(place) placeholder="any"; }
            button { "Show" }
        }
        p class="soft" {
            (plural(total, "bounds")) " of " (plural(checked.constraint_count, "constraints"))
            @if (limits.len() as u64) < total { ", of which " (limits.len()) " are shown" }
        }
        @if limits.is_empty() { p class="empty" { "No limit is in force here." } } @else { (table(&limits)) }
    };
    Ok(Sheet { title: "Limits in force".to_owned(), here: "/limits", body })
}

fn table(limits: &[&CheckedLimit]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Limits" {
            table class="words" {
                thead { tr {
                    th scope="col" { "Limit" } th scope="col" { "Parameter" } th scope="col" { "Bound" }
                    th scope="col" { "Said by" } th scope="col" { "Scope" }
                } }
                tbody {
                    @for limit in limits {
                        tr {
                            th scope="row" { a href=(format!("/memories/{}", limit.memory_id)) { (limit.content) } }
                            td { @if limit.path.is_empty() { "any" } @else { code { (limit.path) } } }
                            td class="tight" { (bound(limit)) }
                            td { (limit.source.as_str().replace('_', " ")) " " (badge("", limit.trust.as_str())) }
                            td { (limit.scope) }
                        }
                    }
                }
            }
        }
    }
}

fn bound(limit: &CheckedLimit) -> String {
    match limit.op {
        Some(op) => format!("{} {} {}", sign(op), limit.bound, limit.unit),
        None => "none: for people".to_owned(),
    }
}

fn sign(op: LimitOp) -> &'static str {
    match op.as_str() {
        "<=" => "≤",
        ">=" => "≥",
        "==" => "=",
        "!=" => "≠",
        other => other,
    }
}
