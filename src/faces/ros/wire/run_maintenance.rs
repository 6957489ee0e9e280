use super::{Wire, failure, text};
use r2r::robot_memory::srv::RunMaintenance as srv;
use robot_memory_core::api::{ApiError, QueuedResponse, RunMaintenance, RunMaintenanceRequest};

/// RunMaintenance.srv
pub(in crate::faces::ros) struct RunMaintenanceWire;

impl Wire for RunMaintenanceWire {
    type Op = RunMaintenance;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<RunMaintenanceRequest, ApiError> {
        let srv::Request { mode, scope, scope_id, dry_run, agent } = message;
        Ok(RunMaintenanceRequest { mode, scope, scope_id, dry_run, agent })
    }

    fn encode(outcome: Result<QueuedResponse, ApiError>) -> srv::Response {
        let QueuedResponse { job_id, created, scope } = match outcome {
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
            job_id,
            created,
            scope: scope.kind().to_owned(),
            scope_id: text(scope.id()),
        }
    }
}
