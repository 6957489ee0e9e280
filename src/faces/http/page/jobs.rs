//! Jobs: what is done in the background, and maintenance on demand.

use super::act::{Question, asked, did};
use super::layout::Sheet;
use super::parts::{badge, facts, json as shown_json, select, text, time, url};
use super::records::{JobList, JobRecord, QueuedJob};
use super::visit::{Fields, Visit, field};
use crate::faces::figures::format::plural;
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use robot_memory_core::model::{JobStatus, JobType};
use serde_json::{Value, json};

/// Jobs of one page.
const SHOWN: u32 = 50;

pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    let offset: u32 = visit.given("offset").parse().unwrap_or(0);
    let request = json!({
        "limit": SHOWN, "offset": offset, "job_type": visit.given("job_type"), "status": visit.given("status"),
    });
    let list = visit.ask::<JobList>("list_jobs", request).await?;
    let next = offset.saturating_add(SHOWN).to_string();
    let more = url(
        "/jobs",
        &[
            ("offset", &next),
            ("job_type", visit.given("job_type")),
            ("status", visit.given("status")),
        ],
    );
    let body = html! {
        @if visit.may("run_maintenance") { p class="acts" { a class="button" href="/maintenance" { "Run maintenance" } } }
        form class="filters card" method="get" action="/jobs" {
            (select("job_type", "Type", visit.given("job_type"), JobType::ALL.iter().map(|one| one.as_str())))
            (select("status", "Status", visit.given("status"), JobStatus::ALL.iter().map(|one| one.as_str())))
            button { "Show" }
        }
        p class="soft" { (plural(list.total, "jobs")) ", the newest first" }
        @if list.jobs.is_empty() { p class="empty" { "There is no such job." } } @else { (table(&list.jobs)) }
        @if list.has_more { p { a class="button" href=(more) { "Earlier" } } }
    };
    Ok(Sheet { title: "Jobs".to_owned(), here: "/jobs", body })
}

fn table(jobs: &[JobRecord]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Jobs" {
            table class="words" {
                thead { tr {
                    th scope="col" { "Job" } th scope="col" { "Status" } th scope="col" { "Scope" }
                    th scope="col" { "Step" } th scope="col" { "Queued" } th scope="col" { "Finished" }
                } }
                tbody { @for job in jobs { tr {
                    th scope="row" { a href=(format!("/jobs/{}", job.id)) { (job.id) " " (job.job_type.replace('_', " ")) } }
                    td { (status(&job.status)) }
                    td { (scope(job)) }
                    td { (progress(job)) }
                    td { (time(job.created_at)) }
                    td { @if job.finished_at.is_some() { (time(job.finished_at)) } @else { (job.waits_for) } }
                } } }
            }
        }
    }
}

fn status(status: &str) -> Markup {
    let class = match status {
        "succeeded" => "ok",
        "dead_letter" => "error",
        "retry_waiting" | "cancelled" => "warn",
        _ => "",
    };
    badge(class, status)
}

fn scope(job: &JobRecord) -> String {
    if job.scope_id.is_empty() {
        job.scope.clone()
    } else {
        format!("{} {}", job.scope, job.scope_id)
    }
}

fn progress(job: &JobRecord) -> String {
    if job.total > 0 {
        format!("{} {} of {}", job.step, job.done, job.total)
    } else {
        job.step.clone()
    }
}

/// One job.
pub async fn one(visit: &Visit) -> Result<Sheet, Problem> {
    let job = visit.ask::<JobRecord>("get_job", json!({ "job_id": visit.id })).await?;
    let done = match visit.given("did") {
        "queued" => "It is queued.",
        "cancelled" => "It is cancelled.",
        "retried" => "It is queued again.",
        _ => "",
    };
    let can_cancel =
        matches!(job.status.as_str(), "pending" | "retry_waiting") && visit.may("cancel_job");
    let can_retry =
        matches!(job.status.as_str(), "dead_letter" | "cancelled") && visit.may("retry_job");
    let body = html! {
        (did(done))
        p { (status(&job.status)) " " (job.waits_for) }
        (facts(&[
            ("Scope", html! { (scope(&job)) }),
            ("Step", text(&progress(&job))),
            ("Attempts", html! { (job.attempt_count) " of " (job.max_attempts) }),
            ("Queued", time(job.created_at)),
            ("Changed", time(job.updated_at)),
            ("Finished", if job.finished_at.is_some() { time(job.finished_at) } else { html! {} }),
            ("Asked for by", html! { @if job.agent.is_empty() { "the operator or the node" } @else { (job.agent) } }),
            ("Last error", text(&job.last_error)),
        ]))
        (shown_json("Its arguments", &job.payload))
        (shown_json("Its result", &job.result))
        p class="acts" {
            @if can_cancel { a class="button" href=(format!("/jobs/{}/cancel", job.id)) { "Cancel it" } }
            @if can_retry { a class="button" href=(format!("/jobs/{}/retry", job.id)) { "Try it again" } }
        }
        p { a href="/jobs" { "All jobs" } }
    };
    let title = format!("Job {}: {}", job.id, job.job_type.replace('_', " "));
    Ok(Sheet { title, here: "/jobs", body })
}

pub async fn ask_cancel(visit: &Visit) -> Result<Sheet, Problem> {
    ask_about(
        visit,
        "cancel_job",
        "Cancel",
        "It is taken out of the queue. It can be tried again later.",
    )
    .await
}

pub async fn ask_retry(visit: &Visit) -> Result<Sheet, Problem> {
    ask_about(
        visit,
        "retry_job",
        "Try again",
        "It is queued again, and its attempts are counted anew.",
    )
    .await
}

async fn ask_about(
    visit: &Visit,
    operation: &'static str,
    button: &'static str,
    effect: &str,
) -> Result<Sheet, Problem> {
    let job = visit.ask::<JobRecord>("get_job", json!({ "job_id": visit.id })).await?;
    let what = job.job_type.replace('_', " ");
    Ok(asked(
        visit,
        &Question {
            operation,
            title: format!("{button}: job {}, {what}?", job.id),
            here: "/jobs",
            back: format!("/jobs/{}", job.id),
            says: html! { p { (effect) } },
            fields: html! {},
            button,
            is_grave: false,
        },
    ))
}

pub async fn cancel(visit: &Visit, _: Fields) -> Result<String, Problem> {
    visit.ask::<Value>("cancel_job", json!({ "job_id": visit.id })).await?;
    Ok(format!("/jobs/{}?did=cancelled", visit.id))
}

pub async fn retry(visit: &Visit, _: Fields) -> Result<String, Problem> {
    visit.ask::<Value>("retry_job", json!({ "job_id": visit.id })).await?;
    Ok(format!("/jobs/{}?did=retried", visit.id))
}

pub async fn ask_maintenance(visit: &Visit) -> Result<Sheet, Problem> {
    Ok(asked(
        visit,
        &Question {
            operation: "run_maintenance",
            title: "Run maintenance?".to_owned(),
            here: "/jobs",
            back: "/jobs".to_owned(),
            says: html! { p {
                "It merges what says the same and fills in what is missing; weekly it also settles contradictions by rule, summarizes attempts, "
                "and archives what has faded. What it archives can be restored; what it merges stays for audit. "
                "It is queued as a job, which can be cancelled until it begins."
            } },
            fields: html! {
                label { span { "Which" } select name="mode" { option value="daily" { "daily" } option value="weekly" { "weekly" } } }
                label class="check" { input type="checkbox" name="dry_run" value="1" checked; " Only report what it would change" }
            },
            button: "Run",
            is_grave: false,
        },
    ))
}

pub async fn run_maintenance(visit: &Visit, form: Fields) -> Result<String, Problem> {
    let request =
        json!({ "mode": field(&form, "mode"), "dry_run": !field(&form, "dry_run").is_empty() });
    let queued = visit.ask::<QueuedJob>("run_maintenance", request).await?;
    Ok(format!("/jobs/{}?did=queued", queued.job_id))
}
