//! Loading the embedding model, which takes longer than the rest of the start.

use crate::config::Settings;
use crate::engine::Engine;
use crate::faces::embedder;
use crate::faces::paths::Folders;
use log::Level;
use std::panic::catch_unwind;

/// Loads the model that the settings name, and tells the engine what became of it.
pub(super) fn load_into(engine: &Engine, settings: &Settings, folders: &Folders) {
    let outcome = catch_unwind(|| embedder::load(settings, folders))
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
