use super::{Wire, failure, text, texts};
use r2r::robot_memory::srv::MergeBranch as srv;
use robot_memory_core::api::{ApiError, MergeBranch, MergeBranchRequest, MergeBranchResponse};

/// MergeBranch.srv
pub(in crate::faces::ros) struct MergeBranchWire;

impl Wire for MergeBranchWire {
    type Op = MergeBranch;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<MergeBranchRequest, ApiError> {
        let srv::Request { session_id, branch_id, into, agent } = message;
        Ok(MergeBranchRequest { session_id, branch_id, into, agent })
    }

    fn encode(outcome: Result<MergeBranchResponse, ApiError>) -> srv::Response {
        let MergeBranchResponse {
            status,
            session_id,
            branch_id,
            into,
            merged_ids,
            duplicate_count,
            superseded_ids,
            kept_ids,
            lost_branches,
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
            branch_id: text(branch_id),
            into: text(into),
            merged_ids,
            duplicate_count,
            superseded_ids,
            kept_ids,
            lost_branches: texts(lost_branches),
        }
    }
}
