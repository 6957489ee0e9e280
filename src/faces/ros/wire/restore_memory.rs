use super::{Wire, failure, text};
use r2r::robot_memory::srv::RestoreMemory as srv;
use robot_memory_core::api::{
    ApiError, RestoreMemory, RestoreMemoryRequest, RestoreMemoryResponse,
};

/// RestoreMemory.srv
pub(in crate::faces::ros) struct RestoreMemoryWire;

impl Wire for RestoreMemoryWire {
    type Op = RestoreMemory;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<RestoreMemoryRequest, ApiError> {
        let srv::Request { memory_id, reason, scope, agent } = message;
        Ok(RestoreMemoryRequest { memory_id, reason, scope, agent })
    }

    fn encode(outcome: Result<RestoreMemoryResponse, ApiError>) -> srv::Response {
        let RestoreMemoryResponse { memory_id, status, level, has_embedding } = match outcome {
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
            memory_id,
            status: text(status.as_str()),
            level: text(level.as_str()),
            has_embedding,
        }
    }
}
