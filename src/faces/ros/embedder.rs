//! Loading the models, which takes longer than the rest of the start.

use super::stop::Stop;
use crate::config::Settings;
use crate::faces::embedder;
use crate::faces::paths::Folders;
use log::Level;
use robot_memory_core::api::ApiError;
use robot_memory_engine::Engine;
use std::panic::catch_unwind;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// How long it waits after a first failure; twice as long after each further one.
const RETRY_MIN: Duration = Duration::from_secs(5);
/// The longest wait: to read a model that is damaged takes a second.
const RETRY_MAX: Duration = Duration::from_secs(300);

/// Loads the models that the settings name, and tells the engine what became of it. When there is none
/// it looks again, until there is or it is time to stop. An engine that is gone meanwhile needs none.
pub(super) fn load_into(
    engine: &Weak<Engine>,
    settings: &Settings,
    folders: &Folders,
    stop: &Stop,
) {
    let mut texts = Attempts::default();
    let mut pictures = Attempts { is_done: settings.image_model_dir.is_empty(), logged: None };
    let mut wait = RETRY_MIN;
    loop {
        texts.go_on(
            || catch_unwind(|| embedder::load(settings, folders)),
            |outcome| {
                let news = match &outcome {
                    Ok(Some(embedder)) => format!("embedding with {}", embedder.model_id()),
                    Ok(None) => "no model is wanted, recall goes by words only".to_owned(),
                    Err(reason) => format!("no model, recall goes by words only: {reason}"),
                };
                Some((news, engine.upgrade()?.set_embedder(outcome)))
            },
        );
        if stop.wait(Duration::ZERO) || engine.strong_count() == 0 {
            return;
        }
        pictures.go_on(
            || catch_unwind(|| embedder::load_pictures(settings, folders)),
            |outcome| {
                let news = match &outcome {
                    Ok(Some(embedder)) => {
                        format!("finding pictures with {}", embedder.model_id())
                    }
                    Ok(None) => "no image model is wanted".to_owned(),
                    Err(reason) => format!("no image model, no picture is found: {reason}"),
                };
                Some((news, engine.upgrade()?.set_picture_embedder(outcome)))
            },
        );
        if texts.is_done && pictures.is_done || stop.wait(wait) {
            return;
        }
        wait = (wait * 2).min(RETRY_MAX);
    }
}

/// What became of loading one model so far.
#[derive(Default)]
struct Attempts {
    is_done: bool,
    /// Why it failed, as it was told.
    logged: Option<String>,
}

impl Attempts {
    /// Loads the model, unless that was done, and tells what became of it when that is news. `tell` answers
    /// with the news, and whether the engine took the model; `None`: there is no engine any more.
    fn go_on<E: ?Sized>(
        &mut self,
        load: impl FnOnce() -> std::thread::Result<Result<Option<Arc<E>>, String>>,
        tell: impl FnOnce(Result<Option<Arc<E>>, String>) -> Option<(String, Result<(), ApiError>)>,
    ) {
        if self.is_done {
            return;
        }
        let outcome = load()
            .unwrap_or_else(|_logged_by_the_panic_hook| Err("a fault while loading it".to_owned()));
        let reason = outcome.as_ref().err().cloned();
        self.is_done = reason.is_none();
        if !self.is_done && reason == self.logged {
            return;
        }
        let level = if self.is_done { Level::Info } else { Level::Error };
        match tell(outcome) {
            Some((news, Ok(()))) => log::log!(level, "{news}"),
            Some((_, Err(error))) => log::warn!("the model was not taken: {error}"),
            None => {}
        }
        self.logged = reason;
    }
}
