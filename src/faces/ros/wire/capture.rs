use super::{Wire, failure, text};
use r2r::robot_memory::srv::Capture as srv;
use robot_memory_core::api::{ApiError, Capture, CaptureRequest, CaptureResponse};

/// Capture.srv
pub(in crate::faces::ros) struct CaptureWire;

impl Wire for CaptureWire {
    type Op = Capture;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<CaptureRequest, ApiError> {
        let srv::Request { reason, streams, before_secs, after_secs, agent } = message;
        Ok(CaptureRequest { reason, streams, before_secs, after_secs, agent })
    }

    fn encode(outcome: Result<CaptureResponse, ApiError>) -> srv::Response {
        let CaptureResponse { event_id, memory_ids } = match outcome {
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
            event_id: text(event_id),
            memory_ids,
        }
    }
}
