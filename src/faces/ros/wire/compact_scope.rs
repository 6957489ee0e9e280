use super::{Wire, failure, text};
use r2r::robot_memory::srv::CompactScope as srv;
use robot_memory_core::api::{ApiError, CompactScope, CompactScopeRequest, CompactScopeResponse};

/// CompactScope.srv
pub(in crate::faces::ros) struct CompactScopeWire;

impl Wire for CompactScopeWire {
    type Op = CompactScope;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<CompactScopeRequest, ApiError> {
        let srv::Request { scope, scope_id, trigger_turn_id, force, agent } = message;
        Ok(CompactScopeRequest { scope, scope_id, trigger_turn_id, force, agent })
    }

    fn encode(outcome: Result<CompactScopeResponse, ApiError>) -> srv::Response {
        let CompactScopeResponse {
            job_id,
            created,
            scope,
            reason,
            source_micro_ids,
            coverage_start_turn_no,
            coverage_end_turn_no,
        } = match outcome {
            Ok(response) => response,
            Err(failed) => {
                let (error_code, error) = failure(failed);
                return srv::Response { error_code, error, ..Default::default() };
            }
        };
        srv::Response {
            success: true,
            error_code: String::new(),
            error: String::new(),
            job_id,
            created,
            scope: scope.kind().to_owned(),
            scope_id: text(scope.id()),
            reason: reason.as_str().to_owned(),
            source_micro_ids,
            has_coverage_start_turn_no: coverage_start_turn_no.is_some(),
            coverage_start_turn_no: coverage_start_turn_no.unwrap_or_default(),
            has_coverage_end_turn_no: coverage_end_turn_no.is_some(),
            coverage_end_turn_no: coverage_end_turn_no.unwrap_or_default(),
        }
    }
}
