use super::{Wire, failure, text};
use r2r::robot_memory::srv::CommitTurn as srv;
use robot_memory_core::api::{ApiError, CommitTurn, CommitTurnRequest, CommitTurnResponse};

/// CommitTurn.srv
pub(in crate::faces::ros) struct CommitTurnWire;

impl Wire for CommitTurnWire {
    type Op = CommitTurn;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<CommitTurnRequest, ApiError> {
        let srv::Request { session_id, branch_id, turn_no, turn_id, text: said, data, agent } =
            message;
        Ok(CommitTurnRequest { session_id, branch_id, turn_no, turn_id, text: said, data, agent })
    }

    fn encode(outcome: Result<CommitTurnResponse, ApiError>) -> srv::Response {
        let CommitTurnResponse { status, turn_id, job_id, created, scope } = match outcome {
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
            status: status.as_str().to_owned(),
            turn_id: text(turn_id),
            job_id,
            created,
            scope: scope.kind().to_owned(),
            scope_id: text(scope.id()),
        }
    }
}
