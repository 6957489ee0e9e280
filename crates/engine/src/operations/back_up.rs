//! Backup: queue the job that copies the store.

use super::jobs::Enqueued;
use crate::db::Outcome;
use crate::db::WriteTx;
use crate::{Operations, Result, Run};
use robot_memory_core::api::{Backup, BackupRequest, BackupResponse};
use robot_memory_core::model::{JobScope, JobType};
use robot_memory_db::JobDraft;

impl Run<Backup> for Operations {
    fn run(&self, request: BackupRequest) -> Result<BackupResponse> {
        let BackupRequest { agent } = request;
        self.check_agent(&agent)?;
        self.write(|tx| {
            self.admit_work(tx, &JobScope::All, "", &agent)?;
            let queued = self.queue_backup(tx, &agent)?;
            let answer = BackupResponse { job_id: queued.job_id, created: queued.created };
            Ok(Outcome::of(queued.created, answer))
        })
    }
}

impl Operations {
    /// Queues the job, unless it waits already.
    pub(crate) fn queue_backup(&self, tx: &WriteTx<'_>, agent: &str) -> Result<Enqueued> {
        self.enqueue(tx, &JobDraft::of(&JobScope::All, JobType::Backup, agent))
    }
}
