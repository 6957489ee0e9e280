use super::{Wire, failure, stamp, time};
use r2r::robot_memory::srv::ClearMemories as srv;
use robot_memory_core::api::{
    ApiError, ClearMemories, ClearMemoriesRequest, ClearMemoriesResponse,
};

/// ClearMemories.srv
pub(in crate::faces::ros) struct ClearMemoriesWire;

impl Wire for ClearMemoriesWire {
    type Op = ClearMemories;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<ClearMemoriesRequest, ApiError> {
        let srv::Request { level, collection, since, until, scope, agent } = message;
        Ok(ClearMemoriesRequest {
            level,
            collection,
            since: stamp(since),
            until: stamp(until),
            scope,
            agent,
        })
    }

    fn encode(outcome: Result<ClearMemoriesResponse, ApiError>) -> srv::Response {
        let ClearMemoriesResponse { deleted_count, clips_deleted_count, backups_until } =
            match outcome {
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
            deleted_count,
            clips_deleted_count,
            backups_until: time(backups_until),
        }
    }
}
