//! Each operation's spelling as a ROS 2 service or action, and the messages of topics.
//!
//! Conversions take structs fully apart, so that a new field does not compile until this face has
//! decided about it. Most are made from the declarations in the engine's `api` and `model`.

mod actions;
mod convert;
mod messages;
mod operations;

use r2r::WrappedServiceTypeSupport;
use robot_memory_core::api::{ApiError, Operation};

/// An operation as a ROS 2 service.
pub(super) trait Wire: Operation<Request: Send, Response: Send> + 'static {
    /// The service's type.
    type Srv: WrappedServiceTypeSupport<Request: Send, Response: Send> + 'static;

    /// From a message to the engine's request. What the engine checks is not checked here.
    ///
    /// # Errors
    /// When the message says something that the request has no room for.
    fn decode(
        message: <Self::Srv as WrappedServiceTypeSupport>::Request,
    ) -> Result<Self::Request, ApiError>;

    /// From what became of it to a message.
    fn encode(
        outcome: Result<Self::Response, ApiError>,
    ) -> <Self::Srv as WrappedServiceTypeSupport>::Response;
}

pub(super) use actions::{
    ActionResult, ActionWire, Feedback, Goal, ImportWire, MaintainWire, RebuildWire, ResultParts,
};
pub(super) use convert::{ToMessage, text};
pub(super) use messages::{job_event, maintenance_report, memory_event};

#[cfg(test)]
pub(super) mod tests;
