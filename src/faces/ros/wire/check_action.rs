use super::{Wire, failure, spelling, text};
use r2r::robot_memory::{msg, srv::CheckAction as srv};
use robot_memory_core::api::{
    ApiError, CheckAction, CheckActionRequest, CheckActionResponse, CheckedLimit,
};

/// CheckAction.srv
pub(in crate::faces::ros) struct CheckActionWire;

impl Wire for CheckActionWire {
    type Op = CheckAction;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<CheckActionRequest, ApiError> {
        let srv::Request { params, task, object, place, collection, scope, agent } = message;
        Ok(CheckActionRequest { params, task, object, place, collection, scope, agent })
    }

    fn encode(outcome: Result<CheckActionResponse, ApiError>) -> srv::Response {
        let CheckActionResponse {
            allowed,
            allowed_by,
            violations,
            undecided,
            undecided_count,
            checked_count,
            constraint_count,
            query_ms,
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
            allowed,
            allowed_by: text(allowed_by.as_str()),
            violations: checked_limits(violations),
            undecided: checked_limits(undecided),
            undecided_count,
            checked_count,
            constraint_count,
            query_ms,
        }
    }
}

fn checked_limits(checked: Vec<CheckedLimit>) -> Vec<msg::CheckedLimit> {
    checked.into_iter().map(checked_limit).collect()
}

fn checked_limit(checked: CheckedLimit) -> msg::CheckedLimit {
    let CheckedLimit {
        memory_id,
        content,
        source,
        trust,
        scope,
        path,
        op,
        bound,
        unit,
        given,
        reason,
    } = checked;
    msg::CheckedLimit {
        memory_id,
        content: text(content),
        source: text(source.as_str()),
        trust: text(trust.as_str()),
        scope: text(scope),
        path: text(path),
        op: spelling(op),
        bound,
        unit: text(unit),
        has_given: given.is_some(),
        given: given.unwrap_or_default(),
        reason: text(reason),
    }
}
