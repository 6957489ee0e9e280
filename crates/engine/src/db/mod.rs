//! The floor that operations stand on: the store, the indexes that follow it, the right to write, the
//! clock and the embedder.
//!
//! [`Db::view`] reads one snapshot of both, [`Db::write`] changes both, or neither. It calls no
//! operation, and nothing that runs by itself.

mod accesses;
mod attempts;
mod beside;
mod clock_state;
mod constraints;
mod fault;
mod followed;
mod indexes;
mod job_queue;
mod listener;
mod listeners;
pub(crate) mod load;
mod pictures;
mod row_words;
mod transaction;
mod write_tx;

pub(crate) use accesses::PendingAccesses;
pub(crate) use attempts::attempts_among;
#[cfg(test)]
pub(crate) use beside::tests::engine;
pub(crate) use beside::{SlotTable, Turns};
pub use clock_state::ClockState;
pub(crate) use clock_state::LastNow;
pub(crate) use fault::Fault;
pub use fault::StoreState;
pub(crate) use followed::Followed;
pub(crate) use indexes::Indexes;
pub(crate) use job_queue::JobQueue;
pub use job_queue::{JobChanges, JobsHealth};
pub(crate) use listener::ListenerSet;
pub use listener::Subscription;
pub(crate) use listeners::Listeners;
pub(crate) use pictures::PictureQuery;
pub(crate) use row_words::{row_tokens, with_names};
pub(crate) use transaction::Outcome;
pub(crate) use write_tx::WriteTx;

use crate::{Config, Error, Result};
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_db::{Locked, RwLocked, Store};
use robot_memory_embedding::{EmbedError, Embedder, PictureEmbedder};
use robot_memory_index::Derived;
use robot_memory_text::experience::KnownAttempts;
use robot_memory_text::guard::Constraints;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, RwLock};

/// The store and what is derived from it, of one revision.
pub struct Db {
    pub(crate) config: Config,
    pub(crate) clock: Arc<dyn Clock>,
    /// What the clock is held against.
    pub(crate) last_now: LastNow,
    pub(crate) store: Store,
    /// Which store it is, in all its copies; empty when it could not be read.
    pub(crate) store_id: Mutex<String>,
    pub(crate) indexes: Indexes,
    pub(crate) embedding: RwLock<Embedding>,
    /// What the embedder said of the last text, when it failed.
    pub(crate) embed_fault: Mutex<Option<String>>,
    pub(crate) picture_embedding: RwLock<Embedding<dyn PictureEmbedder>>,
    /// What the model of pictures said of the last picture or query, when it failed.
    pub(crate) picture_fault: Mutex<Option<String>>,
    pub(crate) accesses: Mutex<PendingAccesses>,
    pub(crate) blocked: RwLock<Option<String>>,
    /// What keeps the store from being written.
    pub(crate) fault: Fault,
    /// Held while an index is being built beside the work.
    pub(crate) turns: Turns,
    pub(crate) listeners: Listeners,
    pub(crate) jobs: JobQueue,
    pub(crate) constraints: Followed<Constraints>,
    pub(crate) attempts: Followed<KnownAttempts>,
    /// Set when an attempt ended: its lessons may be others.
    pub(crate) lessons_due: AtomicBool,
    /// Whether the stored lessons were held against the attempts of this run.
    pub(crate) has_checked_lessons: AtomicBool,
    /// Set when the engine closes: long work stops.
    pub(crate) closing: AtomicBool,
}

pub(crate) enum Embedding<E: ?Sized = dyn Embedder> {
    Loading,
    Off,
    Failed(String),
    Ready(Arc<E>),
}

impl<E: ?Sized> Embedding<E> {
    /// What became of loading it: `Ok(None)` when none is wanted.
    pub(crate) fn of(outcome: Result<Option<Arc<E>>, String>) -> Self {
        match outcome {
            Ok(Some(embedder)) => Self::Ready(embedder),
            Ok(None) => Self::Off,
            Err(reason) => Self::Failed(reason),
        }
    }

    /// The embedder, when it is there.
    pub(crate) fn ready(&self) -> Option<Arc<E>> {
        match self {
            Self::Ready(embedder) => Some(Arc::clone(embedder)),
            Self::Loading | Self::Off | Self::Failed(_) => None,
        }
    }
}

/// The vector of a text, and of which model it is.
pub(crate) struct Vector {
    pub model: String,
    pub components: Vec<f32>,
}

impl Db {
    /// Refuses writes with this reason, or allows them again.
    pub fn block_writes(&self, reason: Option<String>) {
        *self.blocked.write_locked() = reason;
    }

    /// The time now; `unavailable` while it is not known.
    pub(crate) fn now(&self) -> Result<Stamp> {
        self.clock.now().ok_or_else(|| {
            Error::unavailable("the time is not known yet: no message on /clock so far")
        })
    }

    /// The vector of a text; `None` when there is no embedder or it failed, which is logged when it
    /// begins and when it ends, and shown in [`health`](crate::Engine::health).
    pub(crate) fn embed(&self, text: &str) -> Option<Vector> {
        self.vector_by(|embedder| embedder.embed(text))
    }

    /// The vector to search with for a query; `None` as for [`Db::embed`].
    pub(crate) fn embed_query(&self, query: &str) -> Option<Vector> {
        self.vector_by(|embedder| embedder.embed_query(query))
    }

    pub(crate) fn vector_by(
        &self,
        embed: impl FnOnce(&dyn Embedder) -> Result<Vec<f32>, EmbedError>,
    ) -> Option<Vector> {
        let embedder = self.embedding.read_locked().ready()?;
        let embedded = embed(&*embedder);
        let mut fault = self.embed_fault.locked();
        match embedded {
            Ok(components) => {
                if fault.take().is_some() {
                    log::info!("texts can be embedded again");
                }
                Some(Vector { model: embedder.model_id().to_owned(), components })
            }
            Err(error) => {
                if fault.replace(error.to_string()).is_none() {
                    log::warn!("a text could not be embedded, words alone serve for it: {error}");
                }
                None
            }
        }
    }

    pub(crate) fn store_id(&self) -> String {
        self.store_id.locked().clone()
    }

    /// The model of the vectors in use.
    pub(crate) fn model(&self) -> Option<String> {
        self.embedding.read_locked().ready().map(|embedder| embedder.model_id().to_owned())
    }

    /// Whether a vector is of the model in use, with which alone it may be compared. While the indexes
    /// or the store are held, that is the model of the vectors in the index.
    pub(crate) fn is_in_use(&self, vector: &Vector) -> bool {
        self.model().as_ref() == Some(&vector.model)
    }

    /// The newest version of the indexes: it does not change under who holds it.
    pub(crate) fn derived(&self) -> Arc<Derived> {
        self.indexes.newest()
    }

    /// Makes the next version of the indexes. Only who changes them, too, waits for it.
    pub(crate) fn change_indexes<T>(&self, change: impl FnOnce(&mut Derived) -> T) -> T {
        self.indexes.change(change)
    }
}
