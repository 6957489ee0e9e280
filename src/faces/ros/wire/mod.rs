//! Each operation's spelling as a ROS 2 service: one file an operation.
//!
//! Conversions take structs fully apart, so that a new field does not compile until this face has
//! decided about it.

mod actions;
mod backup;
mod cancel_job;
mod capture;
mod check_action;
mod clear_memories;
mod commit_turn;
mod compact_scope;
mod compare;
mod delete_memory;
mod end_session;
mod forget;
mod get_job;
mod get_memory;
mod get_session;
mod job;
mod learn;
mod ledger_entry;
mod limit;
mod list_collections;
mod list_jobs;
mod list_levels;
mod list_scopes;
mod list_sessions;
mod maintenance_report;
mod memory;
mod memory_change;
mod memory_event;
mod merge_branch;
mod rebuild_scope;
mod recall;
mod restore_memory;
mod retry_job;
mod run_maintenance;
mod save_perception;
mod session;
mod start_session;
mod status;
mod turn_source;
mod update;

use r2r::builtin_interfaces::msg::Time;
use r2r::{WrappedServiceTypeSupport, robot_memory::msg};
use robot_memory_core::api::{ApiError, KeyCount, Operation};
use robot_memory_core::model::Stamp;
use std::fmt::Display;

/// An operation as a ROS 2 service.
pub(super) trait Wire: 'static {
    /// What is asked of the engine.
    type Op: Operation<Request: Send, Response: Send>;
    /// The service's type.
    type Srv: WrappedServiceTypeSupport<Request: Send, Response: Send> + 'static;

    /// From a message to the engine's request. What the engine checks is not checked here.
    ///
    /// # Errors
    /// When the message says something that the request has no room for.
    fn decode(
        message: <Self::Srv as WrappedServiceTypeSupport>::Request,
    ) -> Result<<Self::Op as Operation>::Request, ApiError>;

    /// From what became of it to a message.
    fn encode(
        outcome: Result<<Self::Op as Operation>::Response, ApiError>,
    ) -> <Self::Srv as WrappedServiceTypeSupport>::Response;
}

/// Text for a message. A ROS string ends at its first zero byte, and r2r refuses one: it becomes
/// the replacement character.
pub(super) fn text(text: impl Into<String>) -> String {
    let text = text.into();
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

fn texts(texts: Vec<String>) -> Vec<String> {
    texts.into_iter().map(text).collect()
}

/// The spelling of a value, empty when there is none.
fn spelling<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// `error_code` and `error` of a call that failed.
fn failure(ApiError { kind, message }: ApiError) -> (String, String) {
    (kind.as_str().to_owned(), text(message))
}

/// The value of a field that a flag says is given. Without the flag the field is empty: a value there
/// was meant, and leaving it out would answer another question than was asked.
fn given<T: Default + PartialEq + Display>(
    field: &str,
    has: bool,
    value: T,
) -> Result<Option<T>, ApiError> {
    if !has && value != T::default() {
        return Err(ApiError::invalid_argument(format!(
            "{field}: {value} is given, but has_{field} is false; set it to true, or leave both out"
        )));
    }
    Ok(has.then_some(value))
}

/// Zero when there is none.
fn time(stamp: Option<Stamp>) -> Time {
    let (sec, nanosec) = stamp.map(Stamp::to_parts).unwrap_or_default();
    Time { sec, nanosec }
}

/// None when zero.
fn stamp(Time { sec, nanosec }: Time) -> Option<Stamp> {
    (sec != 0 || nanosec != 0).then(|| Stamp::from_parts(sec, nanosec))
}

fn key_counts(counts: Vec<KeyCount>) -> Vec<msg::KeyCount> {
    counts
        .into_iter()
        .map(|KeyCount { key, count }| msg::KeyCount { key: text(key), count })
        .collect()
}

pub(super) use actions::{
    ActionResult, ActionWire, Feedback, Goal, ImportWire, MaintainWire, RebuildWire, ResultParts,
};
pub(super) use backup::{BackupWire, RestoreBackupWire};
pub(super) use cancel_job::CancelJobWire;
pub(super) use capture::CaptureWire;
pub(super) use check_action::CheckActionWire;
pub(super) use clear_memories::ClearMemoriesWire;
pub(super) use commit_turn::CommitTurnWire;
pub(super) use compact_scope::CompactScopeWire;
pub(super) use compare::CompareWire;
pub(super) use delete_memory::DeleteMemoryWire;
pub(super) use end_session::EndSessionWire;
pub(super) use forget::ForgetWire;
pub(super) use get_job::GetJobWire;
pub(super) use get_memory::GetMemoryWire;
pub(super) use get_session::GetSessionWire;
pub(super) use job::job_event;
pub(super) use learn::LearnWire;
pub(super) use list_collections::ListCollectionsWire;
pub(super) use list_jobs::ListJobsWire;
pub(super) use list_levels::ListLevelsWire;
pub(super) use list_scopes::ListScopesWire;
pub(super) use list_sessions::ListSessionsWire;
pub(super) use maintenance_report::maintenance_report;
pub(super) use memory_event::memory_event;
pub(super) use merge_branch::MergeBranchWire;
pub(super) use rebuild_scope::RebuildScopeWire;
pub(super) use recall::RecallWire;
pub(super) use restore_memory::RestoreMemoryWire;
pub(super) use retry_job::RetryJobWire;
pub(super) use run_maintenance::RunMaintenanceWire;
pub(super) use save_perception::SavePerceptionWire;
pub(super) use start_session::StartSessionWire;
pub(super) use status::StatusWire;
pub(super) use update::UpdateWire;

#[cfg(test)]
pub(super) mod tests;
