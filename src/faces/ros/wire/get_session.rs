use super::session::{branch, session as session_message};
use super::{Wire, failure, key_counts};
use r2r::robot_memory::srv::GetSession as srv;
use robot_memory_core::api::{ApiError, GetSession, GetSessionRequest, GetSessionResponse};

/// GetSession.srv
pub(in crate::faces::ros) struct GetSessionWire;

impl Wire for GetSessionWire {
    type Op = GetSession;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<GetSessionRequest, ApiError> {
        let srv::Request { session_id, agent } = message;
        Ok(GetSessionRequest { session_id, agent })
    }

    fn encode(outcome: Result<GetSessionResponse, ApiError>) -> srv::Response {
        let GetSessionResponse { session, by_type, by_category, branches } = match outcome {
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
            session: session_message(session),
            by_type: key_counts(by_type),
            by_category: key_counts(by_category),
            branches: branches.into_iter().map(branch).collect(),
        }
    }
}
