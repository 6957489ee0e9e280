//! The link of this robot's memory to its fleet: what it tells is signed, what others tell is verified.

mod link;
#[cfg(feature = "site")]
mod site_store;
mod verifier;

use crate::config::Settings;
pub use crate::faces::paths::Folders;
pub use link::Link;
use robot_memory_claims::{Key, KeyError, KnownRobots, KnownRobotsError, check_robot_name};
use robot_memory_core::claim::{Body, Takes};
use robot_memory_core::limits::KEY_FILE_BYTES_MAX;
use robot_memory_core::regular_file;
use robot_memory_engine::{Engine, FleetMember};
#[cfg(feature = "site")]
pub use site_store::SiteLink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Behind the store's file: the key that signs.
const KEY_SUFFIX: &str = ".fleet.key";
/// How the file of an nkey begins; other credentials are a `.creds` file.
const NKEY_SEED: &str = "SU";

/// Why the link to the fleet does not start.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// A parameter that must be given, or has no such value.
    #[error("parameter {0}: {1}")]
    Parameter(&'static str, String),
    /// The file of the key.
    #[error("parameter fleet_key_path: {0}")]
    Key(#[from] KeyError),
    /// The file of known robots.
    #[error("parameter fleet_robots_path: {path}: {1}", path = .0.display())]
    Robots(PathBuf, KnownRobotsError),
    /// The others know this robot by another key.
    #[error(
        "parameter fleet_robots_path: {}: the key of {robot} is {known}, and that of this robot is {own}: the others would \
         refuse all that it tells", path.display()
    )]
    OtherKey {
        /// The file.
        path: PathBuf,
        /// This robot.
        robot: String,
        /// As the file has it.
        known: String,
        /// As it is.
        own: String,
    },
    /// The transport.
    #[error("parameter fleet_url: {0}")]
    Transport(#[from] robot_memory_fleet::Error),
}

/// What this robot is in its fleet, as the parameters say; `None`: it is in none.
///
/// # Errors
/// When the name is none, or not given.
pub fn member(settings: &Settings) -> Result<Option<FleetMember>, FleetError> {
    if settings.fleet_url.is_empty() {
        return Ok(None);
    }
    check_robot_name(&settings.robot_id).map_err(|fault| {
        FleetError::Parameter("robot_id", format!("{fault} (fleet_url is given)"))
    })?;
    let Settings { robot_id, robot_type, gripper, .. } = settings.clone();
    let takes = Takes::parse(&settings.fleet_takes).unwrap_or(Takes::All);
    Ok(Some(FleetMember { robot_id, body: Body { robot_type, gripper }, takes }))
}

/// Where the key of a robot with this store is when no other file is named.
pub fn key_beside(store_path: &Path) -> PathBuf {
    let mut path = store_path.as_os_str().to_owned();
    path.push(KEY_SUFFIX);
    PathBuf::from(path)
}

/// Begins to tell and to take, when the robot is in a fleet; else lets the store note that it is in none.
///
/// # Errors
/// Names the parameter that cannot be used.
pub fn start(
    settings: &Settings,
    folders: &Folders,
    engine: &Arc<Engine>,
) -> Result<Option<Arc<Link>>, FleetError> {
    let Some(member) = member(settings)? else {
        if let Err(error) = engine.leave_fleet() {
            log::warn!("changes are still noted for the fleet that this robot was in: {error}");
        }
        return Ok(None);
    };
    join(settings, folders, engine, member, false).map(Some)
}

/// The same of the memory of a site, which also answers what robots ask it.
///
/// # Errors
/// Names the parameter that cannot be used.
#[cfg(feature = "cli")]
pub fn start_site(
    settings: &Settings,
    folders: &Folders,
    engine: &Arc<Engine>,
) -> Result<Arc<Link>, FleetError> {
    let member = member(settings)?.ok_or_else(|| {
        FleetError::Parameter("fleet_url", "must be given: the address of the hub".to_owned())
    })?;
    join(settings, folders, engine, member, true)
}

fn join(
    settings: &Settings,
    folders: &Folders,
    engine: &Arc<Engine>,
    member: FleetMember,
    is_site: bool,
) -> Result<Arc<Link>, FleetError> {
    let file = |parameter: &'static str, path: &str| -> Result<Option<PathBuf>, FleetError> {
        if path.is_empty() {
            return Ok(None);
        }
        let no_home = "~ needs the home folder, and HOME is not given";
        let expanded = folders.expand(path);
        expanded.map(Some).ok_or_else(|| FleetError::Parameter(parameter, no_home.to_owned()))
    };
    let key_path = file("fleet_key_path", &settings.fleet_key_path)?;
    let key = Key::open_or_create(&key_path.unwrap_or_else(|| key_beside(engine.store_path())))?;
    let robots = file("fleet_robots_path", &settings.fleet_robots_path)?.ok_or_else(|| {
        let fault =
            "must be given beside fleet_url: a file with the keys of the robots that are believed";
        FleetError::Parameter("fleet_robots_path", fault.to_owned())
    })?;
    let known = KnownRobots::open(&robots).map_err(|it| FleetError::Robots(robots.clone(), it))?;
    let robot = member.robot_id;
    match known.public_key(&robot) {
        Some(known) if known != key.public() => {
            let own = key.public();
            return Err(FleetError::OtherKey { path: robots, robot, known, own });
        }
        Some(_) => {}
        None => log::warn!(
            "{robot} is not in {}: if the others do not have its key either ({}), they refuse what it tells",
            robots.display(),
            key.public()
        ),
    }
    let ca = file("fleet_ca_path", &settings.fleet_ca_path)?;
    let credentials = file("fleet_credentials_path", &settings.fleet_credentials_path)?;
    let transport = transport_settings(&settings.fleet_url, &robot, credentials, ca)
        .map_err(|fault| FleetError::Parameter("fleet_credentials_path", fault))?;
    let begin = if is_site { Link::start_site } else { Link::start };
    let link = begin(transport, Arc::clone(engine), key, known)?;
    let shown: Arc<Link> = Arc::clone(&link);
    engine.set_fleet_link(Some(shown));
    Ok(link)
}

/// Where the fleet is and who speaks, with the credentials of either kind and the certificates when they are given.
///
/// # Errors
/// When the file of credentials cannot be read.
pub(in crate::faces) fn transport_settings(
    url: &str,
    name: &str,
    credentials: Option<PathBuf>,
    ca: Option<PathBuf>,
) -> Result<robot_memory_fleet::Settings, String> {
    let mut settings = robot_memory_fleet::Settings::new(url, name);
    settings.ca_path = ca;
    if let Some(path) = credentials {
        match is_nkey(&path)? {
            true => settings.nkey_seed_path = Some(path),
            false => settings.credentials_path = Some(path),
        }
    }
    Ok(settings)
}

/// Whether a file has the seed of an nkey, and not the credentials of a user.
fn is_nkey(path: &Path) -> Result<bool, String> {
    let read = regular_file::read_text(path, KEY_FILE_BYTES_MAX);
    match read {
        Ok(text) => Ok(text.trim_start().starts_with(NKEY_SEED)),
        // Longer than a seed.
        Err(_) if path.metadata().is_ok_and(|it| it.len() > KEY_FILE_BYTES_MAX) => Ok(false),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}
