//! Jobs and scopes as JSON: the fields of the services, by the same names; payload and result are JSON.

use super::json::{Time, stored_json};
use super::values::of_millis;
use robot_memory_core::api::{ListJobsResponse, ListScopesResponse, ShownJob};
use robot_memory_core::model::{Job, JobProgress, JobStatus, JobType, ScopeState};
use serde::Serialize;
use serde_json::value::RawValue;

/// The answer of ListJobs.
#[derive(Serialize)]
pub struct JobsJson {
    jobs: Vec<JobJson>,
    total: u64,
    has_more: bool,
    limit: u32,
    offset: u32,
    sort_by: String,
    sort_order: String,
}

impl From<ListJobsResponse> for JobsJson {
    fn from(response: ListJobsResponse) -> Self {
        let ListJobsResponse { jobs, total, has_more, limit, offset, sort_by, sort_order } =
            response;
        let jobs = jobs.into_iter().map(JobJson::from).collect();
        Self { jobs, total, has_more, limit, offset, sort_by, sort_order }
    }
}

/// A job, and why it is where it is.
#[derive(Serialize)]
pub struct JobJson {
    id: i64,
    scope: &'static str,
    scope_id: String,
    job_type: JobType,
    status: JobStatus,
    waits_for: String,
    turn_id: String,
    based_on_revision: i64,
    payload: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    step: String,
    done: u64,
    total: u64,
    attempt_count: u32,
    max_attempts: u32,
    available_at: Time,
    lease_owner: String,
    lease_until: Option<Time>,
    last_error: String,
    agent: String,
    created_at: Time,
    updated_at: Time,
    finished_at: Option<Time>,
}

impl From<ShownJob> for JobJson {
    fn from(shown: ShownJob) -> Self {
        let ShownJob { job, waits_for } = shown;
        let Job {
            id,
            scope,
            job_type,
            status,
            turn_id,
            based_on_revision,
            payload,
            result,
            progress: JobProgress { step, done, total },
            attempt_count,
            max_attempts,
            available_at,
            lease_owner,
            lease_until,
            last_error,
            agent,
            created_at,
            updated_at,
            finished_at,
        } = job;
        Self {
            id,
            scope: scope.kind(),
            scope_id: scope.id(),
            job_type,
            status,
            waits_for,
            turn_id,
            based_on_revision,
            payload: stored_json(payload),
            result: stored_json(result),
            step,
            done,
            total,
            attempt_count,
            max_attempts,
            available_at: time(available_at),
            lease_owner,
            lease_until: lease_until.map(time),
            last_error,
            agent,
            created_at: time(created_at),
            updated_at: time(updated_at),
            finished_at: finished_at.map(time),
        }
    }
}

/// The answer of ListScopes.
#[derive(Serialize)]
pub struct ScopesJson {
    scopes: Vec<ScopeJson>,
    total: u64,
    has_more: bool,
    limit: u32,
    offset: u32,
    sort_by: String,
    sort_order: String,
}

impl From<ListScopesResponse> for ScopesJson {
    fn from(response: ListScopesResponse) -> Self {
        let ListScopesResponse { scopes, total, has_more, limit, offset, sort_by, sort_order } =
            response;
        let scopes = scopes.into_iter().map(ScopeJson::from).collect();
        Self { scopes, total, has_more, limit, offset, sort_by, sort_order }
    }
}

#[derive(Serialize)]
struct ScopeJson {
    scope: &'static str,
    scope_id: String,
    revision: i64,
    lease_owner: String,
    lease_until: Option<Time>,
    last_processed_turn_no: Option<u32>,
    last_compaction_at: Option<Time>,
    updated_at: Time,
}

impl From<ScopeState> for ScopeJson {
    fn from(state: ScopeState) -> Self {
        let ScopeState {
            scope,
            revision,
            lease_owner,
            lease_until,
            last_processed_turn_no,
            last_compaction_at,
            updated_at,
        } = state;
        Self {
            scope: scope.kind(),
            scope_id: scope.id(),
            revision,
            lease_owner,
            lease_until: lease_until.map(time),
            last_processed_turn_no,
            last_compaction_at: last_compaction_at.map(time),
            updated_at: time(updated_at),
        }
    }
}

fn time(millis: i64) -> Time {
    Time(of_millis(millis))
}
