//! Why a job is where it is, in words.

use crate::{JobSettings, Result};
use robot_memory_core::model::{Job, JobStatus};
use robot_memory_db::ReadTx;

/// What an unfinished job waits for at `now`, in milliseconds of the machine's clock, for a person to
/// read; empty when it has finished.
pub(crate) fn waits_for(
    tx: &ReadTx<'_>,
    job: &Job,
    settings: &JobSettings,
    now: i64,
) -> Result<String> {
    if job.status.is_finished() {
        return Ok(String::new());
    }
    if let Some(until) = job.lease_until {
        let left = seconds(until.saturating_sub(now));
        return Ok(format!(
            "nothing: {} has it, for {left} s more unless it renews its lease",
            job.lease_owner
        ));
    }
    if !settings.has_workers {
        return Ok("a worker: none are on (job_workers is 0)".into());
    }
    if let Some(head) = tx.head_job(&job.scope)?.filter(|head| head.id != job.id) {
        let is = if head.status.is_held() { "is being done" } else { "is before it" };
        return Ok(format!("job {} of the same scope {is} ({})", head.id, head.status));
    }
    if job.status == JobStatus::RetryWaiting && job.available_at > now {
        let wait = seconds(job.available_at.saturating_sub(now));
        return Ok(format!("its next attempt in {wait} s, after: {}", job.last_error));
    }
    Ok("a worker that is free".into())
}

/// Milliseconds in seconds, for a person.
fn seconds(millis: i64) -> String {
    let tenths = millis.max(0).saturating_add(50) / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}
