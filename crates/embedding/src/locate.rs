//! Where the model and the inference library are.
//!
//! The environment is told, so that the same rules serve every face and can be tested.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What the parameter `model_dir` comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChoice {
    /// No vectors: recall goes by words.
    WordsOnly,
    /// The model in this folder, or this .onnx file in a folder; neither need exist.
    Folder(PathBuf),
}

/// The folder into which `scripts/assets` puts what it fetches: `$ROBOT_MEMORY_CACHE`, else
/// `$XDG_CACHE_HOME/robot_memory`, else `$HOME/.cache/robot_memory`. An empty variable counts as
/// unset.
pub fn cache_dir(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    path("ROBOT_MEMORY_CACHE").or_else(|| {
        let caches = path("XDG_CACHE_HOME").or_else(|| Some(path("HOME")?.join(".cache")))?;
        Some(caches.join("robot_memory"))
    })
}

/// The model to use. `parameter` is a folder or a .onnx file in one, or `none` for words only, or empty for the shipped
/// model: `model` in the package's share folder when it is there, else in the cache folder.
pub fn model_folder(
    parameter: &str,
    share_dir: Option<&Path>,
    cache_dir: Option<&Path>,
) -> ModelChoice {
    match parameter {
        "none" => ModelChoice::WordsOnly,
        "" => shipped("model", "model.onnx", share_dir, cache_dir)
            .map_or(ModelChoice::WordsOnly, ModelChoice::Folder),
        folder => ModelChoice::Folder(folder.into()),
    }
}

/// The file of the ONNX Runtime library to load, which need not exist: `parameter`, else
/// `environment` (the value of `ORT_DYLIB_PATH`), else `onnxruntime/libonnxruntime.so` in the
/// package's share folder when it is there, else in the cache folder. `None` when all are unset.
pub fn onnxruntime_library(
    parameter: &str,
    environment: Option<&OsStr>,
    share_dir: Option<&Path>,
    cache_dir: Option<&Path>,
) -> Option<PathBuf> {
    const LIBRARY: &str = "libonnxruntime.so";
    [OsStr::new(parameter)]
        .into_iter()
        .chain(environment)
        .find(|path| !path.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(shipped("onnxruntime", LIBRARY, share_dir, cache_dir)?.join(LIBRARY)))
}

/// The folder `name` in the share folder when it has `file`, else in the cache folder. Without a
/// cache folder it is the share folder's nevertheless, so that an error can name it.
fn shipped(
    name: &str,
    file: &str,
    share_dir: Option<&Path>,
    cache_dir: Option<&Path>,
) -> Option<PathBuf> {
    let [shared, cached] = [share_dir, cache_dir].map(|folder| Some(folder?.join(name)));
    match shared {
        Some(folder) if cached.is_none() || folder.join(file).is_file() => Some(folder),
        _ => cached,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_cache_folder_follows_the_environment() {
        let all = [("ROBOT_MEMORY_CACHE", "/c"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        for (set, expected) in [
            (&all[..], Some("/c")),
            (&all[1..], Some("/x/robot_memory")),
            (&all[2..], Some("/h/.cache/robot_memory")),
            (
                &[("ROBOT_MEMORY_CACHE", ""), ("XDG_CACHE_HOME", ""), all[2]],
                Some("/h/.cache/robot_memory"),
            ),
            (&[], None),
        ] {
            let variable = |name: &str| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
            };
            assert_eq!(cache_dir(variable).as_deref(), expected.map(Path::new), "{set:?}");
        }
    }

    /// A share and a cache folder, each with or without the two assets in it.
    fn folders(shared: bool) -> (tempfile::TempDir, PathBuf, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let [share, cache] = ["share", "cache"].map(|name| root.path().join(name));
        for (folder, present) in [(&share, shared), (&cache, true)] {
            for asset in ["model/model.onnx", "onnxruntime/libonnxruntime.so"] {
                let file = folder.join(asset);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                if present {
                    fs::write(file, "").unwrap();
                }
            }
        }
        (root, share, cache)
    }

    #[test]
    fn the_parameter_decides_about_the_model() {
        let (_root, share, cache) = folders(true);
        let choose = |parameter| model_folder(parameter, Some(&share), Some(&cache));
        assert_eq!(choose("none"), ModelChoice::WordsOnly);
        assert_eq!(choose("/opt/e5"), ModelChoice::Folder("/opt/e5".into()));
        assert_eq!(choose(""), ModelChoice::Folder(share.join("model")));
    }

    #[test]
    fn the_shipped_model_comes_before_the_cached_one() {
        let (_root, share, cache) = folders(false);
        let cached = ModelChoice::Folder(cache.join("model"));
        for (share_dir, cache_dir, expected) in [
            (Some(&share), Some(&cache), &cached),
            (None, Some(&cache), &cached),
            (Some(&share), None, &ModelChoice::Folder(share.join("model"))),
            (None, None, &ModelChoice::WordsOnly),
        ] {
            let choice =
                model_folder("", share_dir.map(PathBuf::as_path), cache_dir.map(PathBuf::as_path));
            assert_eq!(&choice, expected);
        }
    }

    #[test]
    fn the_library_is_looked_for_in_order() {
        const FILE: &str = "onnxruntime/libonnxruntime.so";
        let (_root, share, cache) = folders(true);
        let (_bare_root, bare, _) = folders(false);
        let find = |parameter, environment: Option<&str>, share: Option<&PathBuf>| {
            let environment = environment.map(OsStr::new);
            onnxruntime_library(parameter, environment, share.map(PathBuf::as_path), Some(&cache))
        };
        for (parameter, environment, share_dir, expected) in [
            ("/p.so", Some("/e.so"), Some(&share), PathBuf::from("/p.so")),
            ("", Some("/e.so"), Some(&share), PathBuf::from("/e.so")),
            ("", Some(""), Some(&share), share.join(FILE)),
            ("", None, Some(&bare), cache.join(FILE)),
            ("", None, None, cache.join(FILE)),
        ] {
            assert_eq!(find(parameter, environment, share_dir), Some(expected));
        }
        assert_eq!(onnxruntime_library("", None, None, None), None);
    }
}
