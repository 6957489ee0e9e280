use super::{Wire, failure, text};
use r2r::robot_memory::srv::RebuildScope as srv;
use robot_memory_core::api::{ApiError, QueuedResponse, RebuildScope, RebuildScopeRequest};

/// RebuildScope.srv
pub(in crate::faces::ros) struct RebuildScopeWire;

impl Wire for RebuildScopeWire {
    type Op = RebuildScope;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<RebuildScopeRequest, ApiError> {
        let srv::Request { scope, scope_id, trigger_turn_id, force_compaction, agent } = message;
        Ok(RebuildScopeRequest { scope, scope_id, trigger_turn_id, force_compaction, agent })
    }

    fn encode(outcome: Result<QueuedResponse, ApiError>) -> srv::Response {
        let QueuedResponse { job_id, created, scope } = match outcome {
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
        }
    }
}
