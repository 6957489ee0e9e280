//! An engine to measure, with the model that a node has and a clock that can be set.

use crate::Result;
use robot_memory::config::Settings;
use robot_memory_core::api::{EndSession, EndSessionRequest, StartSession, StartSessionRequest};
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_embedding::locate::{ModelChoice, cache_dir, model_folder, onnxruntime_library};
use robot_memory_embedding::{Embedder, OnnxEmbedder, OnnxOptions};
use robot_memory_engine::{Config, Engine};
use std::env;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Nothing depends on when it is.
const START: Stamp = Stamp::from_secs(1_750_000_000);

/// A clock that stands until it is moved.
pub struct SetClock(AtomicI64);

impl SetClock {
    /// When a robot begins.
    pub fn at_start() -> Self {
        Self(AtomicI64::new(START.0))
    }

    /// Lets days pass.
    pub fn sleep_days(&self, days: f64) {
        let now = Stamp(self.0.load(Ordering::SeqCst)).plus_days(days);
        self.0.store(now.0, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Option<Stamp> {
        Some(Stamp(self.0.load(Ordering::SeqCst)))
    }
}

/// An engine on a store of its own.
pub struct Robot {
    /// The engine.
    pub engine: Engine,
    /// Its clock.
    pub clock: Arc<SetClock>,
}

impl Robot {
    /// Opens a store, making it when there is none. There are no vectors until
    /// [`Engine::set_embedder`].
    pub fn open(store_path: &Path) -> Result<Self> {
        let clock = Arc::new(SetClock::at_start());
        let config = Config::at(store_path);
        let (engine, _) = Engine::open(config, Arc::clone(&clock) as Arc<dyn Clock>)?;
        Ok(Self { engine, clock })
    }

    /// An episode in which nothing is learned.
    pub fn live_through_a_session(&self) -> Result<()> {
        let started = self.engine.call::<StartSession>(StartSessionRequest::default())?;
        let session_id = started.session_id;
        let request = EndSessionRequest { session_id, ..Default::default() };
        self.engine.call::<EndSession>(request)?;
        Ok(())
    }
}

/// Loads the embedding model that `scripts/assets` fetched.
pub fn load_model() -> Result<Arc<dyn Embedder>> {
    const MISSING: &str = "there is no embedding model: run scripts/setup";
    let cache = cache_dir(|name| env::var_os(name));
    let ModelChoice::Folder(model_dir) = model_folder("", None, cache.as_deref()) else {
        return Err(MISSING.into());
    };
    let environment = env::var_os("ORT_DYLIB_PATH");
    let onnxruntime =
        onnxruntime_library("", environment.as_deref(), None, cache.as_deref()).ok_or(MISSING)?;
    // As the node has it when nobody sets a parameter.
    let threads = usize::try_from(Settings::default().model_threads)?;
    let options = OnnxOptions { model_dir, onnxruntime, threads, parallel: 1 };
    Ok(Arc::new(OnnxEmbedder::load(&options)?))
}
