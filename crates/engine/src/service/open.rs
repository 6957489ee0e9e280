//! Opening a store, with all that begins then.

use super::index_bounds::IndexBounds;
use super::known::SideRecord;
use super::maintenance_reports::ReportListeners;
use super::queued::WaitingWrites;
use super::recovery::RecoveryState;
use super::replace::StagedFile;
use super::schedule::NothingDue;
use super::{jobs, retention, side_files};
use crate::db::{
    Db, Embedding, Fault, Followed, Indexes, JobQueue, LastNow, Listeners, Turns, load,
};
use crate::settings::WriteQueueSettings;
use crate::{Config, Engine, Error, OpenError, Operations};
use robot_memory_core::access::Access;
use robot_memory_core::limits::WORDS_AT_OPEN_MAX;
use robot_memory_core::model::Clock;
use robot_memory_db::{self as store, KnownBeside, Store};
use robot_memory_index::Derived;
use robot_memory_text::inference::Synonyms;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::sync::{Arc, Mutex, RwLock};

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

/// What the texts of the configuration say.
struct ParsedConfig {
    synonyms: Synonyms,
    access: Access,
}

impl ParsedConfig {
    fn read(config: &Config) -> Result<Self, OpenError> {
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

impl Engine {
    /// Opens the store, making it when there is none, and brings it to this version's schema.
    ///
    /// Fails when another process has the store open, when a later version wrote it, or when the
    /// file cannot be read; the file is then left as it was. A damaged file is put aside, and what can
    /// be read of it is saved into the new one ([`Engine::recovery_report`]). One that is there and cannot be
    /// written now is read, until [`Engine::upkeep`] finds that it can be.
    pub fn open(config: Config, clock: Arc<dyn Clock>) -> Result<(Self, Opened), OpenError> {
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
    ) -> Result<(Self, Opened), OpenError> {
        let mut config = config;
        let parsed = ParsedConfig::read(&config)?;
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
        config.store_path = side_files::resolved(&config.store_path, store.path());
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
        let engine = Self::on(config, parsed, clock, store, derived, newest_id, jobs);
        jobs::remove_leftovers(&engine.config.store_path);
        StagedFile::remove_left(&engine.config.store_path);
        if let Some(aside) = engine.store.salvage_due() {
            // In a store that is used, what was damaged stays aside.
            match if memory_count == 0 { engine.take_over(&aside) } else { Ok(memory_count) } {
                Ok(count) => {
                    memory_count = count;
                    engine.store.salvage_done();
                }
                Err(error) => engine.note_unsaved(&aside, &error),
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
    pub fn open_reading(config: Config, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let parsed = ParsedConfig::read(&config)?;
        let store = Store::open_reading(&config.store_path)?;
        let config = Config { store_path: store.path().to_owned(), ..config };
        // What needs the facts of the rows loads them.
        Ok(Self::on(config, parsed, clock, store, Derived::behind(), i64::MAX, JobQueue::default()))
    }

    fn on(
        config: Config,
        ParsedConfig { synonyms, access }: ParsedConfig,
        clock: Arc<dyn Clock>,
        store: Store,
        derived: Derived,
        newest_id: i64,
        jobs: JobQueue,
    ) -> Self {
        // A store that cannot even be read tells so elsewhere.
        let last_now = store.read(LastNow::read).unwrap_or_else(|_| LastNow::at(None));
        let WriteQueueSettings { path, bytes_max } = &config.write_queue;
        let noted = SideRecord::of(KnownBeside::read(&config.store_path));
        let waiting = WaitingWrites::at(path.as_deref(), &config.store_path, *bytes_max);
        let db = Db {
            config,
            clock,
            last_now,
            store_id: Mutex::new(store.read(|tx| tx.store_id()).unwrap_or_default()),
            store,
            indexes: Indexes::new(derived),
            embedding: RwLock::new(Embedding::Loading),
            embed_fault: Mutex::new(None),
            picture_embedding: RwLock::new(Embedding::Off),
            picture_fault: Mutex::new(None),
            accesses: Mutex::default(),
            blocked: RwLock::new(None),
            fault: Fault::default(),
            turns: Turns::default(),
            listeners: Listeners::after(newest_id, access.policy.topics()),
            jobs,
            constraints: Followed::default(),
            attempts: Followed::default(),
            lessons_due: AtomicBool::new(false),
            has_checked_lessons: AtomicBool::new(false),
            closing: AtomicBool::new(false),
        };
        Self {
            operations: Operations::on(db, access, synonyms),
            embed_after: AtomicI64::new(0),
            signatures_after: AtomicI64::new(0),
            waiting,
            index_bounds: IndexBounds::default(),
            importer: RwLock::default(),
            retention: Mutex::default(),
            reports: ReportListeners::default(),
            nothing_due: NothingDue::default(),
            recovery: RecoveryState::default(),
            noted,
        }
    }
}
