use super::limit::limits as limit_messages;
use super::{Wire, failure, given, spelling, text, texts};
use r2r::robot_memory::srv::Learn as srv;
use robot_memory_core::api::{ApiError, Learn, LearnRequest, LearnResponse};

/// Learn.srv
pub(in crate::faces::ros) struct LearnWire;

impl Wire for LearnWire {
    type Op = Learn;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<LearnRequest, ApiError> {
        let srv::Request {
            insight,
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
        Ok(LearnRequest {
            insight,
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

    fn encode(outcome: Result<LearnResponse, ApiError>) -> srv::Response {
        let LearnResponse {
            status,
            truncated,
            memory_id,
            existing_id,
            method,
            similarity,
            category,
            confidence,
            tags,
            scope_files,
            limits,
            superseded_ids,
            similar_to,
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
            truncated,
            memory_id,
            existing_id,
            method: spelling(method),
            similarity,
            category: text(category.as_str()),
            confidence,
            tags: texts(tags),
            scope_files: texts(scope_files),
            limits: limit_messages(limits),
            superseded_ids,
            similar_to,
            has_embedding,
        }
    }
}
