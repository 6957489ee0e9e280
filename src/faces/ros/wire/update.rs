use super::limit::limits as limit_messages;
use super::{Wire, failure, spelling, text, texts};
use r2r::robot_memory::srv::Update as srv;
use robot_memory_core::api::{ApiError, Update, UpdateRequest, UpdateResponse};

/// Update.srv
pub(in crate::faces::ros) struct UpdateWire;

impl Wire for UpdateWire {
    type Op = Update;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<UpdateRequest, ApiError> {
        let srv::Request { memory_id, new_content, context, scope, agent } = message;
        Ok(UpdateRequest { memory_id, new_content, context, scope, agent })
    }

    fn encode(outcome: Result<UpdateResponse, ApiError>) -> srv::Response {
        let UpdateResponse {
            status,
            memory_id,
            old_content,
            new_content,
            truncated,
            category,
            confidence,
            tags,
            scope_files,
            limits,
            superseded_ids,
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
            status: text(status),
            memory_id,
            old_content: text(old_content),
            new_content: text(new_content),
            truncated,
            category: spelling(category),
            confidence,
            tags: texts(tags),
            scope_files: texts(scope_files),
            limits: limit_messages(limits),
            superseded_ids,
            has_embedding,
        }
    }
}
