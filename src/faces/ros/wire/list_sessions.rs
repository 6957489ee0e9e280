use super::session::session;
use super::{Wire, failure};
use r2r::robot_memory::srv::ListSessions as srv;
use robot_memory_core::api::{ApiError, ListSessions, ListSessionsRequest, ListSessionsResponse};

/// ListSessions.srv
pub(in crate::faces::ros) struct ListSessionsWire;

impl Wire for ListSessionsWire {
    type Op = ListSessions;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<ListSessionsRequest, ApiError> {
        let srv::Request { collection, status, limit, offset, agent } = message;
        Ok(ListSessionsRequest { collection, status, limit, offset, agent })
    }

    fn encode(outcome: Result<ListSessionsResponse, ApiError>) -> srv::Response {
        let ListSessionsResponse { sessions, total, has_more } = match outcome {
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
            sessions: sessions.into_iter().map(session).collect(),
            total,
            has_more,
        }
    }
}
