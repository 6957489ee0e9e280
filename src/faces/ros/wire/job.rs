use super::text;
use r2r::robot_memory::msg;
use robot_memory_core::api::ShownJob;
use robot_memory_core::model::{Job, JobChange, JobProgress, ScopeState};
use robot_memory_engine::OnTopic;

/// Job.msg
pub(super) fn job(shown: ShownJob) -> msg::Job {
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
    msg::Job {
        id,
        scope: scope.kind().to_owned(),
        scope_id: text(scope.id()),
        job_type: job_type.as_str().to_owned(),
        status: status.as_str().to_owned(),
        waits_for: text(waits_for),
        turn_id: text(turn_id),
        based_on_revision,
        payload: text(payload),
        result: text(result),
        step: text(step),
        done,
        total,
        attempt_count,
        max_attempts,
        available_at,
        lease_owner: text(lease_owner),
        has_lease_until: lease_until.is_some(),
        lease_until: lease_until.unwrap_or_default(),
        last_error: text(last_error),
        agent: text(agent),
        created_at,
        updated_at,
        has_finished_at: finished_at.is_some(),
        finished_at: finished_at.unwrap_or_default(),
    }
}

/// JobEvent.msg
pub(in crate::faces::ros) fn job_event(
    change: OnTopic<JobChange>,
    dropped_count: u64,
) -> msg::JobEvent {
    let OnTopic { told: JobChange { job: changed, before }, names_scope } = change;
    let mut job = job(ShownJob { job: changed, waits_for: String::new() });
    if !names_scope {
        job.scope_id.clear();
    }
    msg::JobEvent {
        before: before.map(|status| status.as_str().to_owned()).unwrap_or_default(),
        job,
        dropped_count,
    }
}

/// ScopeState.msg
pub(super) fn scope_state(state: ScopeState) -> msg::ScopeState {
    let ScopeState {
        scope,
        revision,
        lease_owner,
        lease_until,
        last_processed_turn_no,
        last_compaction_at,
        updated_at,
    } = state;
    msg::ScopeState {
        scope: scope.kind().to_owned(),
        scope_id: text(scope.id()),
        revision,
        lease_owner: text(lease_owner),
        has_lease_until: lease_until.is_some(),
        lease_until: lease_until.unwrap_or_default(),
        has_last_processed_turn_no: last_processed_turn_no.is_some(),
        last_processed_turn_no: last_processed_turn_no.unwrap_or_default(),
        has_last_compaction_at: last_compaction_at.is_some(),
        last_compaction_at: last_compaction_at.unwrap_or_default(),
        updated_at,
    }
}
