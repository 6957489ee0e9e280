//! The memory: one file an operation, on [`Db`], the store with its indexes. It knows no ROS.
//!
//! The time is given to it ([`Clock`](robot_memory_core::model::Clock)), where its file is ([`Config`])
//! and which model makes its vectors ([`Embedder`](robot_memory_embedding::Embedder)); of the world it
//! takes nothing else but random session ids. All calls are synchronous and may come from any thread.
//! Writes run one after the other. Reads run side by side, each on a version of the indexes that does
//! not change, and wait for no write.
//!
//! ```
//! use robot_memory_core::api::{Learn, LearnRequest, Recall, RecallRequest};
//! use robot_memory_core::model::{Clock, Stamp};
//! use robot_memory_engine::{Config, Engine};
//! use std::sync::Arc;
//!
//! struct Noon;
//! impl Clock for Noon {
//!     fn now(&self) -> Option<Stamp> {
//!         Some(Stamp::from_secs(1_750_000_000))
//!     }
//! }
//!
//! let folder = tempfile::tempdir()?;
//! let (engine, _) = Engine::open(Config::at(folder.path().join("memory.db")), Arc::new(Noon))?;
//! let insight = "The red cup slips below 12.5 N".to_owned();
//! engine.call::<Learn>(LearnRequest { insight, ..Default::default() })?;
//! let query = "red cup".to_owned();
//! let found = engine.call::<Recall>(RecallRequest { query, ..Default::default() })?;
//! assert_eq!(found.memories[0].memory.content, "The red cup slips below 12.5 N");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod arrival;
mod asked_events;
mod back_up;
mod backups;
mod beside_store;
mod chat;
mod check;
mod check_action;
mod clear_memories;
mod commit_turn;
mod compact_scope;
mod compare;
mod condense;
mod conflicts;
mod consolidate;
mod control_job;
mod db;
mod delete_memory;
mod deletion;
mod duplicates;
mod elsewhere;
mod end_session;
mod error;
mod everything;
mod experiences;
mod export;
mod fade;
mod fade_collection;
mod forget;
mod get_memory;
mod hold;
mod inferred;
mod jobs;
mod judgment;
mod known;
mod learn;
mod levels;
mod list_jobs;
mod lists;
mod macro_summary;
mod maintenance_reports;
mod mend;
mod merge_branch;
mod micro_summary;
mod named_objects;
mod near;
mod new_memories;
mod open;
mod places;
mod plan;
mod put;
mod queue_work;
mod queued;
mod queued_event;
mod recall;
mod record;
mod replace;
mod replay;
mod report;
mod restore_backup;
mod restore_memory;
mod retention;
mod reworded;
mod said_twice;
mod save_perception;
mod schedule;
mod search;
mod secrets;
mod session_context;
mod sessions;
mod settings;
mod sharing_words;
mod sight;
mod signatures;
mod start_session;
mod state;
mod stats;
mod status;
mod supersede;
mod suspected;
mod unlist;
mod unwritable;
mod update;
mod upkeep;
mod usage;
mod vectors;
mod weeks;
mod working;

pub use db::{ClockState, Db, JobChanges, StoreState};
pub use error::{Error, Result};
pub use jobs::{
    Claim, CompactionSettings, Go, ImportFault, Importer, JobSettings, MachineClock, OnTopic, Pace,
};
pub use maintenance_reports::{MaintenanceReport, MaintenanceReports};
pub use mend::Mended;
pub use new_memories::{NewMemories, NewMemory};
pub use places::Place;
pub use queued::WriteQueueHealth;
pub use record::{Recorded, Recording};
pub use retention::EventsHealth;
pub use robot_memory_core::jobs::{DailyAt, WeeklyAt};
pub use schedule::ScheduleState;
pub use secrets::Secrets;
pub use settings::{BackupSettings, MaintenanceSettings, WriteQueueSettings};
pub use state::{Config, EmbedderState, Health, JobsHealth, OpenError, Opened};

use db::{Embedding, Vector};
use known::Noted;
use maintenance_reports::ReportListeners;
use mend::Mending;
use named_objects::NamedObjects;
use queued::Waiting;
use retention::Retention;
use robot_memory_chat::Chat;
use robot_memory_core::access::Access;
use robot_memory_core::api::{ApiError, ErrorKind, Operation, Texts};
use robot_memory_text::inference::Synonyms;
use schedule::NothingDue;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use upkeep::GivenUp;

/// Bytes of the texts of a request of which a copy is kept, for when it meets a bad row.
const REPEATED_BYTES_MAX: usize = 64 * 1024;

/// One operation, run.
pub trait Run<Op: Operation> {
    /// Does it.
    fn run(&self, request: Op::Request) -> Result<Op::Response>;
}

/// The memory of one robot, open.
pub struct Engine {
    db: Db,
    access: Access,
    synonyms: Synonyms,
    /// Takes facts out of steps and sums them up, in the place of rules.
    chat: RwLock<Option<Arc<dyn Chat>>>,
    /// The last row that was looked at for a missing vector; 0 to begin anew.
    embed_after: AtomicI64,
    /// The last row whose signature of another version was made again.
    signatures_after: AtomicI64,
    /// The writes that wait until the store can be written.
    waiting: Waiting,
    /// Bytes of the indexes of words and vectors when upkeep looked last.
    index_bytes: AtomicU64,
    /// What the indexes of words and vectors take, by what they took when they were given up.
    given_up: Mutex<GivenUp>,
    /// Whether it was told that an index is not built for lack of room.
    told_no_room: AtomicBool,
    retention: Mutex<Retention>,
    reports: ReportListeners,
    nothing_due: NothingDue,
    /// Who imports bags, when somebody does.
    importer: RwLock<Option<Arc<dyn Importer>>>,
    mending: Mending,
    noted: Noted,
    named_objects: Arc<NamedObjects>,
}

/// What reads and writes without anything that runs by itself.
impl Deref for Engine {
    type Target = Db;

    fn deref(&self) -> &Db {
        &self.db
    }
}

impl Engine {
    /// Does one operation, unless its request holds what is never stored. What it answers with `Ok`
    /// is on disk; with an error nothing was changed (but by ClearMemories, whose error says how far
    /// it came).
    pub fn call<Op: Operation>(
        &self,
        request: Op::Request,
    ) -> std::result::Result<Op::Response, ApiError>
    where
        Self: Run<Op>,
    {
        // What is too long is not even looked at.
        let admitted = check::lengths(&request).and_then(|()| self.secrets().check(&request));
        let outcome = match admitted {
            Ok(()) => self.run_mending::<Op>(request),
            Err(refused) => Err(refused.into()),
        };
        outcome.map_err(|error| {
            let error = ApiError::from(error).shortened();
            match error.kind {
                ErrorKind::Internal => log::error!("{}: {}", Op::NAME, error.message),
                ErrorKind::Unavailable => log::warn!("{}: {}", Op::NAME, error.message),
                _ => log::debug!("{}: {}", Op::NAME, error.kind),
            }
            error
        })
    }

    /// Does it, and once more when it met a bad row and that was mended at once. Of a long request no copy
    /// is kept for that: its caller is asked to call again.
    fn run_mending<Op: Operation>(&self, request: Op::Request) -> Result<Op::Response>
    where
        Self: Run<Op>,
    {
        let bytes: usize = request.texts().map(|(_, given)| given.as_str().len()).sum();
        let again = (bytes <= REPEATED_BYTES_MAX).then(|| request.clone());
        match (self.run(request), again) {
            (Err(Error::Store(fault)), again) if self.follow_fault(&fault) => match again {
                Some(again) => self.run(again),
                None => {
                    Err(ApiError::unavailable("a damaged row was met and mended: call again")
                        .into())
                }
            },
            (outcome, _) => outcome,
        }
    }
}
