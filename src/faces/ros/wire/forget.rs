use super::{Wire, failure, text};
use r2r::robot_memory::srv::Forget as srv;
use robot_memory_core::api::{ApiError, Forget, ForgetRequest, ForgetResponse};

/// Forget.srv
pub(in crate::faces::ros) struct ForgetWire;

impl Wire for ForgetWire {
    type Op = Forget;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<ForgetRequest, ApiError> {
        let srv::Request { memory_id, reason, scope, agent } = message;
        Ok(ForgetRequest { memory_id, reason, scope, agent })
    }

    fn encode(outcome: Result<ForgetResponse, ApiError>) -> srv::Response {
        let ForgetResponse { status, memory_id, content, reason } = match outcome {
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
            status: text(status),
            memory_id,
            content: text(content),
            reason: text(reason),
        }
    }
}
