//! A robot to test with: an engine on a store in a temporary folder, at a time that the test sets.

use robot_memory_core::api::{
    EndSession, EndSessionRequest, EndSessionResponse, ErrorKind, Learn, LearnRequest,
    LearnResponse, Operation, Recall, RecallRequest, RecallResponse, SavePerception,
    SavePerceptionRequest, StartSession, StartSessionRequest,
};
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_embedding::{EmbedError, Embedder, HashedEmbedder};
use robot_memory_engine::{Config, Engine, OpenError, Opened, Run};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// Noon of a summer day; nothing depends on which.
pub const START: Stamp = Stamp::from_secs(1_750_000_000);
/// Length of the test embedder's vectors.
pub const DIMENSION: usize = 64;

/// A clock that stands until it is moved; before the first time it knows none.
#[derive(Default)]
pub struct SetClock(AtomicI64);

impl SetClock {
    pub fn set(&self, stamp: Stamp) {
        self.0.store(stamp.0, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Option<Stamp> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            nanos => Some(Stamp(nanos)),
        }
    }
}

/// A real embedder that can be made to fail.
pub struct FragileEmbedder {
    inner: HashedEmbedder,
    broken: Arc<AtomicBool>,
}

impl Embedder for FragileEmbedder {
    fn model_id(&self) -> &str {
        self.inner.model_id()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(EmbedError("it was unplugged".into()));
        }
        self.inner.embed(text)
    }
}

/// An embedder of a model of its own that tells when it is asked, and answers when it is let.
pub struct HeldEmbedder {
    inner: HashedEmbedder,
    asked: Mutex<Sender<()>>,
    let_go: Mutex<Receiver<()>>,
}

impl HeldEmbedder {
    /// The embedder, what tells that it was asked, and what lets it answer once.
    pub fn new() -> (Arc<Self>, Receiver<()>, Sender<()>) {
        let (asked, was_asked) = channel();
        let (go, let_go) = channel();
        let inner = HashedEmbedder::new(DIMENSION);
        let held = Self { inner, asked: Mutex::new(asked), let_go: Mutex::new(let_go) };
        (Arc::new(held), was_asked, go)
    }
}

impl Embedder for HeldEmbedder {
    fn model_id(&self) -> &str {
        "held"
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.asked.lock().expect("a lock").send(()).expect("somebody listens");
        self.let_go.lock().expect("a lock").recv().expect("somebody lets it go");
        let mut vector = self.inner.embed(text)?;
        vector.reverse();
        Ok(vector)
    }
}

pub struct Robot {
    /// Shared with the faces of a test that has some.
    pub engine: Arc<Engine>,
    pub opened: Opened,
    pub clock: Arc<SetClock>,
    pub embedder_broken: Arc<AtomicBool>,
    folder: Arc<TempDir>,
}

impl Robot {
    /// With an embedder.
    pub fn new() -> Self {
        let robot = Self::words_only();
        robot.plug_in_embedder();
        robot
    }

    /// Without an embedder.
    pub fn words_only() -> Self {
        Self::with(|_| {})
    }

    /// Without an embedder, configured.
    pub fn with(configure: impl FnOnce(&mut Config)) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        Self::at(Arc::new(folder), configure)
    }

    pub fn at(folder: Arc<TempDir>, configure: impl FnOnce(&mut Config)) -> Self {
        let clock = Arc::new(SetClock::default());
        clock.set(START);
        let mut config = config(&folder.path().join("memory.db"));
        configure(&mut config);
        let (engine, opened) =
            Engine::open(config, Arc::clone(&clock) as Arc<dyn Clock>).expect("the store opens");
        let engine = Arc::new(engine);
        Self { engine, opened, clock, embedder_broken: Arc::default(), folder }
    }

    /// Closes the store and opens it again, with an embedder when it had one.
    pub fn restart(self) -> Self {
        let had_embedder = self.has_embedder();
        self.engine.close().expect("it closes");
        self.again(had_embedder)
    }

    /// Opens the store again without having closed it.
    pub fn pull_the_plug(self) -> Self {
        let had_embedder = self.has_embedder();
        self.again(had_embedder)
    }

    /// The same, configured otherwise, without an embedder.
    pub fn pull_the_plug_with(self, configure: impl FnOnce(&mut Config)) -> Self {
        self.again_with(false, configure)
    }

    /// Closes the store and opens it again, configured otherwise, without an embedder.
    pub fn restart_with(self, configure: impl FnOnce(&mut Config)) -> Self {
        self.engine.close().expect("it closes");
        self.again_with(false, configure)
    }

    fn again(self, with_embedder: bool) -> Self {
        self.again_with(with_embedder, |_| {})
    }

    fn again_with(self, with_embedder: bool, configure: impl FnOnce(&mut Config)) -> Self {
        let Self { engine, clock, folder, .. } = self;
        let now = clock.now();
        drop(engine);
        let robot = Self::at(folder, configure);
        if let Some(now) = now {
            robot.clock.set(now);
        }
        if with_embedder {
            robot.plug_in_embedder();
        }
        robot
    }

    fn has_embedder(&self) -> bool {
        let health = self.engine.health().expect("health");
        matches!(health.embedder, robot_memory_engine::EmbedderState::Ready(_))
    }

    pub fn plug_in_embedder(&self) {
        let embedder = FragileEmbedder {
            inner: HashedEmbedder::new(DIMENSION),
            broken: Arc::clone(&self.embedder_broken),
        };
        self.engine.set_embedder(Ok(Some(Arc::new(embedder)))).expect("the embedder is taken");
    }

    pub fn store_path(&self) -> PathBuf {
        self.folder.path().join("memory.db")
    }

    pub fn clock_now(&self) -> Stamp {
        self.clock.now().expect("the clock was set")
    }

    /// Lets days pass.
    pub fn sleep_days(&self, days: f64) {
        let now = self.clock.now().expect("the clock was set");
        self.clock.set(now.plus_days(days));
    }

    pub fn call<Op: Operation>(&self, request: Op::Request) -> Op::Response
    where
        Engine: Run<Op>,
    {
        match self.engine.call::<Op>(request) {
            Ok(response) => response,
            Err(error) => panic!("{} failed: {error}", Op::NAME),
        }
    }

    /// The kind and message of a call that must fail.
    pub fn refused<Op: Operation>(&self, request: Op::Request) -> (ErrorKind, String)
    where
        Engine: Run<Op>,
    {
        match self.engine.call::<Op>(request) {
            Ok(_) => panic!("{} succeeded", Op::NAME),
            Err(error) => (error.kind, error.message),
        }
    }

    pub fn learn(&self, insight: &str) -> LearnResponse {
        self.call::<Learn>(LearnRequest { insight: insight.into(), ..Default::default() })
    }

    /// Learns what is no duplicate and answers its id.
    pub fn learn_with(&self, insight: &str, context: &str) -> i64 {
        let response = self.call::<Learn>(LearnRequest {
            insight: insight.into(),
            context: context.into(),
            ..Default::default()
        });
        assert_ne!(response.memory_id, 0, "{insight} is a duplicate of {}", response.existing_id);
        response.memory_id
    }

    pub fn learn_in(&self, session_id: &str, insight: &str) -> i64 {
        let response = self.call::<Learn>(LearnRequest {
            insight: insight.into(),
            session_id: session_id.into(),
            ..Default::default()
        });
        assert_ne!(response.memory_id, 0, "{insight} is a duplicate of {}", response.existing_id);
        response.memory_id
    }

    pub fn perceive(&self, description: &str, context: &str) -> i64 {
        self.call::<SavePerception>(SavePerceptionRequest {
            description: description.into(),
            context: context.into(),
            ..Default::default()
        })
        .memory_id
    }

    pub fn recall(&self, query: &str) -> RecallResponse {
        self.call::<Recall>(RecallRequest { query: query.into(), ..Default::default() })
    }

    pub fn start_session(&self) -> String {
        self.call::<StartSession>(StartSessionRequest::default()).session_id
    }

    pub fn end_session(&self, session_id: &str) -> EndSessionResponse {
        self.call::<EndSession>(EndSessionRequest {
            session_id: session_id.into(),
            ..Default::default()
        })
    }

    /// The confidence of a row as Recall shows it, whatever it is.
    pub fn confidence(&self, id: i64) -> f64 {
        let everything = self.call::<Recall>(RecallRequest {
            collections: vec!["*".into()],
            until: Some(Stamp(i64::MAX)),
            min_confidence: 0.0,
            n: 100,
            ..Default::default()
        });
        let hit = everything.memories.iter().find(|hit| hit.memory.id == id);
        hit.unwrap_or_else(|| panic!("memory {id} is not recalled")).memory.confidence
    }
}

/// The configuration that tests begin with.
pub fn config(store_path: &Path) -> Config {
    Config::at(store_path)
}

/// Opens a store that may not open.
pub fn open(store_path: &Path) -> Result<(Engine, Opened), OpenError> {
    let clock = Arc::new(SetClock::default());
    clock.set(START);
    Engine::open(config(store_path), clock)
}

/// The ids of an answer's memories, in order.
pub fn ids(response: &RecallResponse) -> Vec<i64> {
    response.memories.iter().map(|hit| hit.memory.id).collect()
}

/// The version of the schema that this program writes: each step has a file.
pub fn newest_schema() -> i64 {
    let steps = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/db/src/schema");
    i64::try_from(std::fs::read_dir(steps).expect("the steps").count()).expect("few")
}

/// One value of the store's file, read beside the engine.
pub fn sql<T: rusqlite::types::FromSql>(store_path: &Path, query: &str) -> T {
    let connection = rusqlite::Connection::open(store_path).expect("the file opens");
    connection.query_row(query, [], |row| row.get(0)).expect("the query answers one row")
}
