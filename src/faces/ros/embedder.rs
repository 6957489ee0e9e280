//! Loading the embedding model, which takes longer than the rest of the start.

use super::stop::Stop;
use crate::config::Settings;
use crate::faces::embedder;
use crate::faces::paths::Folders;
use log::Level;
use robot_memory_engine::Engine;
use std::panic::catch_unwind;
use std::sync::Weak;
use std::time::Duration;

/// How long it waits after a first failure; twice as long after each further one.
const RETRY_MIN: Duration = Duration::from_secs(5);
/// The longest wait: to read a model that is damaged takes a second.
const RETRY_MAX: Duration = Duration::from_secs(300);

/// Loads the model that the settings name, and tells the engine what became of it. When there is none
/// it looks again, until there is or it is time to stop. An engine that is gone meanwhile needs none.
pub(super) fn load_into(
    engine: &Weak<Engine>,
    settings: &Settings,
    folders: &Folders,
    stop: &Stop,
) {
    let mut logged = None;
    let mut wait = RETRY_MIN;
    loop {
        let outcome = catch_unwind(|| embedder::load(settings, folders))
            .unwrap_or_else(|_logged_by_the_panic_hook| Err("a fault while loading it".to_owned()));
        let reason = outcome.as_ref().err().cloned();
        let Some(engine) = engine.upgrade() else { return };
        if reason.is_none() || reason != logged {
            let (level, news) = match &outcome {
                Ok(Some(embedder)) => {
                    (Level::Info, format!("embedding with {}", embedder.model_id()))
                }
                Ok(None) => {
                    (Level::Info, "no model is wanted, recall goes by words only".to_owned())
                }
                Err(reason) => {
                    (Level::Error, format!("no model, recall goes by words only: {reason}"))
                }
            };
            match engine.set_embedder(outcome) {
                Ok(()) => log::log!(level, "{news}"),
                Err(error) => log::warn!("the embedder was not taken: {error}"),
            }
        }
        drop(engine);
        if reason.is_none() || stop.wait(wait) {
            return;
        }
        logged = reason;
        wait = (wait * 2).min(RETRY_MAX);
    }
}
