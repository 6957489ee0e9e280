use super::{Wire, failure, key_counts};
use r2r::robot_memory::srv::ListCollections as srv;
use robot_memory_core::api::{
    ApiError, ListCollections, ListCollectionsRequest, ListCollectionsResponse,
};

/// ListCollections.srv
pub(in crate::faces::ros) struct ListCollectionsWire;

impl Wire for ListCollectionsWire {
    type Op = ListCollections;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<ListCollectionsRequest, ApiError> {
        let srv::Request { level, scope, agent } = message;
        Ok(ListCollectionsRequest { level, scope, agent })
    }

    fn encode(outcome: Result<ListCollectionsResponse, ApiError>) -> srv::Response {
        let ListCollectionsResponse { collections, memory_count } = match outcome {
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
            collections: key_counts(collections),
            memory_count,
        }
    }
}
