//! RebuildScope, RunMaintenance, Import: queue work on a scope, or on a bag.

use super::check::{self, invalid};
use super::jobs::MaintenancePayload;
use crate::db::{Outcome, WriteTx};
use crate::{Error, Operations, Result, Run};
use robot_memory_core::api::{
    Import, ImportRequest, MaintenanceMode, QueuedResponse, RebuildScope, RebuildScopeRequest,
    RunMaintenance, RunMaintenanceRequest,
};
use robot_memory_core::model::{JobScope, JobType, ScopeKind, cut, quoted};
use robot_memory_db::{JobDraft, ReadTx};
use serde_json::json;
use std::path::Path;

impl Run<RebuildScope> for Operations {
    fn run(&self, request: RebuildScopeRequest) -> Result<QueuedResponse> {
        let RebuildScopeRequest { scope, scope_id, trigger_turn_id, force_compaction, agent } =
            request;
        let scope = self.scope_of_work(&scope, &scope_id, &trigger_turn_id, &agent)?;
        let forced = if force_compaction { " and compact" } else { "" };
        self.write(|tx| {
            self.admit_work(tx, &scope, &trigger_turn_id, &agent)?;
            self.check_not_empty(tx, &scope)?;
            self.queue(
                tx,
                JobDraft {
                    dedup_key: format!("rebuild{forced} {scope}"),
                    turn_id: &trigger_turn_id,
                    payload: json!({ "force_compaction": force_compaction }),
                    ..JobDraft::of(&scope, JobType::RebuildScope, &agent)
                },
            )
        })
    }
}

impl Run<RunMaintenance> for Operations {
    fn run(&self, request: RunMaintenanceRequest) -> Result<QueuedResponse> {
        let RunMaintenanceRequest { mode, scope, scope_id, dry_run, agent } = request;
        let mode = MaintenanceMode::parse(&mode).ok_or_else(|| {
            let modes = MaintenanceMode::spellings();
            invalid(format!("mode: must be one of {modes}, got {}", quoted(&mode)))
        })?;
        let scope = if scope.is_empty() || scope == JobScope::ALL {
            self.check_agent(&agent)?;
            JobScope::parse(JobScope::ALL, &scope_id).map_err(invalid)?
        } else {
            self.scope_of_work(&scope, &scope_id, "", &agent)?
        };
        let payload = MaintenancePayload { mode, dry_run, asked_for: true };
        self.write(|tx| {
            self.admit_work(tx, &scope, "", &agent)?;
            self.check_not_empty(tx, &scope)?;
            self.queue(
                tx,
                JobDraft {
                    dedup_key: payload.dedup_key(&scope),
                    payload: json!(payload),
                    ..JobDraft::of(&scope, JobType::Maintenance, &agent)
                },
            )
        })
    }
}

/// A job of the scope that what the robot's sensors tell is stored in.
impl Run<Import> for Operations {
    fn run(&self, request: ImportRequest) -> Result<QueuedResponse> {
        let ImportRequest { path, collection, agent } = request;
        self.admit_capture(&agent)?;
        let collection = self.collection(&collection)?;
        let path = bag_path(check::text("path", &path)?)?;
        self.check_workers()?;
        let scope = JobScope::Of(self.own_scope());
        self.write(|tx| {
            self.queue(
                tx,
                JobDraft {
                    dedup_key: format!("import {}", json!([collection, path])),
                    payload: json!({ "path": path, "collection": collection }),
                    ..JobDraft::of(&scope, JobType::Import, &agent)
                },
            )
        })
    }
}

impl Operations {
    /// The scope that a request orders work on, after a look at what else it names.
    pub(super) fn scope_of_work(
        &self,
        scope: &str,
        scope_id: &str,
        trigger_turn_id: &str,
        agent: &str,
    ) -> Result<JobScope> {
        self.check_agent(agent)?;
        check::name("trigger_turn_id", trigger_turn_id)?;
        if ScopeKind::spelled(scope).is_none() {
            return Err(invalid(format!(
                "scope: must be one of {}; got {}",
                ScopeKind::spellings(),
                quoted(scope)
            )));
        }
        JobScope::parse(scope, scope_id).map_err(invalid)
    }

    /// Refuses work that its caller may not order, that names a step which is not there, or that nobody
    /// would do.
    pub(super) fn admit_work(
        &self,
        tx: &ReadTx<'_>,
        scope: &JobScope,
        trigger_turn_id: &str,
        agent: &str,
    ) -> Result<()> {
        self.check_job_order(tx, agent, scope)?;
        if !trigger_turn_id.is_empty() {
            let session = tx.session_of_turn(trigger_turn_id)?;
            let session = session.map(|session_id| tx.session(&session_id)).transpose()?.flatten();
            if !session.is_some_and(|session| self.may_see_session(&session, agent)) {
                let message = format!("trigger_turn_id: there is no turn {trigger_turn_id}");
                return Err(Error::not_found(message));
            }
        }
        self.check_workers()
    }

    /// Refuses what waits for workers when there are none.
    fn check_workers(&self) -> Result<()> {
        if self.config.jobs.has_workers {
            return Ok(());
        }
        let message = "no workers are on: the parameter job_workers is 0";
        Err(Error::invalid_state(message))
    }

    /// Refuses a scope in which there is nothing to work on: no active memory and no step.
    fn check_not_empty(&self, tx: &ReadTx<'_>, scope: &JobScope) -> Result<()> {
        let JobScope::Of(of) = scope else { return Ok(()) };
        let text = of.to_string();
        let has_memory = self
            .derived()
            .rows
            .scopes_with_prefix(&text)
            .next()
            .is_some_and(|(first, _)| first == text);
        if has_memory || tx.has_turns(of)? {
            return Ok(());
        }
        Err(Error::invalid_state(format!("scope: nothing is stored in {scope}")))
    }

    fn queue(&self, tx: &WriteTx<'_>, draft: JobDraft<'_>) -> Result<Outcome<QueuedResponse>> {
        let queued = self.enqueue(tx, &draft)?;
        let (job_id, created) = (queued.job_id, queued.created);
        let answer = QueuedResponse { job_id, created, scope: draft.scope.clone() };
        Ok(Outcome::of(created, answer))
    }
}

/// Refuses a path that names no bag for certain. A face has put the home folder in place of `~`.
fn bag_path(path: &str) -> Result<&str> {
    if !Path::new(path).is_absolute() {
        return Err(invalid(format!(
            "path: must be absolute or begin with ~/, got {}",
            quoted(path)
        )));
    }
    let Ok(found) = std::fs::metadata(path) else {
        return Err(Error::not_found(format!("path: nothing is at {}", cut(path))));
    };
    let metadata = if found.is_dir() { Path::new(path).join("metadata.yaml") } else { path.into() };
    if std::fs::metadata(&metadata).is_ok_and(|found| !found.is_file()) {
        return Err(invalid(format!(
            "path: {} is not a regular file",
            cut(&metadata.to_string_lossy())
        )));
    }
    Ok(path)
}
