//! Loading the embedding model, which takes longer than the rest of the start.

use super::paths::Folders;
use crate::config::Settings;
use crate::embedding::locate::{self, ModelChoice};
use crate::embedding::{Embedder, OnnxEmbedder, OnnxOptions};
use crate::engine::Engine;
use log::Level;
use std::env;
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::sync::Arc;

/// Texts that are embedded at a time: one takes the shipped model a millisecond or two, and a
/// second session would hold its weights a second time.
const PARALLEL: usize = 1;

/// Loads the model that the settings name, and tells the engine what became of it.
pub(super) fn load_into(engine: &Engine, settings: &Settings, folders: &Folders) {
    let outcome = catch_unwind(|| load(settings, folders))
        .unwrap_or_else(|_logged_by_the_panic_hook| Err("a fault while loading it".to_owned()));
    let (level, news) = match &outcome {
        Ok(Some(embedder)) => (Level::Info, format!("embedding with {}", embedder.model_id())),
        Ok(None) => (Level::Info, "no model is wanted, recall goes by words only".to_owned()),
        Err(reason) => (Level::Error, format!("no model, recall goes by words only: {reason}")),
    };
    match engine.set_embedder(outcome) {
        Ok(()) => log::log!(level, "{news}"),
        Err(error) => log::warn!("the embedder was not taken: {error}"),
    }
}

fn load(settings: &Settings, folders: &Folders) -> Result<Option<Arc<dyn Embedder>>, String> {
    let expand = |name: &str, path: &str| {
        folders
            .expand(path)
            .ok_or_else(|| format!("parameter {name} is {path}, and HOME is not set"))
            .map(|path| path.to_string_lossy().into_owned())
    };
    let model_dir = expand("model_dir", &settings.model_dir)?;
    let onnxruntime_path = expand("onnxruntime_path", &settings.onnxruntime_path)?;
    let share_dir = share_dir();
    let cache_dir = locate::cache_dir(|name| env::var_os(name));
    let (share_dir, cache_dir) = (share_dir.as_deref(), cache_dir.as_deref());
    let model_dir = match locate::model_folder(&model_dir, share_dir, cache_dir) {
        ModelChoice::Folder(folder) => folder,
        ModelChoice::WordsOnly if model_dir == "none" => return Ok(None),
        ModelChoice::WordsOnly => {
            return Err("no folder is known that may have the shipped model".to_owned());
        }
    };
    let environment = env::var_os("ORT_DYLIB_PATH");
    let onnxruntime = locate::onnxruntime_library(
        &onnxruntime_path,
        environment.as_deref(),
        share_dir,
        cache_dir,
    )
    .ok_or("no folder is known that may have the ONNX Runtime library")?;
    let options = OnnxOptions {
        model_dir,
        onnxruntime,
        threads: usize::try_from(settings.model_threads).unwrap_or(1),
        parallel: PARALLEL,
    };
    let embedder = OnnxEmbedder::load(&options).map_err(|error| error.to_string())?;
    Ok(Some(Arc::new(embedder)))
}

/// The package's share folder: of the installed program, else of the first ROS prefix that has one.
fn share_dir() -> Option<PathBuf> {
    let installed = env::current_exe().ok().and_then(|program| {
        // <prefix>/lib/robot_memory/memory_node
        Some(program.parent()?.parent()?.parent()?.to_owned())
    });
    let sourced = env::var_os("AMENT_PREFIX_PATH");
    let sourced = sourced.iter().flat_map(env::split_paths);
    installed
        .into_iter()
        .chain(sourced)
        .map(|prefix| prefix.join("share").join("robot_memory"))
        .find(|folder| folder.is_dir())
}
