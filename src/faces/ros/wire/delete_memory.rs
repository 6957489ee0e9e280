use super::{Wire, failure, text, time};
use r2r::robot_memory::srv::DeleteMemory as srv;
use robot_memory_core::api::{ApiError, DeleteMemory, DeleteMemoryRequest, DeleteMemoryResponse};

/// DeleteMemory.srv
pub(in crate::faces::ros) struct DeleteMemoryWire;

impl Wire for DeleteMemoryWire {
    type Op = DeleteMemory;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<DeleteMemoryRequest, ApiError> {
        let srv::Request { memory_id, scope, agent } = message;
        Ok(DeleteMemoryRequest { memory_id, scope, agent })
    }

    fn encode(outcome: Result<DeleteMemoryResponse, ApiError>) -> srv::Response {
        let DeleteMemoryResponse { status, memory_id, clip_deleted, backups_until } = match outcome
        {
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
            clip_deleted,
            backups_until: time(backups_until),
        }
    }
}
