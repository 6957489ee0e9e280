//! Opening the engine on the store that is named.

use super::arguments::StoreArguments;
use super::failure::Failure;
use crate::config::Settings;
use crate::faces::embedder;
use crate::faces::engine::engine_config;
use crate::faces::paths::{Folders, NODE_NAME};
use crate::faces::wall_clock::WallClock;
use jiff::tz::TimeZone;
use robot_memory_core::model::Clock;
#[cfg(any(feature = "mcp", feature = "site"))]
use robot_memory_core::{limits::TOKEN_BYTES_MAX, regular_file};
use robot_memory_embedding::Embedder;
#[cfg(feature = "fleet")]
use robot_memory_engine::FleetMember;
use robot_memory_engine::{
    BackupSettings, Config, Engine, MaintenanceSettings, OpenError, Secrets,
};
use std::io::{self, Write};
#[cfg(any(feature = "mcp", feature = "site"))]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An engine that only reads, without vectors.
pub fn open_engine(arguments: &StoreArguments) -> Result<Engine, Failure> {
    open_engine_as(arguments, &Settings::default())
}

/// The same, as the node with these parameters would.
pub fn open_engine_as(arguments: &StoreArguments, settings: &Settings) -> Result<Engine, Failure> {
    let mut config = config(arguments, settings)?;
    // Whether the node has workers is not in the store; mostly it has.
    config.jobs.has_workers = true;
    Ok(Engine::open_reading(config, Arc::new(WallClock))?)
}

/// The same, of a robot of this name and body, with its file of what is never stored; `None`: the shipped one.
#[cfg(feature = "fleet")]
pub fn open_engine_of(
    arguments: &StoreArguments,
    access: Option<&Path>,
    member: FleetMember,
) -> Result<Engine, Failure> {
    let settings = with_access(access);
    let config = Config { fleet: Some(member), ..config(arguments, &settings)? };
    let opened = Engine::open_reading(config, Arc::new(WallClock));
    opened.map_err(|error| not_opened(error, &settings))
}

/// The parameters of a node with this access file; `None`: the shipped one.
#[cfg(feature = "fleet")]
pub fn with_access(access: Option<&Path>) -> Settings {
    let access_path = access.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    Settings { access_path, ..Settings::default() }
}

/// An engine that writes, as the node with these parameters would, by the same access file: it has the
/// store for itself.
pub fn open_writing(
    arguments: &StoreArguments,
    settings: &Settings,
    clock: Arc<dyn Clock>,
) -> Result<Engine, Failure> {
    open(config(arguments, settings)?, settings, clock)
}

/// The same, for a caller who also does its jobs.
#[cfg(feature = "mcp")]
pub fn open_working(
    arguments: &StoreArguments,
    settings: &Settings,
    clock: Arc<dyn Clock>,
) -> Result<Engine, Failure> {
    let mut config = config(arguments, settings)?;
    config.jobs.has_workers = true;
    open(config, settings, clock)
}

/// The same, for a member of a fleet.
#[cfg(feature = "fleet")]
pub fn open_member(
    arguments: &StoreArguments,
    settings: &Settings,
    member: Option<FleetMember>,
    clock: Arc<dyn Clock>,
) -> Result<Engine, Failure> {
    let mut config = Config { fleet: member, ..config(arguments, settings)? };
    config.jobs.has_workers = true;
    open(config, settings, clock)
}

fn open(config: Config, settings: &Settings, clock: Arc<dyn Clock>) -> Result<Engine, Failure> {
    let opened = Engine::open(config, clock);
    let (engine, opened) = opened.map_err(|error| not_opened(error, settings))?;
    if let Some(aside) = opened.damaged_aside {
        // Without stderr there is nobody to tell.
        let _ = writeln!(
            std::io::stderr(),
            "memory: the store was damaged and moved to {}; the new one has {} memories that could \
             be saved",
            aside.display(),
            opened.memory_count
        );
    }
    Ok(engine)
}

fn config(arguments: &StoreArguments, settings: &Settings) -> Result<Config, Failure> {
    let backups = BackupSettings { folder: backups_folder(settings)?, ..BackupSettings::default() };
    Ok(Config {
        synonyms: arguments.synonyms.as_deref().map(text_of).transpose()?,
        access: access_text(settings)?,
        backups,
        maintenance: MaintenanceSettings { time_zone: TimeZone::system(), ..Default::default() },
        ..engine_config(settings, store_path(arguments)?)
    })
}

/// What is never stored, when nothing is to be stored.
pub fn secrets(settings: &Settings) -> Result<Secrets, Failure> {
    Secrets::read(access_text(settings)?.as_deref()).map_err(|error| not_opened(error, settings))
}

/// What is wrong with the access file is told with its path.
fn not_opened(error: OpenError, settings: &Settings) -> Failure {
    match error {
        OpenError::Access(error) => Failure::Given(format!("{}: {error}", settings.access_path)),
        error => error.into(),
    }
}

/// The folder of backups; `None`: beside the store.
fn backups_folder(settings: &Settings) -> Result<Option<PathBuf>, Failure> {
    if settings.backup_path.is_empty() {
        return Ok(None);
    }
    let folders = Folders::from_environment();
    folders.expand(&settings.backup_path).map(Some).ok_or(Failure::NoHome)
}

/// The access file of the parameters; `None`: the shipped one.
fn access_text(settings: &Settings) -> Result<Option<String>, Failure> {
    if settings.access_path.is_empty() {
        return Ok(None);
    }
    let path = Folders::from_environment().expand(&settings.access_path).ok_or(Failure::NoHome)?;
    text_of(&path).map(Some)
}

fn text_of(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::File { path: path.to_owned(), source })
}

/// Loads the model that the arguments name, else the parameters, and gives it to the engine. Without
/// one it goes by words, which is said on stderr unless it was asked for.
pub fn load_model(
    engine: &Engine,
    arguments: &StoreArguments,
    settings: &Settings,
) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    let outcome = model(arguments, settings);
    let embedder = outcome.clone().ok().flatten();
    engine.set_embedder(outcome)?;
    Ok(embedder)
}

/// The model that the arguments name, else the parameters.
pub fn model(
    arguments: &StoreArguments,
    settings: &Settings,
) -> Result<Option<Arc<dyn Embedder>>, String> {
    let settings = Settings {
        model_dir: match &arguments.model_dir {
            _ if arguments.no_model => "none".to_owned(),
            Some(folder) => folder.to_string_lossy().into_owned(),
            None => settings.model_dir.clone(),
        },
        ..settings.clone()
    };
    let outcome = embedder::load(&settings, &Folders::from_environment());
    if let Err(reason) = &outcome {
        // Without stderr there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "memory: recall goes by words only: {reason}");
    }
    outcome
}

/// Loads the model of pictures that the arguments name, if they do, and gives it to the engine.
pub fn load_image_model(engine: &Engine, arguments: &StoreArguments) -> Result<(), Failure> {
    let Some(folder) = &arguments.image_model_dir else { return Ok(()) };
    let settings =
        Settings { image_model_dir: folder.to_string_lossy().into_owned(), ..Settings::default() };
    let outcome = embedder::load_pictures(&settings, &Folders::from_environment());
    if let Err(reason) = &outcome {
        // Without stderr there is nobody to tell.
        let _ = writeln!(std::io::stderr(), "memory: no picture is found: {reason}");
    }
    Ok(engine.set_picture_embedder(outcome)?)
}

/// The file that is named, else that of a node with the default name and parameters.
/// The store that is named, or the node's.
pub fn store_path(arguments: &StoreArguments) -> Result<PathBuf, Failure> {
    match &arguments.store {
        Some(path) => Ok(path.clone()),
        None => Folders::from_environment().store("", "/", NODE_NAME).ok_or(Failure::NoHome),
    }
}

/// What is in a file that nobody else may read, as a token.
#[cfg(any(feature = "mcp", feature = "site"))]
pub fn secret_of(path: &Path) -> Result<String, Failure> {
    let failure = |source: io::Error| Failure::File { path: path.to_owned(), source };
    let mode = std::fs::metadata(path).map_err(failure)?.mode();
    if mode & 0o077 != 0 {
        let open = format!("others may read it (mode {:o}); chmod 600 it", mode & 0o777);
        return Err(failure(io::Error::new(io::ErrorKind::PermissionDenied, open)));
    }
    regular_file::read_text(path, TOKEN_BYTES_MAX).map_err(failure)
}
