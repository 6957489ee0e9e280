//! The ways to rank that are compared, and the robot that is asked.

use crate::Result;
use crate::material::{Question, Set};
use robot_memory::config::Settings;
use robot_memory_core::api::{
    DeleteMemory, DeleteMemoryRequest, Hit, Recall, RecallRequest, SavePerception,
    SavePerceptionRequest, StartSession, StartSessionRequest,
};
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_embedding::locate::{ModelChoice, cache_dir, model_folder, onnxruntime_library};
use robot_memory_embedding::{EmbedError, Embedder, OnnxEmbedder, OnnxOptions};
use robot_memory_engine::{Config, Engine};
use std::collections::{BTreeMap, HashMap};
use std::env;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::TempDir;

/// How many memories a question asks for.
const N: usize = 10;
/// Minute 0; nothing depends on when it is.
const START: Stamp = Stamp::from_secs(1_750_000_000);

/// A way to rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// BM25: an engine that has no model.
    Words,
    /// BM25 over a row's words and those beside it.
    Beside,
    /// Cosine with every memory.
    Vectors,
    /// `ranking: rrf`.
    Rrf,
    /// `ranking: default`.
    Final,
}

impl Method {
    /// All.
    pub const EACH: [Self; 5] = [Self::Words, Self::Beside, Self::Vectors, Self::Rrf, Self::Final];

    /// As the table calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "words (BM25)",
            Self::Beside => "and those beside (BM25F)",
            Self::Vectors => "vectors (cosine)",
            Self::Rrf => "plain RRF",
            Self::Final => "final",
        }
    }
}

/// An engine that was taught a set, at first without a model.
pub struct Robot {
    engine: Engine,
    names: BTreeMap<i64, String>,
    _folder: TempDir,
}

impl Robot {
    /// Stores a set through the engine's own operations, each memory at its minute.
    pub fn taught(set: &Set) -> Result<Self> {
        let folder = TempDir::new()?;
        let clock = Arc::new(SetClock(AtomicI64::new(START.0)));
        let engine = open(&folder.path().join("memory.db"), &clock)?;
        engine.set_embedder(Ok(None))?;
        let mut sessions: HashMap<&str, String> = HashMap::new();
        let mut names = BTreeMap::new();
        for memory in &set.memories {
            clock.0.store(at(memory.minute).0, Ordering::SeqCst);
            let session_id = match sessions.get(memory.session.as_str()) {
                Some(session_id) => session_id.clone(),
                None => {
                    let request = StartSessionRequest::default();
                    let session_id = engine.call::<StartSession>(request)?.session_id;
                    sessions.insert(&memory.session, session_id.clone());
                    session_id
                }
            };
            let context = match memory.context.is_empty() {
                true => String::new(),
                false => serde_json::to_string(&memory.context)?,
            };
            // Learn would merge what is alike; a perception is kept whatever it says.
            let saved = engine.call::<SavePerception>(SavePerceptionRequest {
                description: memory.text.clone(),
                context,
                session_id,
                ..Default::default()
            })?;
            if saved.truncated {
                return Err(format!("{}: {} is too long", set.name, memory.name).into());
            }
            names.insert(saved.memory_id, memory.name.clone());
        }
        Ok(Self { engine, names, _folder: folder })
    }

    /// Gives all memories their vectors.
    pub fn take_model(&self, model: &Arc<Remembering>) -> Result<()> {
        self.engine.set_embedder(Ok(Some(Arc::clone(model) as Arc<dyn Embedder>)))?;
        while self.engine.upkeep()? {}
        match self.engine.health()?.missing_vectors {
            0 => Ok(()),
            missing => Err(format!("{missing} memories have no vector").into()),
        }
    }

    /// The names of the best memories by a `ranking`, best first, at most ten.
    pub fn recall(&self, question: &Question, ranking: &str) -> Result<Vec<String>> {
        let request = RecallRequest { ranking: ranking.into(), ..asking(question) };
        Ok(self.hits(request)?.into_iter().map(|(name, _)| name).collect())
    }

    /// The names of the best memories for a query while these texts are stored as well, named by their numbers.
    pub fn recall_beside(&self, texts: &[&str], query: &str) -> Result<Vec<String>> {
        let mut added = BTreeMap::new();
        for (text, number) in texts.iter().zip(0_u32..) {
            let description = (*text).to_owned();
            let saved = self.engine.call::<SavePerception>(SavePerceptionRequest {
                description,
                ..Default::default()
            })?;
            added.insert(saved.memory_id, number.to_string());
        }
        let request = RecallRequest { query: query.into(), n: N as u32, ..Default::default() };
        let answer = self.engine.call::<Recall>(request)?;
        for &memory_id in added.keys() {
            self.engine
                .call::<DeleteMemory>(DeleteMemoryRequest { memory_id, ..Default::default() })?;
        }
        let name = |hit: Hit| {
            let id = hit.memory.id;
            added.get(&id).or_else(|| self.names.get(&id)).cloned().unwrap_or_default()
        };
        Ok(answer.memories.into_iter().map(name).collect())
    }

    /// The hits of a request, each with the name of its memory.
    pub fn hits(&self, request: RecallRequest) -> Result<Vec<(String, Hit)>> {
        let answer = self.engine.call::<Recall>(request)?;
        let named = |hit: Hit| match self.names.get(&hit.memory.id) {
            Some(name) => Ok((name.clone(), hit)),
            None => Err("a memory that nobody stored".into()),
        };
        answer.memories.into_iter().map(named).collect()
    }
}

/// The names of the memories whose vectors are most similar to a question's, at most ten: by brute
/// force, beside the engine.
pub fn most_similar(set: &Set, model: &Remembering, question: &Question) -> Result<Vec<String>> {
    let query = model.embed(&question.text)?;
    let mut all = Vec::new();
    for memory in set.memories.iter().filter(|memory| question.admits(memory.minute)) {
        let vector = model.embed(&memory.text)?;
        let cosine: f32 = vector.iter().zip(&query).map(|(a, b)| a * b).sum();
        all.push((&memory.name, cosine));
    }
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(all.into_iter().take(N).map(|(name, _)| name.clone()).collect())
}

/// The request that asks a question, for ten memories.
pub fn asking(question: &Question) -> RecallRequest {
    RecallRequest {
        query: question.text.clone(),
        n: N as u32,
        since: question.since_minute.map(at),
        until: question.until_minute.map(at),
        ..Default::default()
    }
}

fn at(minute: f64) -> Stamp {
    START.plus_days(minute / (24.0 * 60.0))
}

fn open(store_path: &Path, clock: &Arc<SetClock>) -> Result<Engine> {
    let config = Config::at(store_path.to_owned());
    let clock = Arc::clone(clock) as Arc<dyn Clock>;
    Ok(Engine::open(config, clock)?.0)
}

/// An engine with a model that does jobs, on a store of its own.
pub fn working(store_path: &Path, model: &Arc<Remembering>) -> Result<Engine> {
    let mut config = Config::at(store_path.to_owned());
    config.jobs.has_workers = true;
    let clock = Arc::new(SetClock(AtomicI64::new(START.0))) as Arc<dyn Clock>;
    let engine = Engine::open(config, clock)?.0;
    engine.set_embedder(Ok(Some(Arc::clone(model) as Arc<dyn Embedder>)))?;
    Ok(engine)
}

/// A clock that stands until it is moved.
struct SetClock(AtomicI64);

impl Clock for SetClock {
    fn now(&self) -> Option<Stamp> {
        Some(Stamp(self.0.load(Ordering::SeqCst)))
    }
}

/// The model, which reads each text only once.
pub struct Remembering {
    model: OnnxEmbedder,
    vectors: Mutex<HashMap<String, Vec<f32>>>,
}

impl Embedder for Remembering {
    fn model_id(&self) -> &str {
        self.model.model_id()
    }

    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    fn embed(&self, text: &str) -> std::result::Result<Vec<f32>, EmbedError> {
        let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = vectors.get(text) {
            return Ok(vector.clone());
        }
        let vector = self.model.embed(text)?;
        vectors.insert(text.to_owned(), vector.clone());
        Ok(vector)
    }

    fn embed_query(&self, query: &str) -> std::result::Result<Vec<f32>, EmbedError> {
        self.model.embed_query(query)
    }
}

/// Loads the embedding model that `scripts/assets` fetched. Without it nothing can be said of the
/// ranking, so that its absence is a failure.
pub fn load_model() -> Result<Arc<Remembering>> {
    const MISSING: &str =
        "there is no embedding model, so the ranking cannot be judged: run scripts/setup engine";
    let cache = cache_dir(|name| env::var_os(name));
    let other = env::var("ROBOT_MEMORY_MODEL_DIR").unwrap_or_default();
    let ModelChoice::Folder(model_dir) = model_folder(&other, None, cache.as_deref()) else {
        return Err(MISSING.into());
    };
    let environment = env::var_os("ORT_DYLIB_PATH");
    let onnxruntime =
        onnxruntime_library("", environment.as_deref(), None, cache.as_deref()).ok_or(MISSING)?;
    let threads = usize::try_from(Settings::default().model_threads)?;
    let options = OnnxOptions { model_dir, onnxruntime, threads, parallel: 1 };
    let model = OnnxEmbedder::load(&options).map_err(|error| format!("{MISSING} ({error})"))?;
    Ok(Arc::new(Remembering { model, vectors: Mutex::default() }))
}
