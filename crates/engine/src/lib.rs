//! The engine: one door, and behind it one file an operation.
//!
//! It is told the time ([`Clock`]), where its file is ([`Config`]) and which model makes its
//! vectors ([`Embedder`]); of the world it takes nothing else but random session ids. All calls are
//! synchronous and may come from any thread. Writes run one after the other. Reads run side by side
//! and do not wait for a write to reach the disk, but for the first that names a context path, for
//! which an index is built.

#![warn(missing_docs)]

mod access;
mod arrival;
mod asked_events;
mod back_up;
mod backups;
mod beside;
mod beside_store;
mod check;
mod check_action;
mod clear_memories;
mod clock_state;
mod commit_turn;
mod compact_scope;
mod compare;
mod condense;
mod conflicts;
mod consolidate;
mod constraints;
mod control_job;
mod delete_memory;
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
mod listener;
mod lists;
mod load;
mod macro_summary;
mod maintenance_reports;
mod mend;
mod merge_branch;
mod micro_summary;
mod named_objects;
mod near;
mod new_memories;
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
mod transaction;
mod unlist;
mod unwritable;
mod update;
mod upkeep;
mod usage;
mod weeks;
mod working;

pub use clock_state::ClockState;
pub use error::{Error, Result};
pub use jobs::{
    Claim, CompactionSettings, Go, ImportFault, Importer, JobChanges, JobSettings, MachineClock,
    OnTopic, Pace,
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
pub use unwritable::StoreState;

use access::PendingAccesses;
use beside::Turns;
use clock_state::LastNow;
use constraints::KeptConstraints;
use jobs::JobQueue;
use known::Noted;
use maintenance_reports::ReportListeners;
use mend::Mending;
use named_objects::NamedObjects;
use new_memories::Listeners;
use queued::Waiting;
use replace::StagedFile;
use retention::Retention;
use robot_memory_chat::Chat;
use robot_memory_core::access::Access;
use robot_memory_core::api::{ApiError, ErrorKind, Operation, Texts};
use robot_memory_core::limits::WORDS_AT_OPEN_MAX;
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_db::{self as store, KnownBeside, Store};
use robot_memory_embedding::{EmbedError, Embedder};
use robot_memory_index::Derived;
use robot_memory_text::inference::Synonyms;
use schedule::NothingDue;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use unwritable::Fault;
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
    config: Config,
    access: Access,
    synonyms: Synonyms,
    clock: Arc<dyn Clock>,
    /// What the clock is held against.
    last_now: LastNow,
    store: Store,
    /// Which store it is, in all its copies; empty when it could not be read.
    store_id: Mutex<String>,
    derived: RwLock<Derived>,
    embedding: RwLock<Embedding>,
    /// Takes facts out of steps and sums them up, in the place of rules.
    chat: RwLock<Option<Arc<dyn Chat>>>,
    /// What the embedder said of the last text, when it failed.
    embed_fault: Mutex<Option<String>>,
    /// The last row that was looked at for a missing vector; 0 to begin anew.
    embed_after: AtomicI64,
    /// The last row whose signature of another version was made again.
    signatures_after: AtomicI64,
    accesses: Mutex<PendingAccesses>,
    blocked: RwLock<Option<String>>,
    /// What keeps the store from being written.
    fault: Fault,
    /// The writes that wait until it can be.
    waiting: Waiting,
    /// Bytes of the indexes of words and vectors when upkeep looked last.
    index_bytes: AtomicU64,
    /// What the indexes of words and vectors take, by what they took when they were given up.
    given_up: Mutex<GivenUp>,
    /// Whether it was told that an index is not built for lack of room.
    told_no_room: AtomicBool,
    /// Held while an index is being built beside the work.
    turns: Turns,
    listeners: Listeners,
    jobs: JobQueue,
    constraints: KeptConstraints,
    retention: Mutex<Retention>,
    reports: ReportListeners,
    nothing_due: NothingDue,
    /// Who imports bags, when somebody does.
    importer: RwLock<Option<Arc<dyn Importer>>>,
    mending: Mending,
    noted: Noted,
    named_objects: Arc<NamedObjects>,
    /// Set when the engine closes: long work stops.
    closing: AtomicBool,
}

enum Embedding {
    Loading,
    Off,
    Failed(String),
    Ready(Arc<dyn Embedder>),
}

/// What the configuration gives as text.
struct Told {
    synonyms: Synonyms,
    access: Access,
}

impl Told {
    fn read(config: &Config) -> std::result::Result<Self, OpenError> {
        let synonyms = match &config.synonyms {
            Some(text) => Synonyms::parse(text)?,
            None => Synonyms::shipped(),
        };
        let synonyms = synonyms.with_things();
        let access = match &config.access {
            Some(text) => Access::parse(text)?,
            None => Access::shipped(),
        };
        Ok(Self { synonyms, access })
    }
}

/// The vector of a text, and of which model it is.
struct Vector {
    model: String,
    components: Vec<f32>,
}

impl Engine {
    /// Opens the store, making it when there is none, and brings it to this version's schema.
    ///
    /// Fails when another process has the store open, when a later version wrote it, or when the
    /// file cannot be read; the file is then left as it was. A damaged file is put aside, and what can
    /// be read of it is saved into the new one ([`Engine::mended`]). One that is there and cannot be
    /// written now is read, until [`Engine::upkeep`] finds that it can be.
    pub fn open(
        config: Config,
        clock: Arc<dyn Clock>,
    ) -> std::result::Result<(Self, Opened), OpenError> {
        match Self::open_once(config.clone(), Arc::clone(&clock), None) {
            // Nothing has it open any more.
            Err(OpenError::Store(error)) if error.is_of_row() => {
                Self::open_once(config, clock, Some(&error.to_string()))
            }
            Err(OpenError::Store(store::Error::Corrupt(reason))) => {
                Self::open_once(config, clock, Some(&reason))
            }
            opened => opened,
        }
    }

    /// The same; with `damage`, why an attempt before it failed, the file is put aside first.
    fn open_once(
        config: Config,
        clock: Arc<dyn Clock>,
        damage: Option<&str>,
    ) -> std::result::Result<(Self, Opened), OpenError> {
        let mut config = config;
        let told = Told::read(&config)?;
        let bytes_max = config.store_bytes_max;
        let (store, found) = match damage {
            Some(reason) => Store::open_damaged(reason, &config.store_path, bytes_max)?,
            None => Store::open(&config.store_path, bytes_max)?,
        };
        let (store, found, derived) = match load::words_and_rows(&store) {
            Ok(derived) => (store, found, derived),
            Err(store::Error::Corrupt(reason)) if damage.is_none() => {
                drop(store);
                let (store, found) = Store::open_damaged(&reason, &config.store_path, bytes_max)?;
                let derived = load::words_and_rows(&store)?;
                (store, found, derived)
            }
            Err(error) => return Err(error.into()),
        };
        if found.missing_commits > 0 {
            log::error!(
                "{} commits that were answered are not in the store {}: its log lost its end, or an \
                 earlier copy was put in its place; their ids are not given again, and the newest backup \
                 may have them (docs/operations.md)",
                found.missing_commits,
                store.path().display()
            );
        }
        config.store_path = beside_store::resolved(&config.store_path, store.path());
        let mut memory_count =
            derived.rows.live().count() + store.read(|tx| tx.inactive_count())?;
        let newest_id = store.read(|tx| tx.newest_id())?;
        if let Some(aside) = &found.damaged_aside {
            retention::put_clips_aside(&config.store_path, aside);
        }
        let (last_run, unfinished) =
            store.read(|tx| Ok::<_, store::Error>((tx.run()?, tx.job_counts()?)))?;
        // One that could not be written as yet is counted when it can be.
        let run = if store.is_waiting() { last_run + 1 } else { last_run };
        let jobs = JobQueue::of(run, unfinished);
        let engine = Self::on(config, told, clock, store, derived, newest_id, jobs);
        jobs::remove_leftovers(&engine.config.store_path);
        StagedFile::remove_left(&engine.config.store_path);
        if let Some(aside) = engine.store.salvage_due() {
            // In a store that is used, what was damaged stays aside.
            match if memory_count == 0 { engine.take_over(&aside) } else { Ok(memory_count) } {
                Ok(count) => {
                    memory_count = count;
                    engine.store.salvage_done();
                }
                Err(error) => engine.tell_unsaved(&aside, &error),
            }
        }
        engine.open_queue();
        match &found.waits_for {
            Some(fault) => engine.fault.note(fault),
            None => engine.begin_run(),
        }
        let is_small = engine.derived().rows.live().count() <= WORDS_AT_OPEN_MAX;
        if is_small && engine.has_room_for_words() {
            engine.build_words().map_err(|error| match error {
                Error::Store(error) => error,
                Error::Api(error) => store::Error::Corrupt(error.message),
            })?;
        }
        engine.note_beside(true);
        let opened = Opened {
            damaged_aside: found.damaged_aside,
            unclean: found.unclean,
            memory_count,
            missing_commits: found.missing_commits,
        };
        Ok((engine, opened))
    }

    /// Opens a store only to read it, which another process may have in use: nothing is written or
    /// locked. Each call sees what was committed before it. Words and vectors are searched on disk.
    ///
    /// Fails when there is no store, or when it is not of this version: then the node must open it
    /// once.
    pub fn open_reading(
        config: Config,
        clock: Arc<dyn Clock>,
    ) -> std::result::Result<Self, OpenError> {
        let told = Told::read(&config)?;
        let store = Store::open_reading(&config.store_path)?;
        let config = Config { store_path: store.path().to_owned(), ..config };
        // What needs the facts of the rows loads them.
        Ok(Self::on(config, told, clock, store, Derived::behind(), i64::MAX, JobQueue::default()))
    }

    fn on(
        config: Config,
        Told { synonyms, access }: Told,
        clock: Arc<dyn Clock>,
        store: Store,
        derived: Derived,
        newest_id: i64,
        jobs: JobQueue,
    ) -> Self {
        // A store that cannot even be read tells so elsewhere.
        let last_now = store.read(LastNow::read).unwrap_or_else(|_| LastNow::at(None));
        let WriteQueueSettings { path, bytes_max } = &config.write_queue;
        let noted = Noted::of(KnownBeside::read(&config.store_path));
        let waiting = Waiting::at(path.as_deref(), &config.store_path, *bytes_max);
        Self {
            config,
            access,
            synonyms,
            clock,
            last_now,
            store_id: Mutex::new(store.read(|tx| tx.store_id()).unwrap_or_default()),
            store,
            derived: RwLock::new(derived),
            embedding: RwLock::new(Embedding::Loading),
            chat: RwLock::new(None),
            embed_fault: Mutex::new(None),
            embed_after: AtomicI64::new(0),
            signatures_after: AtomicI64::new(0),
            accesses: Mutex::default(),
            blocked: RwLock::new(None),
            fault: Fault::default(),
            waiting,
            index_bytes: AtomicU64::new(0),
            given_up: Mutex::default(),
            told_no_room: AtomicBool::new(false),
            turns: Turns::default(),
            listeners: Listeners::after(newest_id),
            jobs,
            constraints: KeptConstraints::default(),
            importer: RwLock::default(),
            retention: Mutex::default(),
            reports: ReportListeners::default(),
            nothing_due: NothingDue::default(),
            mending: Mending::default(),
            noted,
            named_objects: Arc::default(),
            closing: AtomicBool::new(false),
        }
    }

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

    /// Refuses writes with this reason, or allows them again.
    pub fn block_writes(&self, reason: Option<String>) {
        *self.blocked.write().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    /// Lets an endpoint take facts out of steps and sum them up; what it cannot do, and with `None` all of
    /// it, is done by rules.
    pub fn set_chat(&self, chat: Option<Arc<dyn Chat>>) {
        *self.chat.write().unwrap_or_else(PoisonError::into_inner) = chat;
    }

    fn chat(&self) -> Option<Arc<dyn Chat>> {
        self.chat.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The time now; `unavailable` while it is not known.
    fn now(&self) -> Result<Stamp> {
        self.clock.now().ok_or_else(|| {
            ApiError::unavailable("the time is not known yet: no message on /clock so far").into()
        })
    }

    /// The vector of a text; `None` when there is no embedder or it failed, which is logged when it
    /// begins and when it ends, and shown in [`Engine::health`].
    fn embed(&self, text: &str) -> Option<Vector> {
        self.vector_by(|embedder| embedder.embed(text))
    }

    /// The vector to search with for a query; `None` as for [`Engine::embed`].
    fn embed_query(&self, query: &str) -> Option<Vector> {
        self.vector_by(|embedder| embedder.embed_query(query))
    }

    fn vector_by(
        &self,
        embed: impl FnOnce(&dyn Embedder) -> std::result::Result<Vec<f32>, EmbedError>,
    ) -> Option<Vector> {
        let embedder = match &*self.embedding.read().unwrap_or_else(PoisonError::into_inner) {
            Embedding::Ready(embedder) => Arc::clone(embedder),
            Embedding::Loading | Embedding::Off | Embedding::Failed(_) => return None,
        };
        let embedded = embed(&*embedder);
        let mut fault = self.embed_fault.lock().unwrap_or_else(PoisonError::into_inner);
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

    fn store_id(&self) -> String {
        self.store_id.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The model of the vectors in use.
    fn model(&self) -> Option<String> {
        match &*self.embedding.read().unwrap_or_else(PoisonError::into_inner) {
            Embedding::Ready(embedder) => Some(embedder.model_id().to_owned()),
            Embedding::Loading | Embedding::Off | Embedding::Failed(_) => None,
        }
    }

    /// Whether a vector is of the model in use, with which alone it may be compared. While the indexes
    /// or the store are held, that is the model of the vectors in the index.
    fn is_in_use(&self, vector: &Vector) -> bool {
        self.model().as_ref() == Some(&vector.model)
    }

    fn derived(&self) -> RwLockReadGuard<'_, Derived> {
        self.derived.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn derived_mut(&self) -> RwLockWriteGuard<'_, Derived> {
        self.derived.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending_accesses(&self) -> MutexGuard<'_, PendingAccesses> {
        self.accesses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
