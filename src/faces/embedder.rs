//! Loading the models, from where the parameters or the package have them.

use super::paths::Folders;
use crate::config::Settings;
use robot_memory_embedding::locate::{self, ModelChoice};
use robot_memory_embedding::{
    EmbedError, Embedder, MatchRange, OnnxEmbedder, OnnxOptions, OnnxPictureModel, PictureEmbedder,
};
use robot_memory_perception::picture;
use std::env;
use std::path::PathBuf;
use std::sync::Arc;

/// Texts, or pictures, that are embedded at a time: one takes the shipped model a millisecond or two, and a
/// second session would hold its weights a second time.
const PARALLEL: usize = 1;

/// The model that the settings name; `None` when they want none.
///
/// # Errors
/// Why it could not be loaded.
pub(super) fn load(
    settings: &Settings,
    folders: &Folders,
) -> Result<Option<Arc<dyn Embedder>>, String> {
    let assets = Assets::find();
    let parameter = expand(folders, "model_dir", &settings.model_dir)?;
    let (share_dir, cache_dir) = (assets.share_dir.as_deref(), assets.cache_dir.as_deref());
    let model_dir = match locate::model_folder(&parameter, share_dir, cache_dir) {
        ModelChoice::Folder(folder) => folder,
        ModelChoice::WordsOnly if parameter == "none" => return Ok(None),
        ModelChoice::WordsOnly => {
            return Err("no folder is known that may have the shipped model".to_owned());
        }
    };
    let options = assets.options(model_dir, settings, folders)?;
    let embedder = OnnxEmbedder::load(&options).map_err(|error| error.to_string())?;
    Ok(Some(Arc::new(embedder)))
}

/// The model of pictures that the settings name; `None` when they want none.
///
/// # Errors
/// Why it could not be loaded.
pub(super) fn load_pictures(
    settings: &Settings,
    folders: &Folders,
) -> Result<Option<Arc<dyn PictureEmbedder>>, String> {
    if settings.image_model_dir.is_empty() {
        return Ok(None);
    }
    let model_dir = expand(folders, "image_model_dir", &settings.image_model_dir)?.into();
    let options = Assets::find().options(model_dir, settings, folders)?;
    let model = OnnxPictureModel::load(&options).map_err(|error| error.to_string())?;
    Ok(Some(Arc::new(Pictures(model))))
}

fn expand(folders: &Folders, name: &str, path: &str) -> Result<String, String> {
    folders
        .expand(path)
        .ok_or_else(|| format!("parameter {name} is {path}, and HOME is not set"))
        .map(|path| path.to_string_lossy().into_owned())
}

/// Sees JPEG files as a model wants to see them.
struct Pictures(OnnxPictureModel);

impl PictureEmbedder for Pictures {
    fn model_id(&self) -> &str {
        self.0.model_id()
    }

    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    fn match_range(&self) -> MatchRange {
        self.0.match_range()
    }

    fn embed_picture(&self, jpeg: &[u8]) -> Result<Vec<f32>, EmbedError> {
        let side = u32::try_from(self.0.size()).unwrap_or(u32::MAX);
        let rgb = picture::square(jpeg, side, self.0.is_cropping())
            .map_err(|error| EmbedError(error.to_string()))?;
        self.0.picture(&rgb)
    }

    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        self.0.text(query)
    }
}

/// Where models and the library may be.
struct Assets {
    share_dir: Option<PathBuf>,
    cache_dir: Option<PathBuf>,
}

impl Assets {
    #[expect(clippy::disallowed_methods, reason = "where ROS and the caches say that they are")]
    fn find() -> Self {
        Self { share_dir: share_dir(), cache_dir: locate::cache_dir(|name| env::var_os(name)) }
    }

    #[expect(clippy::disallowed_methods, reason = "where ONNX Runtime says that it is")]
    fn options(
        &self,
        model_dir: PathBuf,
        settings: &Settings,
        folders: &Folders,
    ) -> Result<OnnxOptions, String> {
        let path = expand(folders, "onnxruntime_path", &settings.onnxruntime_path)?;
        let environment = env::var_os("ORT_DYLIB_PATH");
        let (share_dir, cache_dir) = (self.share_dir.as_deref(), self.cache_dir.as_deref());
        let onnxruntime =
            locate::onnxruntime_library(&path, environment.as_deref(), share_dir, cache_dir)
                .ok_or("no folder is known that may have the ONNX Runtime library")?;
        let threads = usize::try_from(settings.model_threads).unwrap_or(1);
        Ok(OnnxOptions { model_dir, onnxruntime, threads, parallel: PARALLEL })
    }
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
