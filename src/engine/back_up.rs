//! Backup: queue the job that copies the store.

use super::jobs::JobDraft;
use super::transaction::Outcome;
use super::{Engine, Result, Run};
use crate::api::{Backup, BackupRequest, BackupResponse};
use crate::model::{JobScope, JobType};
use serde_json::json;

impl Run<Backup> for Engine {
    fn run(&self, request: BackupRequest) -> Result<BackupResponse> {
        let BackupRequest { agent } = request;
        self.check_agent(&agent)?;
        let scope = JobScope::All;
        self.write(|tx, _| {
            self.admit_work(tx, &scope, "", &agent)?;
            let queued = self.enqueue(
                tx,
                &JobDraft {
                    scope: &scope,
                    job_type: JobType::Backup,
                    dedup_key: "backup".to_owned(),
                    turn_id: "",
                    payload: json!({}),
                    agent: &agent,
                },
            )?;
            let answer = BackupResponse { job_id: queued.job_id, created: queued.created };
            Ok(if queued.created { Outcome::Changed(answer) } else { Outcome::Unchanged(answer) })
        })
    }
}
