//! Loading the embedding model, from where the parameters or the package have it.

use super::paths::Folders;
use crate::config::Settings;
use robot_memory_embedding::locate::{self, ModelChoice};
use robot_memory_embedding::{Embedder, OnnxEmbedder, OnnxOptions};
use std::env;
use std::path::PathBuf;
use std::sync::Arc;

/// Texts that are embedded at a time: one takes the shipped model a millisecond or two, and a
/// second session would hold its weights a second time.
const PARALLEL: usize = 1;

/// The model that the settings name; `None` when they want none.
///
/// # Errors
/// Why it could not be loaded.
#[expect(clippy::disallowed_methods, reason = "where ROS and ONNX Runtime say that they are")]
pub(super) fn load(
    settings: &Settings,
    folders: &Folders,
) -> Result<Option<Arc<dyn Embedder>>, String> {
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
#[expect(clippy::disallowed_methods, reason = "where ROS and ONNX Runtime say that they are")]
fn share_dir() -> Option<PathBuf> {
    let installed = env::current_exe().ok().and_then(|program| {
        // <prefix>/lib/robot_memory/<program>
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
