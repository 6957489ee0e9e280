//! How the memory is doing: its parts, counts and sizes.

use super::layout::Sheet;
use super::parts::{badge, facts, time, with_times};
use super::records::{ComponentRecord, StatusRecord};
use super::visit::Visit;
use crate::faces::figures::format::{bytes, count};
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use robot_memory_core::model::Category;
use serde_json::json;
use std::collections::BTreeMap;

pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    let status = visit.ask::<StatusRecord>("status", json!({})).await?;
    let body = html! {
        p { (level(&status.level)) " " (count(status.memory_count)) " memories, version " (status.version) ", schema " (status.schema_version) }
        (parts(&status))
        div class="grid" {
            (counts("By status", &rows(&status.by_status)))
            (counts("Active by type", &rows(&status.by_type)))
            (counts("Active by level", &rows(&status.by_level)))
            (counts("Active by category", &category_rows(&status.by_category)))
            (counts("Active by scope", &rows(&status.by_scope)))
            (counts("Jobs", &rows(&status.jobs)))
        }
        h2 { "Sizes" }
        (facts(&[
            ("Store", html! { (bytes(status.store_bytes)) }),
            ("Indexes in memory", html! { (bytes(status.index_bytes)) }),
            ("Clips", html! { (bytes(status.clip_bytes)) }),
            ("Backups", html! { (bytes(status.backup_bytes)) }),
            ("Free on the disk", html! { (bytes(status.free_bytes)) }),
            ("Writes that wait", html! { (count(status.queued_writes)) }),
            ("Without a vector", html! { (count(status.missing_vectors)) }),
            ("Open sessions", html! { (count(status.open_sessions)) }),
            ("Open contradictions", html! { a href="/contradictions" { (count(status.conflict_count)) } }),
        ]))
        h2 { "Times" }
        (facts(&[
            ("Daily maintenance", html! { (time(status.last_daily_at)) @if status.next_daily_at.is_some() { ", next " (time(status.next_daily_at)) } }),
            ("Weekly maintenance", html! { (time(status.last_weekly_at)) @if status.next_weekly_at.is_some() { ", next " (time(status.next_weekly_at)) } }),
            ("Backup", time(status.last_backup_at)),
        ]))
    };
    Ok(Sheet { title: "Health".to_owned(), here: "/health", body })
}

/// A level in a word, which is told by its color too.
pub fn level(level: &str) -> Markup {
    let word = match level {
        "ok" => "healthy",
        "warn" => "needs attention",
        "error" => "in trouble",
        other => other,
    };
    let class = if matches!(level, "ok" | "warn" | "error") { level } else { "" };
    badge(class, word)
}

/// What is off is not in trouble, and does nothing well either.
pub fn state_class(part: &ComponentRecord) -> &str {
    match (part.level.as_str(), part.state.as_str()) {
        ("ok", "off") => "",
        ("ok" | "warn", _) => &part.level,
        _ => "error",
    }
}

fn parts(status: &StatusRecord) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Parts" {
            table class="words" {
                thead { tr { th scope="col" { "Part" } th scope="col" { "State" } th scope="col" { "What it says" } } }
                tbody {
                    @for part in &status.components {
                        tr {
                            th scope="row" { (part.name.replace('_', " ")) }
                            td { (badge(state_class(part), &part.state)) }
                            td { (with_times(&part.message)) }
                        }
                    }
                }
            }
        }
    }
}

/// Counts by name.
fn rows(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    counts.iter().map(|(name, number)| (name.as_str(), *number)).collect()
}

/// Those of categories: of what is of no other, last.
fn category_rows(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let rest = Category::Code.as_str();
    let mut rows = rows(counts);
    rows.sort_by_key(|(category, _)| *category == rest);
    let named = |category| if category == rest { "other" } else { category };
    rows.into_iter().map(|(category, number)| (named(category), number)).collect()
}

fn counts(title: &str, rows: &[(&str, u64)]) -> Markup {
    html! {
        @if !rows.is_empty() {
            section class="card" {
                h2 { (title) }
                table {
                    thead class="hidden" { tr { th scope="col" { "Name" } th scope="col" { "Count" } } }
                    tbody { @for (name, number) in rows { tr { th scope="row" { (name.replace('_', " ")) } td { (count(*number)) } } } }
                }
            }
        }
    }
}
