use super::job::scope_state;
use super::{Wire, failure, text};
use r2r::robot_memory::srv::ListScopes as srv;
use robot_memory_core::api::{ApiError, ListScopes, ListScopesRequest, ListScopesResponse};

/// ListScopes.srv
pub(in crate::faces::ros) struct ListScopesWire;

impl Wire for ListScopesWire {
    type Op = ListScopes;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<ListScopesRequest, ApiError> {
        let srv::Request { scope, scope_id, sort_by, sort_order, limit, offset, agent } = message;
        Ok(ListScopesRequest { scope, scope_id, sort_by, sort_order, limit, offset, agent })
    }

    fn encode(outcome: Result<ListScopesResponse, ApiError>) -> srv::Response {
        let ListScopesResponse { scopes, total, has_more, limit, offset, sort_by, sort_order } =
            match outcome {
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
            scopes: scopes.into_iter().map(scope_state).collect(),
            total,
            has_more,
            limit,
            offset,
            sort_by: text(sort_by),
            sort_order: text(sort_order),
        }
    }
}
