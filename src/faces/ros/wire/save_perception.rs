use super::{Wire, failure, given, text};
use r2r::robot_memory::srv::SavePerception as srv;
use robot_memory_core::api::{
    ApiError, SavePerception, SavePerceptionRequest, SavePerceptionResponse,
};

/// SavePerception.srv
pub(in crate::faces::ros) struct SavePerceptionWire;

impl Wire for SavePerceptionWire {
    type Op = SavePerception;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<SavePerceptionRequest, ApiError> {
        let srv::Request {
            description,
            perception_type,
            data,
            metadata,
            context,
            collection,
            session_id,
            turn_id,
            level,
            scope,
            agent,
            source,
            trust,
            mem_type,
            has_importance,
            importance,
            parent_id,
            idempotency_key,
        } = message;
        Ok(SavePerceptionRequest {
            description,
            perception_type,
            data,
            metadata,
            context,
            collection,
            session_id,
            turn_id,
            level,
            scope,
            agent,
            source,
            trust,
            mem_type,
            importance: given("importance", has_importance, importance)?,
            parent_id,
            idempotency_key,
        })
    }

    fn encode(outcome: Result<SavePerceptionResponse, ApiError>) -> srv::Response {
        let SavePerceptionResponse {
            status,
            memory_id,
            perception_type,
            collection,
            truncated,
            has_embedding,
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
            status: text(status.as_str()),
            memory_id,
            perception_type: text(perception_type.as_str()),
            collection: text(collection),
            truncated,
            has_embedding,
        }
    }
}
