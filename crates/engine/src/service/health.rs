//! How the engine is doing.

use super::pictures::PicturesHealth;
use super::queued::WriteQueueHealth;
use super::retention::EventsHealth;
use crate::Engine;
use crate::db::{Embedding, JobsHealth, StoreState};
use robot_memory_core::api::ApiError;
use robot_memory_db::{Locked, RwLocked};

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
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    pub embedder: EmbedderState,
    pub pictures: PicturesHealth,
    pub active_count: u64,
    /// Active memories that wait for a vector; 0 while their index is being built.
    pub missing_vectors: u64,
    /// Whether searches use the indexes in memory; else they are exact, and slower, on disk.
    pub indexes_ready: bool,
    /// Bytes of the indexes in memory.
    pub index_bytes: u64,
    /// Bytes of the store's file and its log.
    pub store_bytes: u64,
    /// Bytes of the log alone.
    pub log_bytes: u64,
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
    pub unpublished_memories: u64,
    /// What streams made memories of.
    pub events: EventsHealth,
    pub jobs: JobsHealth,
}

impl Engine {
    /// How it is doing.
    pub fn health(&self) -> Result<Health, ApiError> {
        let embedder = match &*self.embedding.read_locked() {
            Embedding::Loading => EmbedderState::Loading,
            Embedding::Off => EmbedderState::Off,
            Embedding::Failed(reason) => EmbedderState::Failed(reason.clone()),
            Embedding::Ready(embedder) => {
                let fault = self.embed_fault.locked();
                match &*fault {
                    Some(fault) => EmbedderState::Failed(fault.clone()),
                    None => EmbedderState::Ready(embedder.model_id().to_owned()),
                }
            }
        };
        let derived = self.derived();
        let live = derived.rows.live();
        let active_count = live.count();
        let missing_vectors = derived
            .vectors
            .as_ref()
            .map_or(0, |vectors| active_count - vectors.present().intersection_count(live));
        let words_ready = derived.words.is_some();
        let vectors_ready = derived.vectors.is_some() || self.model().is_none();
        let pictures_ready = derived.pictures.is_some() || self.picture_embedder().is_none();
        drop(derived);
        Ok(Health {
            missing_vectors,
            indexes_ready: words_ready && vectors_ready && pictures_ready,
            index_bytes: self.index_bounds.bytes(),
            embedder,
            pictures: self.pictures_health(),
            active_count,
            store_bytes: self.store.bytes(),
            log_bytes: self.store.log_bytes(),
            store: self.store_state(),
            missing_commits: self.store.missing_commits(),
            write_queue: self.queue_health(),
            writes_blocked: self.blocked.read_locked().clone(),
            dropped_accesses: self.accesses.locked().dropped(),
            unpublished_memories: self.listeners.dropped(),
            events: self.events_health(),
            jobs: self.jobs_health(),
        })
    }
}
