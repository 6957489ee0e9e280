//! `memory jobs`

use super::arguments::{JobsArguments, StoreArguments};
use super::failure::Outcome;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::{millis, of_millis, rfc_3339_secs, visible};
use robot_memory_core::api::{
    GetJob, GetJobRequest, ListJobs, ListJobsRequest, ListJobsResponse, ShownJob,
};
use robot_memory_core::model::Stamp;
use std::fmt::Write;

/// Lists background jobs, or shows one.
pub fn run(arguments: JobsArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let engine = open_engine(store)?;
    if let Some(job_id) = arguments.id {
        let agent = arguments.page.agent.unwrap_or_default();
        let job = engine.call::<GetJob>(GetJobRequest { job_id, agent })?;
        return output.answer(job, shown);
    }
    let response = engine.call::<ListJobs>(request(arguments))?;
    output.answer(response, listed)
}

fn request(arguments: JobsArguments) -> ListJobsRequest {
    let JobsArguments { scope, page, .. } = arguments;
    let time = |stamp: Option<Stamp>| stamp.map_or(0, millis);
    ListJobsRequest {
        scope: scope.scope.unwrap_or_default(),
        scope_id: scope.scope_id.unwrap_or_default(),
        job_type: arguments.job_type.unwrap_or_default(),
        status: arguments.status.unwrap_or_default(),
        turn_id: arguments.turn.unwrap_or_default(),
        created_from: time(arguments.created_from),
        created_to: time(arguments.created_to),
        available_from: time(arguments.available_from),
        available_to: time(arguments.available_to),
        sort_by: arguments.sort_by.unwrap_or_default(),
        sort_order: page.sort_order.unwrap_or_default(),
        limit: page.limit,
        offset: page.offset,
        agent: page.agent.unwrap_or_default(),
    }
}

fn listed(response: ListJobsResponse) -> String {
    let ListJobsResponse { jobs, total, offset, .. } = response;
    let mut table = Table::new([
        "#id",
        "job_type",
        "status",
        "scope",
        "created_at",
        "#attempts",
        "waits for, or failed by",
    ]);
    let count = jobs.len() as u64;
    for ShownJob { job, waits_for } in jobs {
        let why = if waits_for.is_empty() { job.last_error } else { waits_for };
        table.row([
            job.id.to_string(),
            job.job_type.to_string(),
            job.status.to_string(),
            visible(&job.scope.to_string()),
            rfc_3339_secs(of_millis(job.created_at)),
            format!("{}/{}", job.attempt_count, job.max_attempts),
            visible(&why),
        ]);
    }
    with_place(table.render(0), count, offset, total)
}

/// A list, and which part of the whole it is when it is not all.
pub fn with_place(mut list: String, count: u64, offset: u32, total: u64) -> String {
    let first = u64::from(offset);
    if count == total {
        return list;
    }
    let _ = match count {
        0 => writeln!(list, "none after {first} of {total}"),
        count => writeln!(list, "{} to {} of {total}", first + 1, first + count),
    };
    list
}

/// The fields that say something, one a line.
fn shown(shown: ShownJob) -> String {
    let ShownJob { job, waits_for } = shown;
    let time = |millis: i64| of_millis(millis).rfc_3339();
    let progress = match (job.progress.step.as_str(), job.progress.total) {
        ("", _) => String::new(),
        (step, 0) => format!("{step}: {}", job.progress.done),
        (step, total) => format!("{step}: {} of {total}", job.progress.done),
    };
    let mut table = Table::new(["", ""]);
    table.fields([
        ("id", job.id.to_string()),
        ("job_type", job.job_type.to_string()),
        ("status", job.status.to_string()),
        ("waits_for", waits_for),
        ("last_error", job.last_error),
        ("scope", job.scope.kind().to_owned()),
        ("scope_id", job.scope.id()),
        ("turn_id", job.turn_id),
        ("progress", progress),
        ("attempts", format!("{} of {}", job.attempt_count, job.max_attempts)),
        ("lease_owner", job.lease_owner),
        ("lease_until", job.lease_until.map(time).unwrap_or_default()),
        ("available_at", time(job.available_at)),
        ("created_at", time(job.created_at)),
        ("updated_at", time(job.updated_at)),
        ("finished_at", job.finished_at.map(time).unwrap_or_default()),
        ("based_on_revision", job.based_on_revision.to_string()),
        ("agent", job.agent),
        ("payload", job.payload),
        ("result", job.result),
    ]);
    table.render(0)
}
