//! Why there is no embedder.

use std::io;
use std::path::PathBuf;

/// Why a model could not be loaded, and what to do about it.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The model's folder is not there.
    #[error(
        "there is no model folder {}: run scripts/assets, or set the parameter model_dir to a \
         folder that has a model, or to none to go without",
        path.display()
    )]
    NoFolder { path: PathBuf },
    /// A file is missing in the model's folder.
    #[error(
        "the model folder has no file {}: run scripts/assets for the default model; another one \
         needs a .onnx file and tokenizer.json",
        path.display()
    )]
    NoFile { path: PathBuf },
    /// There is no graph in the model's folder, or not the one that was named.
    #[error(
        "there is no model {}, but {found}: run scripts/assets for the default model; another one \
         is exported to a .onnx file (docs/models.md)",
        missing.display()
    )]
    NoGraph {
        missing: PathBuf,
        /// The names of files that are there.
        found: String,
    },
    /// Several graphs are in the model's folder, none of which is the plain one.
    #[error(
        "the model folder {} has several models, {found}, and none is model.onnx: set the parameter \
         model_dir to the path of one of them",
        folder.display()
    )]
    SeveralGraphs { folder: PathBuf, found: String },
    /// The folder of the model of pictures is not there.
    #[error(
        "there is no image model folder {}: set the parameter image_model_dir to a folder that has one \
         (docs/pictures.md), or leave it empty",
        path.display()
    )]
    NoPictureFolder { path: PathBuf },
    /// A file is missing in the folder of the model of pictures.
    #[error(
        "the image model folder has no file {}: it needs image.onnx, text.onnx, tokenizer.json and \
         model.json (docs/pictures.md)",
        path.display()
    )]
    NoPictureFile { path: PathBuf },
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file is not the one whose checksum model.json holds.
    #[error(
        "{} does not have the checksum in model.json: it is damaged or was exchanged; put the right file \
         there (of the default model: remove its folder and run scripts/assets)",
        path.display()
    )]
    Damaged { path: PathBuf },
    /// model.json is not as it should be.
    #[error("{} is not a description of a model: {reason}", path.display())]
    Description { path: PathBuf, reason: String },
    /// tokenizer.json cannot be used.
    #[error("the tokenizer {} cannot be used: {reason}", path.display())]
    Tokenizer { path: PathBuf, reason: String },
    /// A model cannot be used.
    #[error("the model {} cannot be used: {reason}", path.display())]
    Model { path: PathBuf, reason: String },
    /// The ONNX Runtime library is not there.
    #[error(
        "there is no ONNX Runtime library {}: run scripts/assets, or set ORT_DYLIB_PATH to a \
         libonnxruntime.so",
        path.display()
    )]
    NoLibrary { path: PathBuf },
    /// The ONNX Runtime library is from before the version that is needed.
    #[error(
        "the ONNX Runtime library {} has version {version}, and 1.{minor_min} or later is needed: \
         scripts/assets fetches one",
        path.display()
    )]
    OldLibrary {
        path: PathBuf,
        version: String,
        /// The least minor version of 1 that will do.
        minor_min: u32,
    },
    /// The file is not an ONNX Runtime library of this machine.
    #[error("{} cannot be loaded as the ONNX Runtime library: {reason}", path.display())]
    Library {
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// This process has loaded an ONNX Runtime library from another file before.
    #[error(
        "the ONNX Runtime library {} cannot be loaded, since this process uses {} already",
        path.display(), loaded.display()
    )]
    OtherLibrary {
        /// The file that was asked for.
        path: PathBuf,
        /// The file that is loaded.
        loaded: PathBuf,
    },
}
