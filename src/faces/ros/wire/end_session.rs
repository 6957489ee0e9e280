use super::memory::memories;
use super::{Wire, failure, given, key_counts, text};
use r2r::robot_memory::srv::EndSession as srv;
use robot_memory_core::api::{ApiError, EndSession, EndSessionRequest, EndSessionResponse};

/// EndSession.srv
pub(in crate::faces::ros) struct EndSessionWire;

impl Wire for EndSessionWire {
    type Op = EndSession;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<EndSessionRequest, ApiError> {
        let srv::Request { session_id, has_outcome_score, outcome_score, agent } = message;
        let outcome_score = given("outcome_score", has_outcome_score, outcome_score)?;
        Ok(EndSessionRequest { session_id, outcome_score, agent })
    }

    fn encode(outcome: Result<EndSessionResponse, ApiError>) -> srv::Response {
        let EndSessionResponse {
            status,
            session_id,
            memory_count,
            by_type,
            by_category,
            decayed_count,
            merged_groups,
            superseded_count,
            compression_ratio,
            avg_similarity,
            promoted_count,
            archived_count,
            related_memories,
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
            session_id: text(session_id),
            memory_count,
            by_type: key_counts(by_type),
            by_category: key_counts(by_category),
            decayed_count,
            merged_groups,
            superseded_count,
            compression_ratio,
            avg_similarity,
            promoted_count,
            archived_count,
            related_memories: memories(related_memories),
        }
    }
}
