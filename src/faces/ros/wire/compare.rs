use super::{Wire, failure, stamp, text};
use r2r::robot_memory::{msg, srv::Compare as srv};
use robot_memory_core::api::{ApiError, Compare, CompareRequest, CompareResponse, Contrast};

/// Compare.srv
pub(in crate::faces::ros) struct CompareWire;

impl Wire for CompareWire {
    type Op = Compare;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<CompareRequest, ApiError> {
        let srv::Request {
            task,
            object,
            collection,
            collections,
            context_filter,
            since,
            until,
            scope,
            n,
            agent,
        } = message;
        Ok(CompareRequest {
            task,
            object,
            collection,
            collections,
            context_filter,
            since: stamp(since),
            until: stamp(until),
            scope,
            n,
            agent,
        })
    }

    fn encode(outcome: Result<CompareResponse, ApiError>) -> srv::Response {
        let CompareResponse {
            success_count,
            failure_count,
            unknown_count,
            success_rate,
            success_rate_interval,
            contrasts,
            success_ids,
            failure_ids,
            summary,
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
            success_count,
            failure_count,
            unknown_count,
            success_rate,
            success_rate_interval,
            contrasts: contrasts.into_iter().map(contrast).collect(),
            success_ids,
            failure_ids,
            summary: text(summary),
        }
    }
}

/// Contrast.msg
fn contrast(contrast: Contrast) -> msg::Contrast {
    let Contrast {
        path,
        kind,
        unit,
        value,
        statement,
        effect,
        effect_low,
        success_count,
        failure_count,
        success_with_value,
        failure_with_value,
        success_range,
        failure_range,
    } = contrast;
    msg::Contrast {
        path: text(path),
        kind: text(kind.as_str()),
        unit: text(unit),
        value: text(value),
        statement: text(statement),
        effect,
        effect_low,
        success_count,
        failure_count,
        success_with_value,
        failure_with_value,
        success_range,
        failure_range,
    }
}
