use super::{Wire, failure, text};
use r2r::robot_memory::srv::StartSession as srv;
use robot_memory_core::api::{ApiError, StartSession, StartSessionRequest, StartSessionResponse};

/// StartSession.srv
pub(in crate::faces::ros) struct StartSessionWire;

impl Wire for StartSessionWire {
    type Op = StartSession;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<StartSessionRequest, ApiError> {
        let srv::Request { collection, context, agent } = message;
        Ok(StartSessionRequest { collection, context, agent })
    }

    fn encode(outcome: Result<StartSessionResponse, ApiError>) -> srv::Response {
        let StartSessionResponse { session_id, collection, active_memories_count } = match outcome {
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
            session_id: text(session_id),
            collection: text(collection),
            active_memories_count,
        }
    }
}
