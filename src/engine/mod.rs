//! The engine: one door, and behind it one file an operation.
//!
//! It is told the time ([`Clock`]), where its file is ([`Config`]) and which model makes its
//! vectors ([`Embedder`]); it looks at nothing else. All calls are synchronous and may come from
//! any thread: reads run side by side and never wait for a write to reach the disk, writes run one
//! after the other.

use crate::api::{self, ApiError, Operation};
use crate::embedding::Embedder;
use crate::model::{Clock, Scope};
use std::path::PathBuf;
use std::sync::Arc;

/// What the engine is told once, when it opens.
#[derive(Debug, Clone)]
pub struct Config {
    /// The store's file. Its folder is made when it is missing.
    pub store_path: PathBuf,
    /// The collection of requests that name none.
    pub default_collection: String,
    /// The scope of requests that name none.
    pub default_scope: Scope,
    /// `real`, `sim`, or empty: written into `context.env.sim_or_real` of rows that do not say.
    pub sim_or_real: String,
    /// Whether requests without an agent are refused.
    pub require_agent: bool,
    /// The store's greatest size; 0: no limit. Writes beyond it are refused.
    pub store_bytes_max: u64,
}

/// One operation, run.
pub trait Run<Op: Operation> {
    /// Does it.
    fn run(&self, request: Op::Request) -> Result<Op::Response, ApiError>;
}

/// What opening found out of the ordinary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opened {
    /// Where a damaged store was put aside; the store is a new, empty one.
    pub damaged_aside: Option<PathBuf>,
    /// Whether the last run ended without closing the store.
    pub unclean: bool,
    /// Memories in the store, of any status.
    pub memory_count: u64,
}

/// Why the store could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OpenError(pub String);

/// How the vectors are doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbedderState {
    /// The model is still being loaded.
    Loading,
    /// Words only, because the configuration says so.
    Off,
    /// Vectors are made by the model of this id.
    Ready(String),
    /// There is no model: why.
    Failed(String),
}

/// How the engine is doing, for a status display.
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    /// The embedder.
    pub embedder: EmbedderState,
    /// Active memories.
    pub active_count: u64,
    /// Active memories that wait for a vector.
    pub missing_vectors: u64,
    /// Bytes of the store's file.
    pub store_bytes: u64,
    /// Why writes are refused, when they are.
    pub writes_blocked: Option<String>,
    /// Access counts that were dropped because too many waited.
    pub dropped_accesses: u64,
}

/// The memory of one robot, open.
pub struct Engine {
    _config: Config,
    _clock: Arc<dyn Clock>,
}

impl Engine {
    /// Opens the store, making it when there is none, and brings it to this version's schema.
    pub fn open(config: Config, clock: Arc<dyn Clock>) -> Result<(Self, Opened), OpenError> {
        Ok((Self { _config: config, _clock: clock }, Opened::default()))
    }

    /// Does one operation. What it answers with `Ok` is on disk; with an error nothing was changed.
    pub fn call<Op: Operation>(&self, request: Op::Request) -> Result<Op::Response, ApiError>
    where
        Self: Run<Op>,
    {
        self.run(request)
    }

    /// Tells how texts become vectors from now on.
    pub fn set_embedder(
        &self,
        _embedder: Result<Option<Arc<dyn Embedder>>, String>,
    ) -> Result<(), ApiError> {
        Ok(())
    }

    /// Refuses writes with this reason, or allows them again.
    pub fn block_writes(&self, _reason: Option<String>) {}

    /// Does a little of the work that no caller waits for: writes the access counts of recalled
    /// rows, fills in missing vectors. Answers whether there is more to do at once.
    pub fn upkeep(&self) -> Result<bool, ApiError> {
        Ok(false)
    }

    /// How it is doing.
    pub fn health(&self) -> Result<Health, ApiError> {
        Ok(Health {
            embedder: EmbedderState::Loading,
            active_count: 0,
            missing_vectors: 0,
            store_bytes: 0,
            writes_blocked: None,
            dropped_accesses: 0,
        })
    }

    /// Writes what waits and closes the store. Calls after it are refused with `unavailable`.
    pub fn close(&self) -> Result<(), ApiError> {
        Ok(())
    }
}

macro_rules! stub { ($($op:ident),*) => { $(
    impl Run<api::$op> for Engine {
        fn run(&self, _request: <api::$op as Operation>::Request) -> Result<<api::$op as Operation>::Response, ApiError> {
            Err(ApiError::unavailable("not yet"))
        }
    })* } }
stub!(
    Learn,
    Recall,
    SavePerception,
    Forget,
    Update,
    StartSession,
    EndSession,
    ListSessions,
    GetSession
);
