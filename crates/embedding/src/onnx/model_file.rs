//! Which file of a folder is the model: exporters have a name for each precision.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::LoadError;

/// The folder inside a model's folder where exporters put its graphs.
const GRAPHS_FOLDER: &str = "onnx";
/// The file that is taken before others, at the top or in [`GRAPHS_FOLDER`].
const PLAIN: &str = "model.onnx";
/// Files that a message names.
const NAMED_MAX: usize = 16;

/// A folder with a model, and which of its files is the graph.
#[derive(Debug)]
pub struct ModelFile {
    pub folder: PathBuf,
    pub model: PathBuf,
}

impl ModelFile {
    /// Of the path of a folder, or of the graph in it.
    pub fn find(path: &Path) -> Result<Self, LoadError> {
        if path.is_dir() {
            return Ok(Self { model: choose(path)?, folder: path.into() });
        }
        if !is_graph(path) {
            return Err(LoadError::NoFolder { path: path.into() });
        }
        // Links are kept: the cache of a hub links each file to one elsewhere.
        let model = std::path::absolute(path).unwrap_or_else(|_| path.into());
        let Some(folder) = folder_of(&model).filter(|folder| folder.is_dir()) else {
            return Err(LoadError::NoFolder { path: path.into() });
        };
        if model.exists() {
            return Ok(Self { folder: folder.into(), model });
        }
        let files = files_of(folder)?;
        Err(LoadError::NoGraph { missing: path.into(), found: listed(graphs(&files)) })
    }
}

/// The files beside a graph that hold its weights, as exporters name them when they do not put them into it.
pub fn weights_of(model: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let (Some(folder), Some(name)) = (model.parent(), model.file_name()) else {
        return Ok(Vec::new());
    };
    let name = name.to_string_lossy();
    let is_weights = |file: &String| {
        file.strip_prefix(name.as_ref())
            .and_then(|rest| rest.strip_prefix("_data").or_else(|| rest.strip_prefix(".data")))
            .is_some_and(|part| part.chars().all(|it| it == '_' || it.is_ascii_digit()))
    };
    Ok(names_in(folder)?.into_iter().filter(is_weights).map(|file| folder.join(file)).collect())
}

/// The plain graph of a folder, else the only one.
fn choose(folder: &Path) -> Result<PathBuf, LoadError> {
    let files = files_of(folder)?;
    let graphs = graphs(&files);
    let inside = Path::new(GRAPHS_FOLDER).join(PLAIN);
    let plain = [Path::new(PLAIN), &inside].map(|file| folder.join(file));
    if let Some(model) = plain.into_iter().find(|file| file.exists()) {
        if graphs.len() > 1 {
            let all = listed(graphs);
            log::info!("of the models {all} in {}, {} is used", folder.display(), model.display());
        }
        return Ok(model);
    }
    match graphs[..] {
        [only] => {
            log::info!("{} has no {PLAIN}, {only} is used", folder.display());
            Ok(folder.join(only))
        }
        [] => {
            let found = listed(files.iter().map(String::as_str).collect());
            Err(LoadError::NoGraph { missing: folder.join(PLAIN), found })
        }
        _ => Err(LoadError::SeveralGraphs { folder: folder.into(), found: listed(graphs) }),
    }
}

/// The folder of a graph whose path is absolute: the one that has its tokenizer.
fn folder_of(model: &Path) -> Option<&Path> {
    let folder = model.parent()?;
    // The settings are those that hold when the folder above is named.
    let above = folder.parent().filter(|above| {
        let has_tokenizer = |folder: &Path| folder.join("tokenizer.json").exists();
        folder.file_name() == Some(OsStr::new(GRAPHS_FOLDER))
            && (has_tokenizer(above) || !has_tokenizer(folder))
    });
    Some(above.unwrap_or(folder))
}

fn is_graph(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("onnx"))
}

fn graphs(files: &BTreeSet<String>) -> Vec<&str> {
    files.iter().map(String::as_str).filter(|file| is_graph(Path::new(file))).collect()
}

/// The files of a model's folder, and of the folder of its graphs.
fn files_of(folder: &Path) -> Result<BTreeSet<String>, LoadError> {
    let mut files = names_in(folder)?;
    let inside = names_in(&folder.join(GRAPHS_FOLDER))?;
    files.extend(inside.into_iter().map(|file| format!("{GRAPHS_FOLDER}/{file}")));
    Ok(files)
}

/// The names of regular files, and links to one, that are not hidden: some systems put a hidden file beside
/// each one. None of a folder that is not there.
fn names_in(folder: &Path) -> Result<BTreeSet<String>, LoadError> {
    let unreadable = |source| LoadError::Read { path: folder.into(), source };
    let entries = match std::fs::read_dir(folder) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(BTreeSet::new());
        }
        entries => entries.map_err(unreadable)?,
    };
    let mut names = BTreeSet::new();
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && entry.path().is_file() {
            names.insert(name);
        }
    }
    Ok(names)
}

fn listed(files: Vec<&str>) -> String {
    match files.len() {
        0 => "no file".into(),
        count if count > NAMED_MAX => {
            format!("{} and {} more", files[..NAMED_MAX].join(", "), count - NAMED_MAX)
        }
        _ => files.join(", "),
    }
}
