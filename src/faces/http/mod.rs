//! The HTTP face: JSON in and out, for those who do not speak ROS.
//!
//! One thread accepts, reads and writes; what a request asks for waits in the queues of the node's services,
//! a bounded number at a time, so that callers over HTTP cannot hold up those over ROS.

mod answers;
mod bodies;
mod events;
mod guard;
mod jobs_api;
mod listener;
mod logins;
mod metrics;
mod openapi;
mod operations;
mod page;
mod problem;
mod rest;
mod routes;
mod stall;
pub mod tokens;
mod traffic;

#[cfg(feature = "mcp")]
pub(super) use guard::Caller;
pub use listener::HttpServer;
#[cfg(feature = "mcp")]
pub(super) use routes::App;

use super::calls::CallCounts;
use super::engine_slot::EngineSlot;
use super::work_queue::WorkQueue;
use robot_memory_core::api::{ApiError, CaptureRequest, CaptureResponse};
use robot_memory_engine::Engine;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Calls that may wait in each queue of a program that serves nobody else.
const WAITING_MAX: usize = 1_000;

/// What the face is told.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// Where it listens, `127.0.0.1:8080`.
    pub address: String,
    /// Names that requests may be addressed to beside that address.
    pub hosts: Vec<String>,
    /// Whether callers on this computer need no token.
    pub is_open: bool,
    /// The file of tokens.
    pub tokens_path: PathBuf,
    /// Requests that a caller may make.
    pub requests_per_second_max: f64,
    /// Whether there is a link by which a person logs in as the operator, once.
    pub login_link: bool,
}

/// Takes what a capture came to.
pub(super) type CaptureAnswer = Box<dyn FnOnce(Result<CaptureResponse, ApiError>) + Send>;
/// Orders a capture of whoever hears the streams.
pub(super) type OrderCapture = Arc<dyn Fn(CaptureRequest, CaptureAnswer) + Send + Sync>;

/// What is counted of a stream of the node, since it began to be heard.
#[cfg_attr(not(feature = "ros"), allow(dead_code))]
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StreamNumbers {
    /// Its name.
    pub stream: String,
    /// Messages that came.
    pub received: u64,
    /// Messages that were not looked at, by the reason.
    pub dropped: Vec<(&'static str, u64)>,
    /// Events by what made them.
    pub events: Vec<(&'static str, u64)>,
    /// Events by what became of them.
    pub outcomes: Vec<(&'static str, u64)>,
}

/// Tells how the streams are doing.
pub(super) type TellStreams = Arc<dyn Fn() -> Vec<StreamNumbers> + Send + Sync>;

/// What the face calls.
pub struct HttpTarget {
    pub(super) engine: EngineSlot,
    pub(super) reads: Arc<WorkQueue>,
    pub(super) writes: Arc<WorkQueue>,
    /// Threads that work on each.
    pub(super) read_workers: usize,
    pub(super) write_workers: usize,
    /// `None`: nobody hears streams.
    pub(super) capture: Option<OrderCapture>,
    /// Those of all faces.
    pub(super) calls: Arc<CallCounts>,
    /// `None`: nobody hears streams.
    pub(super) streams: Option<TellStreams>,
}

impl HttpTarget {
    /// The engine and the queues of a node.
    #[cfg(feature = "ros")]
    pub(super) fn new(
        engine: &EngineSlot,
        (reads, read_workers): (&Arc<WorkQueue>, usize),
        (writes, write_workers): (&Arc<WorkQueue>, usize),
        capture: OrderCapture,
        calls: &Arc<CallCounts>,
        streams: TellStreams,
    ) -> Self {
        let (reads, writes) = (Arc::clone(reads), Arc::clone(writes));
        let (engine, capture) = (engine.clone(), Some(capture));
        let (calls, streams) = (Arc::clone(calls), Some(streams));
        Self { engine, reads, writes, read_workers, write_workers, capture, calls, streams }
    }

    /// An engine that nobody else calls, with so many threads that read; one writes.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn alone(engine: Arc<Engine>, readers: usize) -> io::Result<Self> {
        let slot = EngineSlot::default();
        slot.set(Some(engine));
        let reads = WorkQueue::new("reads", WAITING_MAX);
        let writes = WorkQueue::new("writes", WAITING_MAX);
        reads.open(readers)?;
        writes.open(1)?;
        // Nobody else calls it: none is left free.
        let (read_workers, write_workers) = (readers + 1, 2);
        let (capture, calls, streams) = (None, Arc::default(), None);
        let engine = slot;
        Ok(Self { engine, reads, writes, read_workers, write_workers, capture, calls, streams })
    }
}
