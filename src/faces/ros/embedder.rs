//! Loading the embedding model, which takes longer than the rest of the start.

use super::paths::Folders;
use crate::config::Settings;
use crate::embedding::Embedder;
use crate::engine::Engine;
use std::panic::catch_unwind;
use std::sync::Arc;

/// Loads the model that the settings name, and tells the engine what became of it.
pub(super) fn load_into(engine: &Engine, settings: &Settings, folders: &Folders) {
    let outcome = catch_unwind(|| load(settings, folders))
        .unwrap_or_else(|_logged_by_the_panic_hook| Err("a fault while loading it".to_owned()));
    match &outcome {
        Ok(Some(embedder)) => log::info!("embedding with {}", embedder.model_id()),
        Ok(None) => log::info!("no embedding model is wanted: recall goes by words only"),
        Err(reason) => log::error!("no embedding model, recall goes by words only: {reason}"),
    }
    if let Err(error) = engine.set_embedder(outcome) {
        log::warn!("the embedder was not taken: {error}");
    }
}

fn load(settings: &Settings, _folders: &Folders) -> Result<Option<Arc<dyn Embedder>>, String> {
    if settings.model_dir == "none" {
        return Ok(None);
    }
    // EMBEDDING: OnnxEmbedder::load goes here.
    Err("not there yet".to_owned())
}
