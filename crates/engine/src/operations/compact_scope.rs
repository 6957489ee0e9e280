//! CompactScope: queue the job that makes one long summary of a scope's short ones.

use super::check::invalid;
use super::jobs::{JobVisibility, choose_among};
use crate::db::Outcome;
use crate::{Error, Operations, Result, Run};
use robot_memory_core::api::{CompactScope, CompactScopeRequest, CompactScopeResponse};
use robot_memory_core::model::JobScope;

impl Run<CompactScope> for Operations {
    fn run(&self, request: CompactScopeRequest) -> Result<CompactScopeResponse> {
        let CompactScopeRequest { scope, scope_id, trigger_turn_id, force, agent } = request;
        let job_scope = self.scope_of_work(&scope, &scope_id, &trigger_turn_id, &agent)?;
        let JobScope::Of(scope) = &job_scope else {
            return Err(invalid("scope: summaries are compacted in one scope, not in all"));
        };
        self.write(|tx| {
            self.admit_work(tx, &job_scope, &trigger_turn_id, &agent)?;
            let settings = &self.config.jobs.compaction;
            let (chosen, most) = choose_among(tx.micro_summaries(scope)?, settings, force);
            let Some((choice, _)) = chosen else {
                let enough = settings.sources_min.max(1);
                let why = if !force && most >= enough {
                    format!(
                        "no threshold is reached with {most} short summaries \
                         (compact_count_min: {}); with force they are compacted",
                        settings.count_min
                    )
                } else {
                    format!(
                        "nothing to compact: there are {most} short summaries, and {enough} are \
                         needed (compact_sources_min)"
                    )
                };
                return Err(Error::invalid_state(format!("scope: {why}")));
            };
            let queued = self.queue_compaction(tx, scope, &trigger_turn_id, &agent, force)?;
            // Who sees no more than the episode is not told which memories there are.
            let visibility =
                self.job_visibility(tx, &agent, &self.full_visibility(&agent), &job_scope)?;
            let source_micro_ids = match visibility {
                JobVisibility::Whole => choice.source_ids,
                JobVisibility::Outline | JobVisibility::Nothing => Vec::new(),
            };
            let response = CompactScopeResponse {
                job_id: queued.job_id,
                created: queued.created,
                scope: job_scope.clone(),
                reason: choice.reason,
                source_micro_ids,
                coverage_start_turn_no: choice.first_turn_no,
                coverage_end_turn_no: choice.last_turn_no,
            };
            // A job that waits may be forced by now.
            Ok(Outcome::of(queued.created || force, response))
        })
    }
}
