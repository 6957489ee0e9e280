//! Backups: those there are, and one more.

use super::act::{Question, asked};
use super::layout::Sheet;
use super::parts::{badge, time};
use super::records::{QueuedJob, StatusRecord};
use super::visit::{Fields, Visit};
use crate::faces::figures::format::{bytes, count};
use crate::faces::http::problem::Problem;
use maud::html;
use serde_json::json;

pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    let status = visit.ask::<StatusRecord>("status", json!({})).await?;
    let body = html! {
        @if visit.may("backup") { p class="acts" { a class="button" href="/backups/new" { "Back up now" } } }
        p class="soft" {
            "Each is a verified copy of the store. To go back to one: " code { "memory restore NAME" }
            ", or the service restore_backup."
        }
        @if status.backups.is_empty() { p class="empty" { "There is no backup." } } @else {
            div class="scroll" tabindex="0" role="region" aria-label="Backups" {
                table class="words" {
                    thead { tr {
                        th scope="col" { "Name" } th scope="col" { "Made" } th scope="col" class="n" { "Memories" }
                        th scope="col" class="n" { "Size" } th scope="col" { "State" }
                    } }
                    tbody { @for backup in &status.backups { tr {
                        th scope="row" { code { (backup.name) } }
                        td { (time(backup.made_at)) }
                        td class="n" { @if backup.memory_count > 0 { (count(backup.memory_count)) } @else { "not known" } }
                        td class="n" { (bytes(backup.bytes)) }
                        td {
                            (badge(if backup.is_verified { "ok" } else { "warn" }, if backup.is_verified { "verified" } else { "not verified" }))
                            @if backup.is_foreign { " " (badge("warn", "of another store")) }
                        }
                    } } }
                }
            }
        }
    };
    Ok(Sheet { title: "Backups".to_owned(), here: "/backups", body })
}

pub async fn ask(visit: &Visit) -> Result<Sheet, Problem> {
    Ok(asked(
        visit,
        &Question {
            operation: "backup",
            title: "Back up now?".to_owned(),
            here: "/backups",
            back: "/backups".to_owned(),
            says: html! { p { "A job writes a verified copy of the store. Nothing else changes; callers are not held up." } },
            fields: html! {},
            button: "Back up",
            is_grave: false,
        },
    ))
}

pub async fn back_up(visit: &Visit, _: Fields) -> Result<String, Problem> {
    let queued = visit.ask::<QueuedJob>("backup", json!({})).await?;
    Ok(format!("/jobs/{}?did=queued", queued.job_id))
}
