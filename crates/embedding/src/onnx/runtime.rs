//! The ONNX Runtime library of this process.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ort::environment::Environment;
use ort::logging::LogLevel;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;

use super::LoadError;

/// A process can load one ONNX Runtime, once, and cannot let go of it.
static LOADED: Mutex<Option<Runtime>> = Mutex::new(None);

/// A loaded library.
#[derive(Clone)]
pub struct Runtime {
    library: PathBuf,
    environment: Environment,
}

impl Runtime {
    /// Loads the library, or takes the one that was loaded from the same file before.
    pub fn load(library: &Path) -> Result<Self, LoadError> {
        // ort takes a path that is not absolute as relative to the executable.
        let library =
            library.canonicalize().map_err(|_| LoadError::NoLibrary { path: library.into() })?;
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = &*loaded {
            return if runtime.library == library {
                Ok(runtime.clone())
            } else {
                Err(LoadError::OtherLibrary { path: library, loaded: runtime.library.clone() })
            };
        }
        // Every other function of ort panics when the library is missing or too old; this one
        // tells, and it comes first.
        let environment = ort::init_from(&library)
            .map_err(|error| load_error(&library, error))?
            .with_telemetry(false)
            .with_logger(Arc::new(log_message))
            .build()
            .map_err(|error| LoadError::Library {
                path: library.clone(),
                reason: error.to_string(),
            })?;
        environment.set_log_level(LogLevel::Warning);
        Ok(loaded.insert(Runtime { library, environment }).clone())
    }

    /// A session that runs a model on `threads` threads, which sleep between two runs.
    pub fn session(&self, model: &Path, threads: usize) -> ort::Result<Session> {
        Session::builder(&self.environment)?
            .with_optimization_level(GraphOptimizationLevel::All)?
            .with_deterministic_compute(true)?
            .with_intra_threads(threads)?
            .with_inter_threads(1)?
            .with_intra_op_spinning(false)?
            .with_log_level(LogLevel::Warning)?
            .commit_from_file(model)
    }
}

fn load_error(library: &Path, error: ort::LoadDynamicError) -> LoadError {
    let path = library.to_path_buf();
    match error {
        ort::LoadDynamicError::BadVersion { version_str: version, .. } => {
            LoadError::OldLibrary { path, version, minor_min: ort::MINOR_VERSION }
        }
        // The linker's own words are in the source.
        ort::LoadDynamicError::Dlopen { error, .. } => {
            let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            LoadError::Library { path, reason }
        }
        ort::LoadDynamicError::MissingApi { .. } => {
            LoadError::Library { path, reason: "it is another library".into() }
        }
        other => LoadError::Library { path, reason: other.to_string() },
    }
}

/// Passes on what ONNX Runtime says. Its warnings are about how a graph was optimized, which is of
/// no use to who runs a robot; an error is returned to the caller as well.
fn log_message(level: LogLevel, _category: &str, _id: &str, _location: &str, message: &str) {
    log::log!(target: "robot_memory::onnxruntime", match level {
        LogLevel::Fatal | LogLevel::Error => log::Level::Warn,
        LogLevel::Warning | LogLevel::Info | LogLevel::Verbose => log::Level::Debug,
    }, "{message}");
}
