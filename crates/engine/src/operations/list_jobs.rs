//! ListJobs and ListScopes: what work there is, and how far each scope is.

use super::check::{self, invalid};
use super::jobs::{JobVisibility, waits_for};
use crate::{Operations, Result, Run};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{
    ListJobs, ListJobsRequest, ListJobsResponse, ListScopes, ListScopesRequest, ListScopesResponse,
    ShownJob,
};
use robot_memory_core::model::{
    Job, JobOrder, JobScope, JobStatus, JobType, ScopeKind, ScopeOrder, SortOrder,
};
use robot_memory_db::{JobFilter, Page, ReadTx, ScopeFilter};

impl Run<ListJobs> for Operations {
    fn run(&self, request: ListJobsRequest) -> Result<ListJobsResponse> {
        let ListJobsRequest {
            scope,
            scope_id,
            job_type,
            status,
            turn_id,
            created_from,
            created_to,
            available_from,
            available_to,
            sort_by,
            sort_order,
            limit,
            offset,
            agent,
        } = request;
        self.check_agent(&agent)?;
        let wanted = WantedScopes::read(&scope, &scope_id)?;
        let job_type =
            check::parse_enum("job_type", &job_type, JobType::parse, JobType::spellings)?;
        let status = check::parse_enum("status", &status, JobStatus::parse, JobStatus::spellings)?;
        check::name("turn_id", &turn_id)?;
        let (created_from, created_to) = range("created", created_from, created_to)?;
        let (available_from, available_to) = range("available", available_from, available_to)?;
        let sort_by = check::parse_enum("sort_by", &sort_by, JobOrder::parse, JobOrder::spellings)?
            .unwrap_or(JobOrder::CreatedAt);
        let page = Page {
            sort_by,
            sort_order: order(&sort_order)?,
            limit: check::page_limit(limit)?,
            offset,
        };
        let visibility = self.full_visibility(&agent);
        let now = self.machine_now();
        self.store.read(|tx| {
            let seen = |scope: &JobScope| {
                Ok(self.job_visibility(tx, &agent, &visibility, scope)? != JobVisibility::Nothing)
            };
            let among = wanted.seen(&visibility, seen, |kind| tx.scopes_in("job", kind, seen))?;
            let filter = JobFilter {
                scope: wanted.filter(among.as_deref()),
                job_type,
                status,
                turn_id: Some(turn_id.as_str()).filter(|turn_id| !turn_id.is_empty()),
                created_from,
                created_to,
                available_from,
                available_to,
            };
            let (jobs, total) = tx.job_page(&filter, &page)?;
            let has_more = u64::from(offset) + (jobs.len() as u64) < total;
            let shown =
                jobs.into_iter().map(|job| self.shown_job(tx, &agent, &visibility, job, now));
            let jobs = shown.filter_map(Result::transpose).collect::<Result<_>>()?;
            let (sort_by, sort_order) = (page.sort_by.to_string(), page.sort_order.to_string());
            Ok(ListJobsResponse { jobs, total, has_more, limit, offset, sort_by, sort_order })
        })
    }
}

impl Run<ListScopes> for Operations {
    fn run(&self, request: ListScopesRequest) -> Result<ListScopesResponse> {
        let ListScopesRequest { scope, scope_id, sort_by, sort_order, limit, offset, agent } =
            request;
        self.check_agent(&agent)?;
        let wanted = WantedScopes::read(&scope, &scope_id)?;
        let sort_by =
            check::parse_enum("sort_by", &sort_by, ScopeOrder::spelled, ScopeOrder::spellings)?
                .unwrap_or(ScopeOrder::UpdatedAt);
        let page = Page {
            sort_by,
            sort_order: order(&sort_order)?,
            limit: check::page_limit(limit)?,
            offset,
        };
        let visibility = self.full_visibility(&agent);
        self.store.read(|tx| {
            let seen = |scope: &JobScope| {
                Ok(self.job_visibility(tx, &agent, &visibility, scope)? != JobVisibility::Nothing)
            };
            let among =
                wanted.seen(&visibility, seen, |kind| tx.scopes_in("scope_state", kind, seen))?;
            let (scopes, total) = tx.scope_page(&wanted.filter(among.as_deref()), &page)?;
            let has_more = u64::from(offset) + (scopes.len() as u64) < total;
            let (sort_by, sort_order) = (page.sort_by.to_string(), page.sort_order.to_string());
            Ok(ListScopesResponse { scopes, total, has_more, limit, offset, sort_by, sort_order })
        })
    }
}

impl Operations {
    /// A job as its caller sees it, and why it is where it is; `None` when it may not be seen.
    pub(super) fn shown_job(
        &self,
        tx: &ReadTx<'_>,
        agent: &str,
        visibility: &Visibility,
        job: Job,
        now: i64,
    ) -> Result<Option<ShownJob>> {
        let visibility = self.job_visibility(tx, agent, visibility, &job.scope)?;
        let Some(job) = visibility.of(job) else { return Ok(None) };
        let waits_for = waits_for(tx, &job, &self.config.jobs, now)?;
        Ok(Some(ShownJob { job, waits_for }))
    }
}

/// The scopes that a list was asked for.
enum WantedScopes {
    All,
    Kind(&'static str),
    One(JobScope, String),
}

impl WantedScopes {
    fn read(kind: &str, id: &str) -> Result<Self> {
        if kind.is_empty() {
            if !id.is_empty() {
                return Err(invalid("scope_id: needs the scope whose name it is"));
            }
            return Ok(Self::All);
        }
        let parse = |kind: &str| match kind {
            JobScope::ALL => Some(JobScope::ALL),
            kind => ScopeKind::spelled(kind).map(ScopeKind::as_str),
        };
        let spellings = || format!("{}, {}", ScopeKind::spellings(), JobScope::ALL);
        match check::parse_enum("scope", kind, parse, spellings)? {
            Some(kind) if id.is_empty() => Ok(Self::Kind(kind)),
            _ => {
                let scope = JobScope::parse(kind, id).map_err(invalid)?;
                let id = scope.id();
                Ok(Self::One(scope, id))
            }
        }
    }

    fn filter<'a>(&'a self, among: Option<&'a [JobScope]>) -> ScopeFilter<'a> {
        let (kind, id) = match self {
            Self::All => (None, None),
            Self::Kind(kind) => (Some(*kind), None),
            Self::One(scope, id) => (Some(scope.kind()), Some(id.as_str())),
        };
        ScopeFilter { kind, id, among }
    }

    /// Those of them that the caller sees; `None`: all of them.
    fn seen(
        &self,
        visibility: &Visibility,
        sees: impl Fn(&JobScope) -> Result<bool>,
        list: impl FnOnce(Option<&str>) -> Result<Vec<JobScope>>,
    ) -> Result<Option<Vec<JobScope>>> {
        Ok(match self {
            _ if matches!(visibility, Visibility::Everything) => None,
            Self::All => Some(list(None)?),
            Self::Kind(kind) => Some(list(Some(kind))?),
            Self::One(scope, _) if sees(scope)? => None,
            Self::One(..) => Some(Vec::new()),
        })
    }
}

/// The two bounds of a range of times; 0 is none.
fn range(name: &str, from: i64, to: i64) -> Result<(Option<i64>, Option<i64>)> {
    for (end, at) in [("from", from), ("to", to)] {
        if at < 0 {
            return Err(invalid(format!(
                "{name}_{end}: must be milliseconds since 1970, not negative, got {at}"
            )));
        }
    }
    if to != 0 && from > to {
        return Err(invalid(format!(
            "{name}_from: must not be later than {name}_to, {to}; got {from}"
        )));
    }
    Ok((Some(from).filter(|at| *at != 0), Some(to).filter(|at| *at != 0)))
}

fn order(sort_order: &str) -> Result<SortOrder> {
    let order =
        check::parse_enum("sort_order", sort_order, SortOrder::parse, SortOrder::spellings)?;
    Ok(order.unwrap_or(SortOrder::Desc))
}
