use super::db::StoreState;
use super::jobs::JobSettings;
use super::queued::WriteQueueHealth;
use super::retention::EventsHealth;
use super::settings::{BackupSettings, MaintenanceSettings, WriteQueueSettings};
use robot_memory_core::access::AccessError;
use robot_memory_core::model::Scope;
use robot_memory_db as store;
use robot_memory_text::inference::SynonymError;
use std::path::PathBuf;

/// What the engine is told once, when it opens.
#[derive(Debug, Clone)]
pub struct Config {
    /// The store's file. Its folder is made when it is missing.
    pub store_path: PathBuf,
    /// The collection of requests that name none.
    pub default_collection: String,
    /// The scope of requests that name none; `None`: writes that name none are refused, searches
    /// that name none see what everybody sees.
    pub default_scope: Option<Scope>,
    /// `real`, `sim`, or empty: written into `context.env.sim_or_real` of rows that do not say.
    pub sim_or_real: String,
    /// Whether requests without an agent are refused.
    pub require_agent: bool,
    /// The store's greatest size; 0: no limit. Writes beyond it are refused.
    pub store_bytes_max: u64,
    /// Bytes that the indexes of words and vectors may take in memory; 0: no limit. An index that
    /// would take more is not built, and its searches read the disk.
    pub index_bytes_max: u64,
    /// Bytes that events may take, with their clips; 0: no limit. Beyond it upkeep deletes the least
    /// important, oldest of them.
    pub events_bytes_max: u64,
    /// Bytes that clips may take; beyond it upkeep deletes the oldest. 0: what is there stays.
    pub clips_bytes_max: u64,
    /// Which words mean the same, as the text of such a file; `None`: as shipped.
    pub synonyms: Option<String>,
    /// Who may read and write what, and what is never stored, as the text of such a file
    /// ([`Access::parse`](robot_memory_core::access::Access::parse)); `None`: as shipped.
    pub access: Option<String>,
    /// How background jobs are done.
    pub jobs: JobSettings,
    /// How memories are looked after.
    pub maintenance: MaintenanceSettings,
    /// When and where the store is copied.
    pub backups: BackupSettings,
    /// Where writes wait that the store cannot take.
    pub write_queue: WriteQueueSettings,
}

impl Config {
    /// The default of everything but where the store is.
    pub fn at(store_path: impl Into<PathBuf>) -> Self {
        Self {
            store_path: store_path.into(),
            default_collection: "default".into(),
            default_scope: Some(Scope::Global),
            sim_or_real: String::new(),
            require_agent: false,
            store_bytes_max: 0,
            index_bytes_max: 0,
            events_bytes_max: 0,
            clips_bytes_max: 0,
            synonyms: None,
            access: None,
            jobs: JobSettings::default(),
            maintenance: MaintenanceSettings::default(),
            backups: BackupSettings::default(),
            write_queue: WriteQueueSettings::default(),
        }
    }
}

/// What opening found out of the ordinary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opened {
    /// Where a damaged store was put aside; the store is a new one, with what could be saved.
    pub damaged_aside: Option<PathBuf>,
    /// Whether the last run ended without closing the store.
    pub unclean: bool,
    /// Memories in the store, of any status.
    pub memory_count: u64,
    /// Commits that an earlier run answered and that are not there: the log lost its end, or an earlier
    /// copy was put in the store's place.
    pub missing_commits: u64,
}

/// Why an engine could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The store could not be opened.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The synonyms cannot be read.
    #[error("synonyms: {0}")]
    Synonyms(#[from] SynonymError),
    /// The access policy cannot be read.
    #[error("access policy: {0}")]
    Access(#[from] AccessError),
}

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
    /// Active memories that wait for a vector; 0 while their index is being built.
    pub missing_vectors: u64,
    /// Whether searches use the indexes in memory; else they are exact, and slower, on disk.
    pub indexes_ready: bool,
    /// Bytes of the indexes in memory.
    pub index_bytes: u64,
    /// Bytes of the store's file and its log.
    pub store_bytes: u64,
    /// Commits that were answered by an earlier run and are not there.
    pub missing_commits: u64,
    /// Why writes are refused, when they are.
    pub writes_blocked: Option<String>,
    /// Whether the store takes writes.
    pub store: StoreState,
    /// The writes that wait until it does.
    pub write_queue: WriteQueueHealth,
    /// Access counts that were dropped because too many waited.
    pub dropped_accesses: u64,
    /// New memories that who listens was not told of, because too many waited.
    pub untold_memories: u64,
    /// What streams made memories of.
    pub events: EventsHealth,
    /// The background jobs.
    pub jobs: JobsHealth,
}

/// How the background jobs are doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobsHealth {
    /// Jobs that wait for a worker, or for one before them.
    pub pending: u64,
    /// Jobs that workers have.
    pub held: u64,
    /// Jobs that failed and wait to be tried again.
    pub retry_waiting: u64,
    /// Jobs that failed for good, of those that are remembered.
    pub dead_letter: u64,
    /// Changes of jobs that who listens was not told of, because too many waited.
    pub untold: u64,
}
